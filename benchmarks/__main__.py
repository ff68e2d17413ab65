"""`python -m benchmarks NAME`: measure, print, and keep what is to be committed."""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks import (
    concurrency,
    faults,
    filtering,
    indexing,
    lexical,
    overhead,
    refinement,
    refinement_arms,
    retrieval,
    rewrites,
    scale,
    word_ways,
)
from benchmarks.answer_commands import COMMANDS
from benchmarks.datasets import NAMED, NAMES, NEAR
from benchmarks.options import CACHE, LIVE, MINUTES, MODEL
from benchmarks.replay import replay_command
from benchmarks.sought import NAMES as SOUGHT
from benchmarks.sought import documents, question_set


@click.group()
def main() -> None:
    """Measure research_agent."""


@main.command("overhead")
def overhead_command() -> None:
    """Measure everything but model and embedder."""
    print(json.dumps(overhead.run(), indent=2))


@main.command("concurrency")
def concurrency_command() -> None:
    """Measure many questions at a time, and the time to the first hits."""
    print(json.dumps(concurrency.run(), indent=2))


@main.command("indexing")
@click.option("--data", default="nist", type=click.Choice(["nist", "openapi"]))
@click.option("--cache", default="", help="Copy the API descriptions into this folder.")
def indexing_command(*, data: str, cache: str) -> None:
    """Measure indexing the six PDFs, or the two API descriptions."""
    with TemporaryDirectory() as temporary:
        folder = documents(question_set(data), Path(cache or temporary).absolute())
        print(json.dumps(indexing.run(folder), indent=2))


@main.command("retrieval")
@click.option(
    "--data",
    "names",
    multiple=True,
    type=click.Choice((*NAMES, NEAR, NAMED)),
    help="Default: all.",
)
@click.option("--peers", is_flag=True, help="Install and run other systems beside ours.")
@click.option("--cache", default="", help="Keep indexes and environments in this folder.")
def retrieval_command(*, names: tuple[str, ...], peers: bool, cache: str) -> None:
    """Measure retrieval alone, stage by stage."""
    for report in retrieval.run(names or NAMES, peers=peers, cache=cache):
        print(f"{report.table}\n")


@main.command("refinement")
@click.option(
    "--data",
    "names",
    multiple=True,
    type=click.Choice((*refinement.SETS, refinement.API)),
    help="Default: all that the arms are compared on.",
)
@click.option("--arm", "arms", multiple=True, help="Only this; nothing is kept.")
@click.option("--try", "tried", multiple=True, metavar="KEY=VALUE,…", help="A further arm.")
@click.option("--modes", is_flag=True, help="Instead: who writes the calls, on a sample of 15.")
@click.option("--sample", default=0, help="So many questions, evenly spaced by their ids.")
@MODEL
@LIVE
@MINUTES
@click.option("--limit", default=0, help="Only the first questions; nothing is kept.")
@CACHE
def refinement_command(  # noqa: PLR0913 (one option each)
    *,
    names: tuple[str, ...],
    arms: tuple[str, ...],
    tried: tuple[str, ...],
    modes: bool,
    sample: int,
    weights: str,
    live: bool,
    minutes: float,
    limit: int,
    cache: str,
) -> None:
    """Measure searches on questions that need several documents, refined and not."""
    chosen = refinement.Chosen(
        arms=arms,
        weights=weights,
        live=live,
        minutes=minutes,
        limit=limit,
        sample=sample or (refinement.MODE_SAMPLE if modes else 0),
        modes=modes,
        tried=[refinement_arms.tried(text) for text in tried],
    )
    sets = refinement.MODE_SETS if modes else refinement.SETS
    for text in refinement.run(names or sets, chosen, cache=cache):
        print(f"{text}\n", flush=True)


@main.command("rewrites")
def rewrites_command() -> None:
    """Count the good and bad rewrites that validators block, by what they change."""
    print(rewrites.run())


@main.command("filtering")
@click.option("--data", "names", multiple=True, type=click.Choice(SOUGHT), help="Default: all.")
@click.option("--arm", "arms", multiple=True, help="Only this; nothing is kept.")
@MODEL
@LIVE
@MINUTES
@click.option("--limit", default=0, help="Only the first questions; nothing is kept.")
@CACHE
def filtering_command(  # noqa: PLR0913 (one option each)
    *,
    names: tuple[str, ...],
    arms: tuple[str, ...],
    weights: str,
    live: bool,
    minutes: float,
    limit: int,
    cache: str,
) -> None:
    """Measure what filters and references leave of the evidence."""
    chosen = filtering.Chosen(arms=arms, weights=weights, live=live, minutes=minutes, limit=limit)
    for text in filtering.run(names or SOUGHT, chosen, cache=cache):
        print(f"{text}\n", flush=True)


@main.command("faults")
@click.option("--embedded", is_flag=True, help="Also with the embedded model, which takes minutes.")
@click.option("--only", default="", help="Only rows whose name holds this; nothing is kept.")
def faults_command(*, embedded: bool, only: str) -> None:
    """Ask under every fault of a model server; exit status 1 where a rule is broken."""
    outcomes = faults.run(embedded=embedded, only=only)
    print(faults.table(outcomes))
    sys.exit(any(told.broken for told in outcomes))


@main.command("lexical")
@click.option("--chunks", default="1000,100000,1000000", help="How many; several with commas.")
@click.option("--ways", is_flag=True, help="Only the quality of ways of making words.")
@click.option("--cache", default="", help="Keep words and environments in this folder.")
def lexical_command(*, chunks: str, ways: bool, cache: str) -> None:
    """Measure engines for word search, one process at a time."""
    counts = [int(count) for count in chunks.split(",")]
    tables = word_ways.run(NAMES, cache=cache) if ways else lexical.run(counts, cache=cache)
    for one in tables:
        print(f"{one}\n", flush=True)


@main.command("scale")
@click.option("--chunks", default="1000,100000", help="How many; several with commas.")
@click.option("--cache", default="", help="Keep vectors and indexes in this folder.")
def scale_command(*, chunks: str, cache: str) -> None:
    """Measure the whole hybrid search over many chunks."""
    for one in scale.run([int(count) for count in chunks.split(",")], cache=cache):
        print(f"{one}\n", flush=True)


for command in (*COMMANDS, replay_command):
    main.add_command(command)


if __name__ == "__main__":
    main()
