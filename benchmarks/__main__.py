"""`python -m benchmarks NAME`: measure, print, and keep what is to be committed."""

import json
import sys
from pathlib import Path

import click

from benchmarks import concurrency, faults, indexing, ocr, overhead, scale
from benchmarks.answers import answers_command
from benchmarks.bench.command import bench_command
from benchmarks.characters import characters_command
from benchmarks.common import CACHE
from benchmarks.conversations import conversations_command
from benchmarks.filtering import filtering_command
from benchmarks.grounding import grounding_command
from benchmarks.made import made_command
from benchmarks.presets import presets_command
from benchmarks.printed import printed_command
from benchmarks.refinement import refinement_command
from benchmarks.refusals import refusals_command
from benchmarks.replay import replay_command
from benchmarks.retrieval import retrieval_command
from benchmarks.shared import shared_command
from benchmarks.tables import tables_command


@click.group()
def main() -> None:
    """Measure research_agent."""


@main.command("overhead")
def overhead_command() -> None:
    """Measure everything but model and embedder, and count the files and calls of a question."""
    print(json.dumps(overhead.run(), indent=2))


@main.command("concurrency")
def concurrency_command() -> None:
    """Measure many questions at a time, and the time to the first hits."""
    print(json.dumps(concurrency.run(), indent=2))


@main.command("indexing")
@click.option("--data", default="nist", type=click.Choice(["nist", "openapi"]))
@CACHE
def indexing_command(*, data: str, cache: str) -> None:
    """Measure indexing the six PDFs, or the two API descriptions."""
    print(json.dumps(indexing.run(data, cache), indent=2))


@main.command("ocr")
@click.option("--data", required=True, type=click.Path(path_type=Path), help="Public data.")
@click.option("--fonts", required=True, type=click.Path(path_type=Path), help="A folder of fonts.")
def ocr_command(*, data: Path, fonts: Path) -> None:
    """Measure OCR on ten made scans; fonts-liberation, -wqy-microhei, -arphic-gbsn00lp, -dejavu."""
    print(json.dumps(ocr.run(data, fonts), indent=2))


@main.command("faults")
@click.option("--only", default="", help="Only rows whose name holds this; nothing is kept.")
def faults_command(*, only: str) -> None:
    """Ask under every fault of a model server; exit status 1 where a rule is broken."""
    outcomes = faults.run(only)
    print(faults.table(outcomes))
    sys.exit(any(outcome.broken for outcome in outcomes))


@main.command("scale")
@click.option("--chunks", default="1000,100000", help="How many; several with commas.")
@click.option("--shared", is_flag=True, help="An index of Lance tables, not a folder.")
@CACHE
def scale_command(*, chunks: str, shared: bool, cache: str) -> None:
    """Measure the whole hybrid search over many chunks."""
    counts = [int(count) for count in chunks.split(",")]
    for one in scale.run(counts, cache=cache, shared=shared):
        print(f"{one}\n", flush=True)


for command in (
    answers_command,
    bench_command,
    characters_command,
    conversations_command,
    filtering_command,
    grounding_command,
    made_command,
    presets_command,
    refinement_command,
    refusals_command,
    replay_command,
    retrieval_command,
    shared_command,
    tables_command,
    printed_command,
):
    main.add_command(command)

if __name__ == "__main__":
    main()
