"""How good a ranking of document spans is: recall, reciprocal rank, discounted gain.

Everything here is pure. The values equal those of trec_eval where hits are whole documents
(tests/benchmarks/test_metrics.py compares them).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal

Level = Literal["strict", "near", "document"]
"""When a hit counts: its pages overlap the gold's, lie at most one page beside them, or the
document alone is right."""
_SLACK = {"strict": 0, "near": 1}


@dataclass(frozen=True, slots=True)
class Span:
    """Pages of a document, both ends included, counted from 1."""

    doc_id: str
    start: int = 1
    end: int = 1


@dataclass(frozen=True, slots=True)
class Gold:
    """One thing that has to be found; any of its spans will do."""

    spans: tuple[Span, ...]
    grade: int = 1
    """How relevant it is; at least 1."""


def matches(hit: Span, gold: Gold, level: Level = "strict") -> bool:
    """Return whether a hit shows a gold.

    >>> matches(Span("a", 4, 5), Gold((Span("a", 6, 6),)))
    False
    >>> matches(Span("a", 4, 5), Gold((Span("a", 6, 6),)), "near")
    True
    """
    slack = _SLACK.get(level)
    return any(
        hit.doc_id == span.doc_id
        and (slack is None or (hit.start <= span.end + slack and span.start <= hit.end + slack))
        for span in gold.spans
    )


def first_ranks(
    hits: Sequence[Span], golds: Sequence[Gold], level: Level = "strict"
) -> tuple[int | None, ...]:
    """Return the rank, from 1, of the first hit for each gold; None where there is none.

    >>> first_ranks([Span("a"), Span("b")], [Gold((Span("b"),)), Gold((Span("c"),))])
    (2, None)
    """
    return tuple(
        next((rank for rank, hit in enumerate(hits, start=1) if matches(hit, gold, level)), None)
        for gold in golds
    )


def recall(hits: Sequence[Span], golds: Sequence[Gold], k: int, level: Level = "strict") -> float:
    """Return the share of the golds that the first `k` hits show; 0 without golds.

    A gold counts once, however many hits show it; one hit may show several golds.

    >>> recall([Span("a"), Span("a")], [Gold((Span("a"),)), Gold((Span("b"),))], 2)
    0.5
    """
    found = [rank is not None for rank in first_ranks(hits[:k], golds, level)]
    return sum(found) / len(found) if found else 0.0


def reciprocal_rank(
    hits: Sequence[Span], golds: Sequence[Gold], k: int, level: Level = "strict"
) -> float:
    """Return 1 / the rank of the first hit that shows any gold; 0 where none of `k` does.

    >>> reciprocal_rank([Span("x"), Span("a")], [Gold((Span("a"),))], 8)
    0.5
    """
    ranks = [rank for rank in first_ranks(hits[:k], golds, level) if rank]
    return 1 / min(ranks) if ranks else 0.0


def ndcg(hits: Sequence[Span], golds: Sequence[Gold], k: int, level: Level = "strict") -> float:
    """Return the discounted gain of the first `k` hits, as a share of the best there could be.

    The gain is the grade (linear, as in trec_eval), the discount log2(rank + 1). Each gold gives
    its gain once and each hit earns one gold, the best that is left, so the value never passes
    1. See Järvelin and Kekäläinen, TOIS 2002, doi:10.1145/582415.582418.

    >>> a, b = Gold((Span("a"),), 3), Gold((Span("b"),))
    >>> ndcg([Span("a"), Span("b")], [a, b], 8), ndcg([Span("a"), Span("a")], [a], 8)
    (1.0, 1.0)
    """
    left = list(golds)
    gains: list[int] = []
    for hit in hits[:k]:
        shown = max((gold for gold in left if matches(hit, gold, level)), key=_grade, default=None)
        if shown:
            left.remove(shown)
        gains.append(shown.grade if shown else 0)
    best = _discounted(sorted((gold.grade for gold in golds), reverse=True)[:k])
    return _discounted(gains) / best if best else 0.0


def scores(
    hits: Sequence[Span], golds: Sequence[Gold], ks: Sequence[int], level: Level = "strict"
) -> dict[str, float]:
    """Return recall at each of `ks`, and reciprocal rank and nDCG at the last of them.

    >>> scores([Span("a")], [Gold((Span("a"),))], [1, 8])
    {'recall@1': 1.0, 'recall@8': 1.0, 'mrr@8': 1.0, 'ndcg@8': 1.0}
    """
    last = ks[-1]
    return {
        **{f"recall@{k}": recall(hits, golds, k, level) for k in ks},
        f"mrr@{last}": reciprocal_rank(hits, golds, last, level),
        f"ndcg@{last}": ndcg(hits, golds, last, level),
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not pass; 0 for none.

    >>> percentile([5.0, 1.0, 3.0], 0.5), percentile([5.0, 1.0, 3.0], 0.95)
    (3.0, 5.0)
    """
    ordered = sorted(values)
    at = next((i for i in range(len(ordered)) if i + 1 >= share * len(ordered)), 0)
    return ordered[at] if ordered else 0.0


def _grade(gold: Gold) -> int:
    return gold.grade


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
