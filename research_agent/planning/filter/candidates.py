"""Which hits of a search are worth a verdict: similar enough, and somewhat more than are wanted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.types import Hit
from research_agent.types.question_plan import QuestionKind

SHARE: Mapping[QuestionKind, float] = {
    "look-up": 0.5,
    "comparison": 1.5,
    "overview": 1.5,
}
"""How much of the surplus a kind of question gets where it is adaptive; 1 for every other kind."""
GAP = 0.1
"""Cosine by which a surplus hit may be less similar than the least similar of those wanted."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The best hits of a search, apart by whether they are similar enough to be judged."""

    hits: tuple[Hit, ...]
    """In their order."""
    dissimilar: tuple[Hit, ...] = ()
    """Those that stood before the last candidate and are not similar enough."""


def search_limit(
    max_chunks: int, oversample: float, *, kind: QuestionKind = "general", adaptive: bool = False
) -> int:
    """Return how many hits are judged for `max_chunks` that are wanted.

    With `adaptive` a look-up gets half the surplus, a question about several things half more.

    >>> search_limit(25, 1.6), search_limit(10, 1.6, kind="look-up", adaptive=True)
    (40, 13)
    """
    share = SHARE.get(kind, 1.0) if adaptive else 1.0
    return math.ceil(round(max_chunks * (1 + (max(1.0, oversample) - 1) * share), 6))


def candidates(
    hits: Sequence[Hit], *, limit: int, min_similarity: float, wanted: int = 0, gap: float = 2.0
) -> Candidates:
    """Return the first `limit` hits that are similar enough; one without a similarity is.

    Behind the first `wanted` ones only those follow that are less than `gap` less similar than
    the least similar of them.

    >>> from research_agent.types import Chunk
    >>> found = [Hit(Chunk(str(i), "d", ""), 1, s) for i, s in enumerate([0.7, 0.1, 0.6, 0.5])]
    >>> some = candidates(found, limit=2, min_similarity=0.2)
    >>> [hit.similarity for hit in some.hits], [hit.similarity for hit in some.dissimilar]
    ([0.7, 0.6], [0.1])
    """
    similar, dissimilar, passed = list[Hit](), list[Hit](), list[Hit]()
    for hit in hits:
        if len(similar) >= limit:
            break
        if hit.similarity is not None and hit.similarity < min_similarity:
            passed.append(hit)
            continue
        dissimilar, passed = dissimilar + passed, []
        similar.append(hit)
    if len(similar) < limit:
        dissimilar += passed
    known = [hit.similarity for hit in similar[:wanted] if hit.similarity is not None]
    least = min(known, default=-1.0) - gap
    surplus = [h for h in similar[wanted:] if h.similarity is None or h.similarity >= least]
    return Candidates((*similar[:wanted], *surplus), tuple(dissimilar))
