"""A shared index beside one in a folder: the same documents, the same questions, which rankings."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean

import click

from benchmarks.common import CACHE, RESULTS, folder, table_of
from benchmarks.datasets import data_set
from benchmarks.figures import paired_difference, percentile, told_mean
from benchmarks.retrieval import index_of, measure_at, values
from research_agent.assembly.copying import copy_index
from research_agent.settings import Settings

SETS = ("nist", "scifact", "cranfield")
LEFT_OUT = "hybrid + filter"
"""What the filter drops depends on similarities, which are the same numbers in both."""


@click.command("shared")
@click.option("--data", "names", multiple=True, type=click.Choice(SETS), help="Default: all.")
@CACHE
def shared_command(*, names: tuple[str, ...], cache: str) -> None:
    """Compare the rankings of a shared index with those of a folder, stage by stage."""
    with folder(cache) as place:
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
