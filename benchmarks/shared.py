"""A shared index beside one in a folder: which rankings, and two writers at a time.

`python -m benchmarks.shared LOCATION NAME ROUNDS` is one of the writers.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import click

from benchmarks import serving
from benchmarks.common import CACHE, RESULTS, folder, percentile, table_of
from benchmarks.datasets import data_set, documents
from benchmarks.retrieval import index_of, measure_at, values
from research_agent.assembly.copying import copy_index
from research_agent.assembly.index import list_documents
from research_agent.assembly.shared import shared_writer, storage_of
from research_agent.errors import IndexLockedError
from research_agent.evaluation.intervals import paired_difference, told_mean
from research_agent.interfaces.cli.index import update
from research_agent.settings import Settings
from research_agent.types import Chunk
from research_agent.types.records import DocumentRecord, IndexedChunk, Window, text_digest

ROUNDS = 100
FILES = 600
SETS = ("nist", "scifact", "cranfield")
LEFT_OUT = "hybrid + filter"
"""What the filter drops depends on similarities, which are the same numbers in both."""


@click.command("shared")
@click.option("--data", "names", multiple=True, type=click.Choice(SETS), help="Default: all.")
@click.option("--writers", is_flag=True, help="Two processes that publish, and nothing else.")
@click.option("--workers", is_flag=True, help="Indexing by one and two workers, and nothing else.")
@click.option("--serve", type=int, default=0, help="So many requests to two servers, and no more.")
@CACHE
def shared_command(
    *, names: tuple[str, ...], writers: bool, workers: bool, serve: int, cache: str
) -> None:
    """Compare the rankings of a shared index with those of a folder, stage by stage."""
    if serve:
        print(json.dumps(serving.run(serve), indent=1))
        return
    with folder(cache) as place:
        if workers:
            print(json.dumps(by_workers(place), indent=1))
            return
        if writers:
            print(json.dumps(two_writers(f"lance:{place / 'two-writers'}"), indent=1))
            return
        lines = [line for name in names or SETS for line in compared(name, place)]
    text = table_of(lines)
    (RESULTS / "shared.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)


def compared(name: str, cache: Path) -> Iterator[Mapping[str, str]]:
    """Yield a row for each stage and metric of a data set; the shared index is a copy."""
    data, settings = data_set(name), Settings()
    location, chunks = index_of(data.index, cache, settings)
    copy = cache / "shared" / name
    shutil.rmtree(copy, ignore_errors=True)
    copy_index(location, f"lance:{copy}", settings)
    ours = measure_at(data, location, chunks, settings)
    theirs = measure_at(data, f"lance:{copy}", chunks, settings)
    for own, shared in zip(ours, theirs, strict=True):
        if own.name == LEFT_OUT:
            continue
        before, after = values(data, own), values(data, shared)
        for metric in before:
            difference = paired_difference(after[metric], before[metric])
            yield {
                "data, questions": f"{name}, {len(data.questions)}",
                "search": own.name,
                "metric": metric,
                "folder": f"{fmean(before[metric]):.3f}",
                "shared": f"{fmean(after[metric]):.3f}",
                "shared - folder (95 %)": told_mean(difference, 3, "+"),
                "p95, ms": " / ".join(
                    f"{percentile(list(arm.ms.values()), 0.95):.0f}" for arm in (own, shared)
                ),
            }


def by_workers(cache: Path) -> list[Mapping[str, float]]:
    """Index the first documents of SciFact by one worker and by two, twice each, and time both.

    The rate is that between the first and the last document: Ray is started by then.
    """
    [source] = documents("scifact", cache)
    rows: list[Mapping[str, float]] = []
    for count in (1, 2, 2, 1):
        with TemporaryDirectory() as name:
            os.environ["RESEARCH_AGENT_HOME"] = name  # (for good, as Ray's token is)
            docs, seen = Path(name) / "docs", list[float]()
            docs.mkdir()
            for file in sorted(source.iterdir())[:FILES]:
                shutil.copy(file, docs)
            began = time.perf_counter()
            report = update(
                f"lance:{name}/index",
                [str(docs)],
                Settings(),
                shown=lambda *_, seen=seen: seen.append(time.perf_counter()),
                workers=count,
            )
            rows.append(
                {
                    "workers": count,
                    "texts": report.embedded,
                    "seconds in all": round(time.perf_counter() - began, 1),
                    "documents a second": round((len(seen) - 1) / (seen[-1] - seen[0]), 2),
                    "load average": round(os.getloadavg()[0], 1),
                }
            )
    return rows


def two_writers(location: str) -> Mapping[str, float]:
    """Let two processes publish `ROUNDS` documents in all, and count what is lost or there twice.

    Each document is published by itself; who is refused asks again.
    """
    began = time.perf_counter()
    halves = [
        subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", "benchmarks.shared", location, name, str(ROUNDS // 2)],
            stdout=subprocess.PIPE,
        )
        for name in ("a", "b")
    ]
    refused = sum(int(half.communicate()[0]) for half in halves)
    kept = [of.record.key for of in list_documents(location)]
    return {
        "rounds": ROUNDS,
        "refused": refused,
        "lost": ROUNDS - len(set(kept)),
        "twice": len(kept) - len(set(kept)),
        "seconds": round(time.perf_counter() - began),
    }


def _publish(location: str, name: str, rounds: int) -> int:
    """Publish documents one by one; returns how often another writer was there."""
    refused = 0
    for number in range(rounds):
        key = f"{name}{number}"
        record = DocumentRecord(
            key=key, path=f"/{key}", digest=key, size=1, mtime_ns=1, recipe="none"
        )
        chunk = Chunk(key, key, f"text of {key}", source=f"/{key}")
        item = IndexedChunk(chunk, text_digest(key), (Window(text_digest(key), [1.0, number]),))
        while True:
            try:
                with shared_writer(storage_of(location), "none") as writer:
                    writer.put(record, [item])
                    writer.publish({}, ())
                break
            except IndexLockedError:
                refused += 1
    return refused


if __name__ == "__main__":
    print(_publish(sys.argv[1], sys.argv[2], int(sys.argv[3])))
