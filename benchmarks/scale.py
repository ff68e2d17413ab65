"""The product's hybrid search over many chunks: time of a query, memory, recall of the graph."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.datasets import data_set
from benchmarks.lexical import questions
from benchmarks.places import RESULTS, ROOT
from benchmarks.scale_table import Figures, table
from research_agent.settings import IndexSettings, Settings


@dataclass(frozen=True, slots=True)
class Arm:
    """One way of opening the same index."""

    name: str
    exact_below: int


DEFAULT = Arm("as configured", IndexSettings().exact_below)
EXACT = Arm("exact in memory", 1_000_000)
GRAPH = Arm("Chroma's graph", 0)
MANY = 50_000
"""From so many chunks on, the other way of searching is measured as well."""


def run(counts: Sequence[int], *, cache: str) -> Iterator[str]:
    """Build an index of each size, search it in processes of their own, and yield the tables.

    Vectors of real chunks and the indexes stay in `cache`; without it they are made in a
    temporary folder, which takes long.
    """
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        place.mkdir(parents=True, exist_ok=True)
        kept: list[Figures] = []
        for count in counts:
            built = _child("build", place, {"chunks": count})
            other = EXACT if count > Settings().index.exact_below else GRAPH
            arms = (DEFAULT, other) if count >= MANY else (DEFAULT,)
            for arm in arms:
                how = {"arm": arm.name, "exact_below": arm.exact_below, "chunks": count}
                where = {"location": built["location"], "questions": asked()}
                kept.append(_child("search", place, how | where))
            yield table([line for line in kept if line["chunks"] == count], built)
            RESULTS.mkdir(exist_ok=True)
            lines = "".join(f"{json.dumps(line)}\n" for line in kept)
            (RESULTS / "scale.jsonl").write_text(lines, encoding="utf-8")


def asked() -> list[str]:
    """Return the questions of the benchmark of words, and the project's own, of many kinds."""
    return questions() + [question.text for question in data_set("nist-extra").questions]


def _child(what: str, cache: Path, told: Mapping[str, object]) -> Figures:
    """Run one part in a process of its own and return its figures."""
    given, figures = cache / f"scale-{what}.json", cache / f"scale-{what}-figures.json"
    given.write_text(json.dumps({"cache": str(cache), **told}), encoding="utf-8")
    subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "benchmarks.scale_child", what, str(given), str(figures)],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    found: Figures = json.loads(figures.read_text(encoding="utf-8"))
    return found
