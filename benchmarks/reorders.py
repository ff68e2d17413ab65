"""Ways to reorder what the product's search found, compared on the same hits."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks import keeping
from benchmarks.datasets import DataSet
from benchmarks.intervals import Interval, mean_interval, paired_difference
from benchmarks.metrics import Span, percentile
from benchmarks.product import hybrid, index_of
from benchmarks.rankings import Arm, Found, Ranking
from benchmarks.summary import values
from research_agent.assembly.connection import connect
from research_agent.settings import Settings
from research_agent.types import Hit

Reorder = Callable[[str, Sequence[Hit]], Sequence[Hit]]
"""A question and its hits, best first, to the hits in another order."""


@dataclass(frozen=True, slots=True)
class Pools:
    """The hits of every question, as the product's search ranks them."""

    data: DataSet
    chunks: int
    hits: Mapping[str, tuple[Hit, ...]]
    """By question id."""

    def only(self, qids: Sequence[str]) -> "Pools":
        """Return the pools of some questions."""
        chosen = tuple(q for q in self.data.questions if q.qid in set(qids))
        return Pools(replace(self.data, questions=chosen), self.chunks, self.hits)


def pools(data: DataSet, cache: Path, settings: Settings) -> Pools:
    """Search for every question once; the index below `cache` is made where it is missing."""
    index = index_of(data, cache, settings)
    with connect(index.location, settings, {}) as connection:
        ports = connection.ports
        hits = {q.qid: tuple(hybrid(q.text, ports, settings)) for q in data.questions}
    return Pools(data, index.chunks, hits)


def arm(name: str, given: Pools, reorder: Reorder) -> Arm:
    """Return what `reorder` makes of the hits of every question, with its time."""
    rankings = {}
    for question in given.data.questions:
        started = time.perf_counter()
        hits = reorder(question.text, given.hits[question.qid])
        spent = 1000 * (time.perf_counter() - started)
        rankings[question.qid] = Ranking(tuple(_found(hit) for hit in hits), spent)
    return Arm(name=name, chunks=given.chunks, rankings=rankings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An arm's means over questions."""

    data: str
    questions: int
    arm: str
    metrics: Mapping[str, Interval]
    difference: Mapping[str, Interval]
    """To the first arm, question by question."""
    p95_ms: float
    """Of the reordering alone."""


def unchanged(_query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
    """Return the hits as they are: what every other arm is compared with."""
    return hits


def compared(data: DataSet, arms: Sequence[Arm]) -> list[Row]:
    """Return one row an arm; differences are to the first one."""
    baseline = values(data, arms[0])
    rows = []
    for one in arms:
        of = values(data, one)
        times = [ranking.milliseconds for ranking in one.rankings.values()]
        row = Row(
            data=data.name,
            questions=len(data.questions),
            arm=one.name,
            metrics={name: mean_interval(of[name]) for name in of},
            difference={name: paired_difference(of[name], baseline[name]) for name in of},
            p95_ms=round(percentile(times, 0.95), 2),
        )
        rows.append(row)
    return rows


def table(rows: Sequence[Row]) -> str:
    """Return rows as Markdown: each mean, with the 95 % interval of the difference to the first."""
    names = list(rows[0].metrics)
    lines = [
        f"## {rows[0].data}: {rows[0].questions} questions",
        "",
        f"| arm | {' | '.join(names)} | p95, ms |",
        "|---" * (len(names) + 2) + "|",
    ]
    for row in rows:
        first = row is rows[0]
        cells = " | ".join(
            _cell(row.metrics[n], None if first else row.difference[n]) for n in names
        )
        lines.append(f"| {row.arm} | {cells} | {row.p95_ms:.1f} |")
    return "\n".join(lines)


def keep(stem: str, rows: Sequence[Row]) -> None:
    """Write rows and table among the results, in place of those of an earlier run."""
    keeping.keep(stem, map(asdict, rows), table(rows))


def _cell(mean: Interval, change: Interval | None) -> str:
    """Return one cell.

    >>> _cell(Interval(0.5, 0.4, 0.6), Interval(0.1, 0.0, 0.2))
    '.500 (+.000 to +.200)'
    """
    means = _short(f"{mean.mean:.3f}")
    if change is None:
        return means
    return f"{means} ({_short(f'{change.low:+.3f}')} to {_short(f'{change.high:+.3f}')})"


def _short(number: str) -> str:
    return number.replace("0.", ".", 1) if number.lstrip("+-").startswith("0.") else number


def _found(hit: Hit) -> Found:
    chunk = hit.chunk
    return Found(Span(chunk.doc_id, chunk.start_page, chunk.end_page), len(chunk.text))
