"""At which stage of a search something that was to be found got lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.metrics import Gold, Span, first_ranks

Cause = Literal["found", "not retrieved", "fusion", "filter", "beyond k"]
"""`not retrieved`: neither index has it among its candidates. `fusion`: it is among the first k
of one index, and not of the fused ranking. `filter`: it is among the first k of the fused
ranking, and not of what the filter left. `beyond k`: it is in the candidates, but never high
enough."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The rankings of one search, stage by stage."""

    candidates: tuple[tuple[Span, ...], ...]
    """What each index returned."""
    fused: tuple[Span, ...]
    final: tuple[Span, ...]


def miss_cause(gold: Gold, stages: Stages, k: int) -> Cause:
    """Return why `gold` is not among the first `k` hits, or "found".

    >>> a, b = Span("a"), Span("b")
    >>> miss_cause(Gold((a,)), Stages(((a,), (b,)), fused=(b, a), final=(b, a)), k=1)
    'fusion'
    """
    if _seen(gold, stages.final[:k]):
        return "found"
    if _seen(gold, stages.fused[:k]):
        return "filter"
    if any(_seen(gold, ranking[:k]) for ranking in stages.candidates):
        return "fusion"
    if any(_seen(gold, ranking) for ranking in stages.candidates):
        return "beyond k"
    return "not retrieved"


def _seen(gold: Gold, hits: Sequence[Span]) -> bool:
    return first_ranks(hits, [gold]) != (None,)
