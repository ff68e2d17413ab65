"""`bench`: product and peers over seven kinds of documents, on a half of the questions."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from benchmarks.bench import tables
from benchmarks.bench.answering import ask_peer, scored
from benchmarks.bench.searching import measured
from benchmarks.bench.sets import KINDS, UNSEEN, Half, note_use
from benchmarks.common import RESULTS, Asking, asks, folder
from benchmarks.peers.running import PEERS, WAYS

SEARCHED = ("LangChain", "LlamaIndex")
"""Peers whose search alone is compared; paper-qa's is a vector search with our model."""
Texts = dict[Half, str]


@click.command("bench")
@asks
@click.option(
    "--half", "halves", multiple=True, default=["seen"], type=click.Choice(["seen", UNSEEN])
)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Default: all.")
@click.option("--retrieval-only", is_flag=True, help="Ask no model; all peers search too.")
@click.option(
    "--peer", type=click.Choice(list(PEERS)), help="With --live: ask this one, score nothing."
)
@click.option("--way", default="default", type=click.Choice(WAYS), help="Of a peer.")
@click.option("--report", is_flag=True, help="Only print the tables that are kept.")
@click.option("--why", default="", help="What the unseen half is used for; it is written down.")
def bench_command(  # noqa: PLR0913 (one argument an option)
    *,
    asking: Asking,
    halves: tuple[Half, ...],
    kinds: tuple[str, ...],
    retrieval_only: bool,
    peer: str | None,
    way: str,
    report: bool,
    why: str,
) -> None:
    """Search or answer a half of the bench's questions; of the unseen half only sums are told."""
    chosen = kinds or KINDS
    paths = {half: RESULTS / f"bench-{half}-{asking.weights}.md" for half in halves}
    if retrieval_only:
        paths = {half: RESULTS / f"bench-{half}-retrieval.md" for half in halves}
    if report:
        print("\n".join(path.read_text("utf-8") for path in paths.values() if path.exists()))
        return
    if UNSEEN in halves:
        if not why or asking.limit:
            raise click.UsageError("the unseen half is used as a whole, with --why to write down")
        note_use(why)
    with folder(asking.cache) as place:
        if peer and asking.live:
            given = replace(asking, cache=str(place))
            print(sum(ask_peer(peer, way, half, chosen, given) for half in halves), "added")
            return
        found = (_ranked if retrieval_only else _answered)(halves, chosen, asking, place)
    for half, text in found.items():
        _keep(paths[half], text, whole=chosen == KINDS and not asking.limit)


def _keep(path: Path, text: str, *, whole: bool) -> None:
    if whole:
        path.write_text(f"{text}\n", encoding="utf-8")
    print(text)


def _ranked(halves: Sequence[Half], kinds: Sequence[str], _: Asking, place: Path) -> Texts:
    return {
        half: tables.report(
            f"Retrieval, the {half} half", of, tables.ranking, lambda row: row.scores["ndcg@10"]
        )
        for half, of in measured(halves, kinds, SEARCHED, place).items()
    }


def _answered(halves: Sequence[Half], kinds: Sequence[str], asking: Asking, place: Path) -> Texts:
    return {
        half: tables.report(
            f"Answers, {asking.weights}, the {half} half",
            scored(half, kinds, asking, place),
            tables.answers,
            lambda row: None if row.right is None or not row.answerable else float(row.right),
        )
        for half in halves
    }
