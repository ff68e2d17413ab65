"""Installed copies of weights: freed once the weights are joined, and written again on demand."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from research_agent.errors import ModelMissingError
from research_agent.models.adapters.weights import joining


def prune_parts(weights: joining.WeightSet, cache: Path) -> int:
    """Remove the data files of the installed parts and return the bytes freed.

    The joined file is read and verified once more before: afterwards it is the only copy.
    Raises ModelMissingError where it is not there or not right; then nothing is removed.
    """
    joined = joining.joined_path(weights, cache)
    with joining.sole_writer(weights, joined):
        if not joining.verify(weights, joined, lambda _done, _total: None):
            raise ModelMissingError(
                f"the parts of {weights.title} are kept: there is no verified file in {cache}",
                hint="Ask a question first: that joins the parts.",
            )
        parts = joining.part_files(weights)
        if None not in parts:  # in their order, so that they can be written again
            sizes = [(str(part), part.stat().st_size) for part in parts if part]
            _parts_path(joined).write_text(json.dumps(sizes), encoding="utf-8")
        freed = 0
        for part in filter(None, parts):
            freed += part.stat().st_size
            part.unlink()
    return freed


def prune_joined(weights: joining.WeightSet, cache: Path, environment: Mapping[str, str]) -> int:
    """Do the same after a join, in the user's own virtual environment and cache alone.

    With a cache that `RESEARCH_AGENT_CACHE` names, or an environment that others use, parts stay.
    """
    own = sys.prefix != sys.base_prefix and "RESEARCH_AGENT_CACHE" not in environment
    parts = joining.part_files(weights)
    whole = all(part and os.access(part.parent, os.W_OK) for part in parts)
    return prune_parts(weights, cache) if own and whole else 0


def restore_parts(weights: joining.WeightSet, cache: Path) -> int:
    """Write the parts that `prune_parts` removed from the joined file; return the bytes written.

    Raises ModelMissingError where the joined file is not right, or the environment is gone.
    """
    joined = joining.joined_path(weights, cache)
    with joining.sole_writer(weights, joined):
        record = _parts_path(joined)
        parts = json.loads(record.read_text(encoding="utf-8")) if record.exists() else []
        if not parts:
            return 0
        if not joining.verify(weights, joined, lambda _done, _total: None):
            raise ModelMissingError(
                f"there is no verified {weights.title} in {cache}",
                hint=f"{weights.install} --force-reinstall",
            )
        with joined.open("rb") as source:
            for path, size in parts:
                partial = Path(f"{path}.partial")
                partial.write_bytes(source.read(size))
                partial.replace(path)
        record.unlink()
    return sum(size for _, size in parts)


def _parts_path(joined: Path) -> Path:
    return joined.with_name(f"{joined.name}.parts.json")
