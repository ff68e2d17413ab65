"""Retrieval alone: our stages and other systems on the same questions and embedding model."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import click

from benchmarks.common import CACHE, RESULTS, folder, percentile, table_of
from benchmarks.datasets import NAMES, DataSet, data_set, documents
from research_agent.assembly.connection import connect
from research_agent.assembly.embedding_choice import with_model
from research_agent.evaluation.intervals import mean_interval, paired_difference, told_mean
from research_agent.evaluation.ranking import Span, scores
from research_agent.interfaces.cli.index import update
from research_agent.model_settings import ENGLISH, MULTILINGUAL
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Hit, ScoredId

Search = Callable[[str, Ports, Settings], Sequence[Hit]]
Values = Mapping[str, Sequence[float]]
"""Of each metric, one value a question."""
PRODUCT = "hybrid + filter"
"""What an answer is written from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way of searching, over all questions."""

    name: str
    chunks: int
    """Chunks in its index."""
    hits: Mapping[str, Sequence[Span]]
    """Places by question id, best first."""
    ms: Mapping[str, float]
    """Milliseconds by question id."""


def filtered(query: str, ports: Ports, settings: Settings) -> Sequence[Hit]:
    """Search as the product does, with the filter by similarity."""
    least = settings.filter.min_similarity
    hits = rank(query, ports=ports, settings=settings.retrieval).hits
    return tuple(hit for hit in hits if hit.similarity is None or hit.similarity >= least)


STAGES: Mapping[str, Search] = {
    "dense only": lambda query, ports, settings: _hits(
        ports.vectors.search(ports.embedder.embed([query])[0], k=settings.retrieval.top_k), ports
    ),
    "lexical only": lambda query, ports, settings: _hits(
        ports.lexical.search(query, k=settings.retrieval.top_k), ports
    ),
    "hybrid": lambda query, ports, settings: (
        rank(query, ports=ports, settings=settings.retrieval).hits
    ),
    PRODUCT: filtered,
}


def index_of(name: str, cache: Path, settings: Settings) -> tuple[str, int]:
    """Bring the index of a collection below `cache` up to date; return where, and its chunks."""
    return index_at(cache / "indexes" / name, documents(name, cache), settings)


def index_at(location: Path, paths: Sequence[Path], settings: Settings) -> tuple[str, int]:
    """Bring an index of files or folders up to date; return where, and its chunks.

    An index that also holds other documents, of an earlier run elsewhere, is made anew.
    """
    location.parent.mkdir(parents=True, exist_ok=True)
    named = [str(path) for path in paths]
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path])]
    report = update(str(location), named, settings)
    if report.documents > sum(map(Path.is_file, files)):
        report = update(str(location), named, settings, rebuild=True)
    return str(location), report.chunks


@contextmanager
def opened(name: str, cache: Path, settings: Settings) -> Iterator[Ports]:
    """Yield ports over the index of a collection, which is brought up to date."""
    with connect(index_of(name, cache, settings)[0], settings, {}) as connection:
        yield connection.ports


def measure(data: DataSet, cache: Path, settings: Settings) -> list[Arm]:
    """Return one arm a stage, each over all questions of `data`."""
    return measure_at(data, *index_of(data.index, cache, settings), settings)


def measure_at(data: DataSet, location: str, chunks: int, settings: Settings) -> list[Arm]:
    """Return one arm a stage over the index at `location`, which is as it should be."""
    arms = []
    with connect(location, settings, {}) as connection:
        ports = connection.ports
        filtered(data.questions[0].text, ports, settings)  # the models are loaded
        for name, search in STAGES.items():
            hits, times = dict[str, list[Span]](), dict[str, float]()
            for one in data.questions:
                started = time.perf_counter()
                found = [hit.chunk for hit in search(one.text, ports, settings)]
                times[one.qid] = 1000 * (time.perf_counter() - started)
                hits[one.qid] = [Span(c.doc_id, c.start_page, c.end_page) for c in found]
            arms.append(Arm(name=name, chunks=chunks, hits=hits, ms=times))
    return arms


def _hits(found: Sequence[ScoredId], ports: Ports) -> list[Hit]:
    return [Hit(chunk) for chunk in ports.chunks.chunks([item.chunk_id for item in found])]


@click.command("retrieval")
@click.option("--data", "names", multiple=True, type=click.Choice(NAMES), help="Default: all.")
@click.option("--peers", is_flag=True, help="Install LangChain and run it beside ours.")
@click.option("--embedding", type=click.Choice([ENGLISH, MULTILINGUAL]), help="Default: as users.")
@CACHE
def retrieval_command(
    *, names: tuple[str, ...], peers: bool, embedding: str | None, cache: str
) -> None:
    """Measure retrieval alone, stage by stage."""
    from benchmarks.peers.running import run_peer

    settings = Settings()
    if embedding:
        settings = replace(settings, models=with_model(settings.models, embedding))
    with folder(cache) as place:
        for data in map(data_set, names or NAMES):
            own = measure(data, place / embedding if embedding else place, settings)
            others = run_peer(data, documents(data.index, place)[0], place) if peers else []
            print(f"{kept(data, own, others)}\n")


def kept(data: DataSet, own: Sequence[Arm], others: Sequence[Arm]) -> str:
    """Keep the tables of one data set, and return them."""
    ours, theirs = ({arm.name: values(data, arm) for arm in of} for of in (own, others))
    parts = [
        f"## {data.name}: {len(data.questions)} questions",
        scores_table(ours | theirs),
        table_of([_costs(arm) for arm in (*own, *others)]),
    ]
    if theirs:
        parts.append(table_of(list(against_best_peer(ours[PRODUCT], theirs))))
    if any(question.accepted for question in data.questions):
        accepted = {arm.name: values(data, arm, accepted=True) for arm in (*own, *others)}
        parts += ["Accepted pages of the revised key.", scores_table(accepted)]
    text = "\n\n".join(parts)
    (RESULTS / f"retrieval-{data.name}.md").write_text(f"{text}\n", encoding="utf-8")
    return text


def ranked(data: DataSet, hits: Sequence[Span]) -> Sequence[Span]:
    """Return the places of hits; whole documents once, at their first hit."""
    if not data.by_document:
        return hits
    return [Span(doc_id) for doc_id in dict.fromkeys(span.doc_id for span in hits)]


def values(data: DataSet, arm: Arm, *, accepted: bool = False) -> Values:
    """Return the metrics of an arm, one value a question; by the revised key where `accepted`."""
    rows = [
        scores(ranked(data, arm.hits[q.qid]), q.accepted if accepted else q.golds, data.ks)
        for q in data.questions
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def scores_table(scored: Mapping[str, Values]) -> str:
    """Return a table of means with their 95 % intervals.

    >>> print(scores_table({"a": {"mrr@8": [0.5, 0.5]}}))
    | system | mrr@8 |
    |---|---|
    | a | 0.500 (0.500 to 0.500) |
    """
    return table_of(
        [
            {"system": name} | {m: told_mean(mean_interval(list(v)), 3) for m, v in of.items()}
            for name, of in scored.items()
        ]
    )


def _costs(arm: Arm) -> dict[str, str]:
    spent = list(arm.ms.values())
    p50, p95 = (f"{percentile(spent, share):.1f}" for share in (0.5, 0.95))
    return {"system": arm.name, "chunks": str(arm.chunks), "p50, ms": p50, "p95, ms": p95}


def against_best_peer(product: Values, peers: Mapping[str, Values]) -> Iterator[dict[str, str]]:
    """Yield for each metric the peer with the best mean and the difference of the product to it."""
    for metric, ours in product.items():
        best = max(peers, key=lambda name: fmean(peers[name][metric]))
        gap = told_mean(paired_difference(ours, peers[best][metric]), 3, "+")
        yield {"metric": metric, "product - best peer (95 %)": gap, "best peer": best}
