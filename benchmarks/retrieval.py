"""Retrieval alone: our stages and other systems on the same questions and embedding model."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from benchmarks.common import CACHE, RESULTS, folder, markdown
from benchmarks.datasets import NAMES, DataSet, Question, data_set, documents
from benchmarks.figures import (
    Gold,
    Interval,
    Level,
    Span,
    first_ranks,
    mean_interval,
    paired_difference,
    percentile,
    scores,
    told_mean,
)
from research_agent.assembly.connection import connect
from research_agent.interfaces.cli.index import update
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import Settings
from research_agent.types import Hit, ScoredId

Search = Callable[[str, Ports, Settings], Sequence[Hit]]
Told = Mapping[str, Any]
"""As it is in a JSON file."""
Values = Mapping[str, Sequence[float]]
"""Of each metric, one value a question."""
PRODUCT = "hybrid + filter"
"""What an answer is written from."""
KEPT = 10
"""Hits of a question that are kept in the rows."""
COSTS = {
    "chunks": "chunks",
    "p50_ms": "query p50, ms",
    "p95_ms": "p95, ms",
    "chars": "characters in the hits",
    "longest": "longest hit",
    "over_two_pages": "hits over two pages",
}


@dataclass(frozen=True, slots=True)
class Found:
    """One hit: where it is and how many characters it has."""

    span: Span
    chars: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits for one question, best first."""

    hits: tuple[Found, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way of searching, over all questions."""

    name: str
    chunks: int
    """Chunks in its index."""
    rankings: Mapping[str, Ranking] = field(default_factory=dict)
    """By question id."""


def filtered(query: str, ports: Ports, settings: Settings) -> Sequence[Hit]:
    """Search as the product does, with the filter by similarity."""
    least = settings.filter.min_similarity
    hits = hybrid_search(query, ports=ports, settings=settings.retrieval)
    return tuple(hit for hit in hits if hit.similarity is None or hit.similarity >= least)


STAGES: Mapping[str, Search] = {
    "dense only": lambda query, ports, settings: _hits(
        ports.vectors.search(ports.embedder.embed([query])[0], k=settings.retrieval.top_k), ports
    ),
    "lexical only": lambda query, ports, settings: _hits(
        ports.lexical.search(query, k=settings.retrieval.top_k), ports
    ),
    "hybrid": lambda query, ports, settings: hybrid_search(
        query, ports=ports, settings=settings.retrieval
    ),
    PRODUCT: filtered,
}


def index_of(name: str, cache: Path, settings: Settings) -> tuple[str, int]:
    """Bring the index of a collection below `cache` up to date; return where, and its chunks.

    An index that also holds other documents, of an earlier run elsewhere, is made anew.
    """
    location, folders = cache / "indexes" / name, documents(name, cache)
    location.parent.mkdir(parents=True, exist_ok=True)
    paths = [str(path) for path in folders]
    report = update(str(location), paths, settings)
    if report.documents > sum(file.is_file() for path in folders for file in path.iterdir()):
        report = update(str(location), paths, settings, rebuild=True)
    return str(location), report.chunks


@contextmanager
def opened(name: str, cache: Path, settings: Settings) -> Iterator[Ports]:
    """Yield ports over the index of a collection, which is brought up to date."""
    with connect(index_of(name, cache, settings)[0], settings, {}) as connection:
        yield connection.ports


def measure(data: DataSet, cache: Path, settings: Settings) -> list[Arm]:
    """Return one arm a stage, each over all questions of `data`."""
    location, chunks = index_of(data.index, cache, settings)
    with connect(location, settings, {}) as connection:
        ports = connection.ports
        filtered(data.questions[0].text, ports, settings)  # the models are loaded
        return [
            Arm(
                name=name,
                chunks=chunks,
                rankings={q.qid: timed(search, q.text, ports, settings) for q in data.questions},
            )
            for name, search in STAGES.items()
        ]


def timed(search: Search, query: str, ports: Ports, settings: Settings) -> Ranking:
    """Return what `search` finds, and how long it takes."""
    started = time.perf_counter()
    hits = [hit.chunk for hit in search(query, ports, settings)]
    spent = 1000 * (time.perf_counter() - started)
    spans = (Span(chunk.doc_id, chunk.start_page, chunk.end_page) for chunk in hits)
    found = zip(spans, hits, strict=True)
    return Ranking(tuple(Found(span, len(chunk.text)) for span, chunk in found), spent)


def _hits(found: Sequence[ScoredId], ports: Ports) -> list[Hit]:
    return [Hit(chunk) for chunk in ports.chunks.chunks([item.chunk_id for item in found])]


@click.command("retrieval")
@click.option("--data", "names", multiple=True, type=click.Choice(NAMES), help="Default: all.")
@click.option("--peers", is_flag=True, help="Install and run other systems beside ours.")
@CACHE
def retrieval_command(*, names: tuple[str, ...], peers: bool, cache: str) -> None:
    """Measure retrieval alone, stage by stage."""
    from benchmarks.peers.running import run_peers

    with folder(cache) as place:
        for data in map(data_set, names or NAMES):
            own, failures = measure(data, place, Settings()), list[str]()
            others: list[Arm] = []
            if peers:
                others, failures = run_peers(data, documents(data.index, place)[0], place)
            print(f"{kept(data, own, others, failures)}\n")


def kept(data: DataSet, own: Sequence[Arm], others: Sequence[Arm], failures: Sequence[str]) -> str:
    """Keep rows, summary and tables of one data set, and return the tables."""
    told = summary(data, own, others) | {"failed_peers": failures}
    table = tables(told)
    stem = RESULTS / f"retrieval-{data.name}"
    rows = "".join(
        f"{json.dumps(row, ensure_ascii=False, separators=(',', ':'))}\n"
        for row in _rows(data, [*own, *others])
    )
    stem.with_suffix(".jsonl").write_text(rows, encoding="utf-8")
    text = json.dumps(told, indent=1, ensure_ascii=False)
    stem.with_suffix(".json").write_text(f"{text}\n", encoding="utf-8")
    stem.with_suffix(".md").write_text(f"{table}\n", encoding="utf-8")
    return table


def _rows(data: DataSet, arms: Sequence[Arm]) -> Iterator[dict[str, object]]:
    """Yield one row a question: what each arm found; `ranks` are those of the golds."""
    for question in data.questions:
        row: dict[str, object] = {"qid": question.qid, "question": question.text}
        if question.kind:
            row["kind"] = question.kind
        yield row | {"arms": {arm.name: found(data, question, arm) for arm in arms}}


def found(data: DataSet, question: Question, arm: Arm) -> dict[str, object]:
    """Return what an arm found for a question, as JSON values."""
    ranking = arm.rankings[question.qid]
    spans = ranked(data, ranking)
    metrics = scores(spans, question.golds, data.ks)
    told: dict[str, object] = {
        "ms": round(ranking.milliseconds, 1),
        "scores": {name: round(value, 4) for name, value in metrics.items()},
    }
    if data.by_document:
        return told | {"hits": [span.doc_id for span in spans[:KEPT]]}
    places = [f"{span.doc_id}:{span.start}-{span.end}" for span in spans[:KEPT]]
    return told | {"ranks": first_ranks(spans, question.golds), "hits": places}


def ranked(data: DataSet, ranking: Ranking) -> tuple[Span, ...]:
    """Return the places of a ranking; whole documents once, at their first hit."""
    spans = [hit.span for hit in ranking.hits]
    if not data.by_document:
        return tuple(spans)
    return tuple(Span(doc_id) for doc_id in dict.fromkeys(span.doc_id for span in spans))


def values(
    data: DataSet,
    arm: Arm,
    wanted: Callable[[Question], tuple[Gold, ...]] = lambda question: question.golds,
    level: Level = "strict",
) -> dict[str, list[float]]:
    """Return the metrics of an arm, one value a question."""
    rows = [
        scores(ranked(data, arm.rankings[q.qid]), wanted(q), data.ks, level) for q in data.questions
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def costs(arm: Arm, k: int) -> dict[str, float]:
    """Return time, and the size of the first `k` hits.

    `chars` is the mean over questions of all `k` together; `longest` and `over_two_pages` are of
    single hits, the latter a count.
    """
    rankings = list(arm.rankings.values())
    hits = [hit for ranking in rankings for hit in ranking.hits[:k]]
    times = [ranking.milliseconds for ranking in rankings]
    return {
        "chunks": arm.chunks,
        "p50_ms": round(percentile(times, 0.5), 1),
        "p95_ms": round(percentile(times, 0.95), 1),
        "chars": round(fmean(sum(hit.chars for hit in r.hits[:k]) for r in rankings)),
        "longest": max((hit.chars for hit in hits), default=0),
        "over_two_pages": sum(hit.span.end - hit.span.start > 1 for hit in hits),
    }


def against_best_peer(
    product: Values, peers: Mapping[str, Values]
) -> dict[str, tuple[str, Interval]]:
    """Return for each metric the peer with the best mean and the difference of the product to it.

    >>> against_best_peer({"r": [1.0]}, {"a": {"r": [0.5]}, "b": {"r": [0.0]}})
    {'r': ('a', Interval(mean=0.5, low=0.5, high=0.5))}
    """
    differences: dict[str, tuple[str, Interval]] = {}
    for metric, ours in product.items():
        if peers:
            best = max(peers, key=lambda name: fmean(peers[name][metric]))
            differences[metric] = (best, paired_difference(ours, peers[best][metric]))
    return differences


def summary(data: DataSet, own: Sequence[Arm], peers: Sequence[Arm]) -> dict[str, Any]:
    """Return everything that is kept about a run over one data set, as JSON values."""
    arms = [*own, *peers]
    strict = {arm.name: values(data, arm) for arm in arms}
    beside = {arm.name: strict[arm.name] for arm in peers}
    told: dict[str, Any] = {
        "data_set": data.name,
        "questions": len(data.questions),
        "product": PRODUCT,
        "scores": {name: _intervals(of) for name, of in strict.items()},
        "costs": {arm.name: costs(arm, data.ks[-1]) for arm in arms},
        "peers": [arm.name for arm in peers],
        "product_minus_best_peer": {
            metric: {"peer": name, **_numbers(interval)}
            for metric, (name, interval) in against_best_peer(strict[PRODUCT], beside).items()
        },
    }
    if not data.by_document:
        levels: tuple[Level, ...] = ("near", "document")
        told["levels"] = {
            level: {a.name: _intervals(values(data, a, level=level)) for a in arms}
            for level in levels
        }
    if any(q.accepted for q in data.questions):
        told["accepted"] = {
            arm.name: _intervals(values(data, arm, lambda q: q.accepted)) for arm in arms
        }
    return told


def _intervals(of: Values) -> dict[str, dict[str, float]]:
    return {name: _numbers(mean_interval(list(of[name]))) for name in of}


def _numbers(interval: Interval) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(interval).items()}


def tables(told: Told) -> str:
    """Return the tables about one data set, and which peers there are not."""
    cells = [[name, *(f"{of[key]:g}" for key in COSTS)] for name, of in told["costs"].items()]
    parts = [
        f"## {told['data_set']}: {told['questions']} questions",
        scores_table(told["scores"]),
        markdown(["system", *COSTS.values()], cells),
        *(f"No figures: {failure}" for failure in told["failed_peers"]),
    ]
    if told["product_minus_best_peer"]:
        rows = [
            [metric, told_mean(_interval(of), 3, "+"), of["peer"]]
            for metric, of in told["product_minus_best_peer"].items()
        ]
        parts.append(markdown(["metric", "product - best peer", "best peer"], rows))
    for level, of in told.get("levels", {}).items():
        parts += [f"Matching: {level}.", scores_table(of)]
    if "accepted" in told:
        parts += ["Accepted pages of the revised key.", scores_table(told["accepted"])]
    return "\n\n".join(parts)


def scores_table(scored: Told) -> str:
    """Return a table of means with their 95 % intervals.

    >>> print(scores_table({"a": {"mrr@8": {"mean": 0.5, "low": 0.25, "high": 0.75}}}))
    | system | mrr@8 |
    |---|---|
    | a | 0.500 (0.250 to 0.750) |
    """
    metrics = list(next(iter(scored.values())))
    rows = [
        [name, *(told_mean(_interval(of[metric]), 3) for metric in metrics)]
        for name, of in scored.items()
    ]
    return markdown(["system", *metrics], rows)


def _interval(of: Told) -> Interval:
    return Interval(of["mean"], of["low"], of["high"])
