"""Retrieval confidence from the shape of the dense similarities."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from research_agent.text.words import length_in_words
from research_agent.types import Hit

Profile = Literal["default", "seed"]
LEAST_WORDS = 3
"""A shorter query can mean many things, so however well something fits it, it is refined."""


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
    words: int = 0
    """Words of the query; two characters of a script without spaces are one."""
    profile: Profile = "default"
    """How the background was taken."""


def clamp(x: float, low: float, high: float) -> float:
    """Return `x` limited to [`low`, `high`].

    >>> clamp(1.5, 0.0, 1.0)
    1.0
    """
    return min(max(x, low), high)


def retrieval_confidence(  # noqa: PLR0913 (each is a setting)
    question: str,
    hits: Sequence[Hit],
    *,
    top_k: int,
    concentration_scale: float,
    length_norm: int,
    bypass: float,
    seed_bypass: float = 0.7,
    profile: Profile = "default",
) -> RetrievalConfidence:
    """Score how clearly the best similarity stands out for `question`.

    value = top similarity x clamp((top - background) / scale, 0, 1) x clamp(words / norm, .3, 1)

    The background is the mean similarity of the hits below the best `top_k`, so that several
    right chunks do not count against each other; where the corpus has no more hits than that,
    nothing speaks against the ranking and the weight is 1. Only `Hit.similarity` is read: a
    fused score says nothing about how alike two texts are. Without any similarity the value
    is 0, so the query is refined. So is one of fewer than `LEAST_WORDS` words.

    Profile "seed" is seed system 1's: similarities are 1 - distance / 2, that is (1 + cosine) / 2,
    and the background is the mean of the best `top_k` themselves; `seed_bypass` is its limit.

    >>> from research_agent.types import Chunk
    >>> hits = [Hit(Chunk(str(d), "doc", "text"), 0.0, 1 - d) for d in (0.2, 0.6, 1.0, 1.2, 1.8)]
    >>> seed = {"top_k": 5, "concentration_scale": 0.3, "length_norm": 6, "bypass": 0.25}
    >>> found = retrieval_confidence("how are keys made", hits, profile="seed", **seed)
    >>> round(found.value, 2), found.decision
    (0.6, 'refine')
    """
    known = sorted((hit.similarity for hit in hits if hit.similarity is not None), reverse=True)
    words = length_in_words(question)
    if not known:
        return RetrievalConfidence(reason="no dense similarity", words=words, profile=profile)
    if profile == "seed":
        seen = [1 - clamp((1 - cosine) / 2, 0.0, 1.0) for cosine in known[:top_k]]
        top, rest = seen[0], seen
    else:
        top, rest = max(known[0], 0.0), known[top_k:]
    background = fmean(rest) if rest else 0.0
    weight = clamp((top - background) / concentration_scale, 0.0, 1.0) if rest else 1.0
    length = clamp(words / length_norm, 0.3, 1.0)
    value = top * weight * length
    decision, reason = _decided(value, seed_bypass if profile == "seed" else bypass, words)
    return RetrievalConfidence(
        value, top, background, weight, length, decision, reason, words, profile
    )


def _decided(value: float, bypass: float, words: int) -> tuple[Literal["refine", "bypass"], str]:
    """Return whether the query may stay as it is, and why."""
    if words < LEAST_WORDS:
        return "refine", f"a query of fewer than {LEAST_WORDS} words can mean many things"
    if value >= bypass:
        return "bypass", f"confidence {value:.2f} reaches {bypass:.2f}"
    return "refine", f"confidence {value:.2f} is below {bypass:.2f}"
