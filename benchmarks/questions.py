"""The questions, their keys, and the scorer that stands beside the data."""

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.places import DATA, SCORER

Row = Mapping[str, Any]


def read(path: Path) -> list[Row]:
    """Return the rows of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def nist_keys() -> list[Row]:
    """Return the NIST questions with their keys, answerable and unanswerable, each once."""
    folder = DATA / "nist-pqc"
    rows = [*read(folder / "gold_v2.jsonl"), *read(folder / "unanswerable.jsonl")]
    return list({row["qid"]: row for row in reversed(rows)}.values())[::-1]


@cache
def scorer() -> Callable[[Sequence[Row], Sequence[Row]], Mapping[str, Any]]:
    """Return the `score` function of the scorer beside the data."""
    spec = importlib.util.spec_from_file_location("score_answers", SCORER)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(SCORER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score: Callable[[Sequence[Row], Sequence[Row]], Mapping[str, Any]] = module.score
    return score
