"""A second opinion about the order of hits, mixed in by weight.

The second channel is any score by chunk id: `codes`, words, a reranker. The first
one is the hits' own score.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import exp, fsum, isfinite, sqrt
from statistics import StatisticsError, correlation
from typing import Literal

from research_agent.settings import BlendSettings
from research_agent.types import Hit
from research_agent.types.fusion import best_first, reordered
from research_agent.types.retrieval import BlendDiagnostics, Collapse

Mode = Literal["rank", "z-score", "min-max", "softmax"]
POOL = 200
"""Hits that may change places: the first ones."""
SAME = 1e-9
"""Scores that differ by less than this share of the largest are equal."""
FLAT = 1e-6
"""Scaled values within a range smaller than this are equal."""


def blend(
    hits: Sequence[Hit], second: Mapping[str, float], settings: BlendSettings, *, top_k: int
) -> tuple[tuple[Hit, ...], BlendDiagnostics]:
    """Order the first `POOL` hits by alpha * their score + (1 - alpha) * the second channel.

    Both are brought to one scale first; a channel that collapses is switched off. A chunk without a
    second score counts as the worst of those that have one. Ties keep the order of the hits' own
    scores. The diagnostics look at the first `top_k` hits.
    """
    given, alpha = best_first(hits), settings.alpha
    inside = given[:POOL]
    known = [second.get(hit.chunk.chunk_id) for hit in inside]
    worst = min((value for value in known if value is not None), default=0.0)
    other = [worst if value is None else value for value in known]
    own = [hit.score for hit in inside]
    one, first_off = scaled(own, settings.scale, settings.temperature)
    two, second_off = scaled(other, settings.scale, settings.temperature)
    order = list(range(len(inside)))
    if not second_off and alpha < 1.0:
        weight = 0.0 if first_off else alpha
        sums = [weight * a + (1.0 - weight) * b for a, b in zip(one, two, strict=True)]
        order.sort(key=lambda at: (-sums[at], at))
    after = reordered(given, [*order, *range(len(inside), len(given))])
    ids = [tuple(hit.chunk.chunk_id for hit in ranking[:top_k]) for ranking in (given, after)]
    return after, BlendDiagnostics(
        alpha=alpha,
        mode=settings.scale,
        pool=len(inside),
        known=sum(value is not None for value in known),
        first=first_off,
        second=second_off,
        spearman=None if first_off or second_off else spearman(own, other),
        changed=sum(a != b for a, b in zip(*ids, strict=True)),
        before=ids[0],
        after=ids[1],
    )


def scaled(
    values: Sequence[float], mode: Mode, temperature: float = 1.0
) -> tuple[tuple[float, ...], Collapse]:
    """Return `values` on the common scale, larger still better, and why they are all 0, if so.

    * rank: 1 for the best and 0 for the worst, evenly between; equal values share their mean
    * z-score: standard deviations above the mean
    * min-max: 1 for the largest and 0 for the smallest, in proportion between
    * softmax: shares of 1, by exp(z-score / temperature). Of the z-score and not of the value,
      because a `temperature` for cosines is none for BM25; smaller ones favour the best more.

    The same values give the same result in any order: sums are exact.

    >>> scaled([3.0, 1.0, 2.0], "rank")
    ((1.0, 0.0, 0.5), '')
    """
    nothing = (0.0,) * len(values)
    if not all(map(isfinite, values)) or not isfinite(_range(values)):
        return nothing, "not finite"
    if not values or _range(values) <= SAME * max(map(abs, values)):
        return nothing, "constant"
    found = _scaled(values, mode, temperature)
    return (nothing, "flat") if _range(found) < FLAT else (found, "")


def _scaled(values: Sequence[float], mode: Mode, temperature: float) -> tuple[float, ...]:
    if mode == "rank":
        count = len(values)
        return tuple((count - rank) / (count - 1) for rank in average_ranks(values))
    low, size = min(values), _range(values)
    shares = tuple((value - low) / size for value in values)  # (z-scores of them never overflow)
    if mode == "min-max":
        return shares
    mean = fsum(shares) / len(shares)
    deviation = sqrt(fsum((share - mean) ** 2 for share in shares) / len(shares))
    z_scores = tuple((share - mean) / deviation for share in shares)
    if mode == "z-score":
        return z_scores
    top = max(z_scores)
    powers = [exp((z - top) / temperature) for z in z_scores]
    total = fsum(powers)
    return tuple(power / total for power in powers)


def _range(values: Sequence[float]) -> float:
    return max(values, default=0.0) - min(values, default=0.0)


def average_ranks(values: Sequence[float]) -> tuple[float, ...]:
    """Return the rank of each value, the largest being 1; equal values share their mean rank."""
    ranks, before = [0.0] * len(values), 0
    by_value = sorted(range(len(values)), key=lambda at: -values[at])
    for _, group in groupby(by_value, key=lambda at: values[at]):
        tied = list(group)
        for at in tied:
            ranks[at] = before + (len(tied) + 1) / 2
        before += len(tied)
    return tuple(ranks)


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, in [-1, 1]: Pearson's of the average ranks.

    None for fewer than two values or a constant list. Spearman 1904, doi:10.2307/1412159.
    """
    try:
        found = correlation(average_ranks(left), average_ranks(right))
    except StatisticsError:
        return None
    return max(-1.0, min(1.0, found))
