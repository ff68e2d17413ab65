"""Retrieval confidence, 0 to 1, from the cosines of the hits and the question's length."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from research_agent.settings import ConfidenceSettings
from research_agent.text.words import length_in_words
from research_agent.types import Hit
from research_agent.types.retrieval import RetrievalConfidence

CONCENTRATION_SCALE = 0.3
"""Lead over the background, in cosine, at which the ranking counts as fully peaked."""
LENGTH_NORM = 6
"""Query length in words from which length no longer lowers confidence."""
LEAST_WORDS = 3
"""A shorter query can mean many things, so however well something fits it, it is refined."""


def retrieval_confidence(
    question: str, hits: Sequence[Hit], settings: ConfidenceSettings
) -> RetrievalConfidence:
    """Return the retrieval confidence of `hits` for `question`.

    value = top similarity x clamp((top - background) / 0.3, 0, 1) x clamp(words / 6, .3, 1)

    The background is the mean similarity of the hits below the best `top_k`, so that several
    right chunks do not count against each other; where the corpus has no more hits than that,
    nothing speaks against the ranking and the weight is 1. Only `Hit.similarity` is read: a
    fused score says nothing about how alike two texts are. Without any similarity the value
    is 0, so the query is refined. So is one of fewer than three words.

    >>> from research_agent.types import Chunk
    >>> hits = [Hit(Chunk(str(s), "doc", "text"), 0.0, s) for s in (0.8, 0.4, 0.2)]
    >>> found = retrieval_confidence("how are keys made", hits, ConfidenceSettings(top_k=1))
    >>> round(found.value, 2), found.decision
    (0.53, 'bypass')
    """
    known = sorted((hit.similarity for hit in hits if hit.similarity is not None), reverse=True)
    words = length_in_words(question)
    if not known:
        return RetrievalConfidence(reason="no dense similarity", words=words)
    top, rest = max(known[0], 0.0), known[settings.top_k :]
    background = fmean(rest) if rest else 0.0
    lead = (top - background) / CONCENTRATION_SCALE if rest else 1.0
    weight, length = min(max(lead, 0.0), 1.0), min(max(words / LENGTH_NORM, 0.3), 1.0)
    value, limit = top * weight * length, settings.bypass
    found = RetrievalConfidence(value, top, background, weight, length, words=words)
    if words < LEAST_WORDS:
        why = f"a query of fewer than {LEAST_WORDS} words can mean many things"
        return replace(found, reason=why)
    if value < limit:
        return replace(found, reason=f"confidence {value:.2f} is below {limit:.2f}")
    why = f"confidence {value:.2f} reaches {limit:.2f}"
    return replace(found, decision="bypass", reason=why)
