"""Whether a proposed query finds at least as much as the question does."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from research_agent.types import Hit
from research_agent.types.validation import Accept, Block, Ruling

VALIDATOR = "retrieval"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one query finds, as far as validators look at it."""

    top: float = 0.0
    """The best dense similarity."""
    sources: frozenset[str] = frozenset()
    """The documents of the best hits; their chunks where all are of one document."""


def finding(hits: Sequence[Hit], *, top_k: int, by_chunk: bool) -> Finding:
    """Return what validators look at in the best `top_k` hits, the most similar ones first."""
    known = [hit for hit in hits if hit.similarity is not None]
    best = sorted(known, key=lambda hit: (-(hit.similarity or 0.0), hit.chunk.chunk_id))[:top_k]
    names = (hit.chunk.chunk_id if by_chunk else hit.chunk.doc_id for hit in best)
    return Finding(max((hit.similarity or 0.0 for hit in best), default=0.0), frozenset(names))


def jaccard(one: Collection[str], other: Collection[str]) -> float:
    """Return the share of all sources that both have; 0 where there are none.

    >>> jaccard({"a", "b"}, {"b", "c", "d"}), jaccard((), ())
    (0.25, 0.0)
    """
    both, either = set(one) & set(other), set(one) | set(other)
    return len(both) / len(either) if either else 0.0


def check_retrieval(
    own: Finding,
    found: Finding,
    *,
    margin: float,
    min_overlap: float,
    improvement: float,
    same_question: bool = True,
) -> Ruling:
    """Block a query that finds worse, or other sources without finding better.

    Its best hit may be `margin` less similar than the question's. Where fewer than `min_overlap`
    of the sources are the same, it has to be `improvement` more similar: a first search that
    went wrong is mended by other sources only. A part of the question (not `same_question`)
    may find its own sources.

    >>> own = Finding(0.5, frozenset("ab"))
    >>> overlap = {"margin": 0.15, "min_overlap": 0.2, "improvement": 0.05}
    >>> check_retrieval(own, Finding(0.52, frozenset("cd")), **overlap).reason
    'finds other sources and nothing better: overlap 0.00 < 0.20'
    >>> check_retrieval(own, Finding(0.62, frozenset("cd")), **overlap).reason
    'other sources, but better ones'
    """
    overlap = jaccard(own.sources, found.sources)
    figures = {"own": own.top, "found": found.top, "margin": margin, "overlap": overlap}
    if found.top < own.top - margin:
        reason = f"finds worse: {found.top:.2f} < {own.top:.2f} - {margin:.2f}"
        return Block(VALIDATOR, reason, figures)
    if overlap >= min_overlap or not same_question:
        return Accept(VALIDATOR, figures=figures)
    if found.top >= own.top + improvement:
        return Accept(VALIDATOR, "other sources, but better ones", figures)
    reason = f"finds other sources and nothing better: overlap {overlap:.2f} < {min_overlap:.2f}"
    return Block(VALIDATOR, reason, figures)
