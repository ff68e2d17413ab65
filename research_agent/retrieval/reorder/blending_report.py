"""Diagnostics of blending as JSON lines: one a query, a footer, and sums over many files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from research_agent.types.blending import BlendDiagnostics

Row = Mapping[str, object]


def query_row(query: str, diagnostics: BlendDiagnostics) -> dict[str, object]:
    """Return the line of one query."""
    return {"query": query, **asdict(diagnostics)}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendSummary:
    """What blending did over many queries."""

    queries: int
    changed_queries: int
    """Queries in whose first `top_k` hits something changed places."""
    changed_share: float
    """Of all places among the first `top_k`, those that another chunk holds."""
    first_off: int
    """Queries in which the first channel was switched off."""
    second_off: int
    unknown: int
    """Queries in which the second channel had no score for any hit."""
    spearman_queries: int
    """Queries that have a rank correlation."""
    spearman_mean: float | None
    spearman_min: float | None
    spearman_max: float | None


def summary(rows: Sequence[Row]) -> BlendSummary:
    """Return the sums over the lines of queries; other lines are left out.

    >>> lines = [{"query": "q", "changed": 1, "before": ["a", "b"], "spearman": 0.5}]
    >>> found = summary(lines)
    >>> found.changed_share, found.spearman_mean
    (0.5, 0.5)
    """
    rows = [row for row in rows if "query" in row]
    known = correlations(rows)
    changed = [_count(row.get("changed")) for row in rows]
    places = sum(_length(row.get("before")) for row in rows)
    return BlendSummary(
        queries=len(rows),
        changed_queries=sum(value > 0 for value in changed),
        changed_share=sum(changed) / places if places else 0.0,
        first_off=sum(bool(row.get("first")) for row in rows),
        second_off=sum(bool(row.get("second")) for row in rows),
        unknown=sum(row.get("known") == 0 for row in rows),
        spearman_queries=len(known),
        spearman_mean=sum(known) / len(known) if known else None,
        spearman_min=min(known, default=None),
        spearman_max=max(known, default=None),
    )


def footer(rows: Sequence[Row]) -> dict[str, object]:
    """Return the last line of a file: the sums, marked as such."""
    return {"summary": True, **asdict(summary(rows))}


def written(rows: Sequence[Row]) -> str:
    """Return rows and footer as a whole file: writing it again replaces, never repeats, rows."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (*rows, footer(rows)))


def read(text: str) -> list[Row]:
    r"""Return the lines of a file that are JSON objects; a broken one is left out.

    >>> read('{"query": "q"}\n{"que')
    [{'query': 'q'}]
    """
    rows: list[Row] = []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


def correlations(rows: Iterable[Row]) -> list[float]:
    """Return the rank correlations that there are."""
    values = (row.get("spearman") for row in rows)
    return [float(value) for value in values if isinstance(value, int | float)]


def histogram(values: Sequence[float], bins: int) -> list[tuple[float, float, int]]:
    """Return `bins` equal parts of -1 to 1, each with its limits and how many values it holds.

    >>> histogram([-1.0, 0.2, 1.0], 2)
    [(-1.0, 0.0, 1), (0.0, 1.0, 2)]
    """
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, max(0, int((value + 1) / 2 * bins)))] += 1
    edge = [2 * at / bins - 1 for at in range(bins + 1)]
    return [(edge[at], edge[at + 1], count) for at, count in enumerate(counts)]


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _length(value: object) -> int:
    return len(value) if isinstance(value, list | tuple) else 0
