"""Retrieval confidence from the shape of the dense similarities."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from research_agent.core.types import Hit
from research_agent.core.words import length_in_words


@dataclass(frozen=True, slots=True)
class RetrievalConfidence:
    """Confidence in a ranking, what it was made of, and what follows from it."""

    value: float = 0.0
    top_similarity: float = 0.0
    background: float = 0.0
    """Mean similarity of the hits that are not among the best; 0 where there are none."""
    concentration: float = 0.0
    """How far the best hit stands above the background, as a weight in [0, 1]."""
    length_weight: float = 0.0
    decision: Literal["refine", "bypass"] = "refine"
    reason: str = "nothing was searched yet"


def clamp(x: float, low: float, high: float) -> float:
    """Return `x` limited to [`low`, `high`].

    >>> clamp(1.5, 0.0, 1.0)
    1.0
    """
    return min(max(x, low), high)


def retrieval_confidence(
    question: str,
    hits: Sequence[Hit],
    *,
    top_k: int,
    concentration_scale: float,
    length_norm: int,
    bypass: float,
) -> RetrievalConfidence:
    """Score how clearly the best similarity stands out for `question`.

    value = top similarity x clamp((top - background) / scale, 0, 1) x clamp(words / norm, .3, 1)

    The background is the mean similarity of the hits below the best `top_k`, so that several
    right chunks do not count against each other; where the corpus has no more hits than that,
    nothing speaks against the ranking and the weight is 1. Only `Hit.similarity` is read: a
    fused score says nothing about how alike two texts are. Without any similarity the value
    is 0, so the query is refined.
    """
    known = sorted((hit.similarity for hit in hits if hit.similarity is not None), reverse=True)
    if not known:
        return RetrievalConfidence(reason="no dense similarity")
    top, rest = max(known[0], 0.0), known[top_k:]
    background = fmean(rest) if rest else 0.0
    weight = clamp((top - background) / concentration_scale, 0.0, 1.0) if rest else 1.0
    length = clamp(length_in_words(question) / length_norm, 0.3, 1.0)
    value = top * weight * length
    decision: Literal["refine", "bypass"] = "bypass" if value >= bypass else "refine"
    verb = "reaches" if value >= bypass else "is below"
    reason = f"confidence {value:.2f} {verb} {bypass:.2f}"
    return RetrievalConfidence(value, top, background, weight, length, decision, reason)
