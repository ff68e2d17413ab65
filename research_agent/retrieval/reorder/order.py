"""A new order of hits whose scores agree with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.types import Hit
from research_agent.types.fusion import falling


def best_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits by score, ties by chunk id: the one order of any ranking."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk.chunk_id)))


def reordered(hits: Sequence[Hit], order: Sequence[int]) -> tuple[Hit, ...]:
    """Return the hits at the positions `order`, with scores that fall strictly in that order.

    What comes later sorts hits by their scores, so a new order has to be in the scores. The n-th
    hit gets the n-th largest of the scores there were, lowered by as little as a float can be
    where two are equal. Hits whose order stays are returned as they are.
    """
    chosen = [hits[at] for at in order]
    if list(order) == list(range(len(hits))):
        return tuple(chosen)
    scores = falling(sorted((hit.score for hit in chosen), reverse=True))
    return tuple(replace(hit, score=score) for hit, score in zip(chosen, scores, strict=True))


@dataclass(frozen=True, slots=True)
class Reordered:
    """Hits after all stages that may give them a new order."""

    hits: tuple[Hit, ...]
    stages: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Name and chunk ids of each stage's ranking, in the order of work."""


def by_verdicts(hits: Sequence[Hit], verdicts: Sequence[float | None]) -> tuple[Hit, ...]:
    """Order hits by a reranker's verdicts, the highest first.

    A hit without a verdict keeps its rank; the others share out the ranks between. Verdicts may
    be fewer than hits: the rest has none. Equal verdicts keep the order of the hits.
    """
    given = dict(enumerate(verdicts[: len(hits)]))
    known = {at: verdict for at, verdict in given.items() if verdict is not None}
    order = list(range(len(hits)))
    for place, at in zip(known, sorted(known, key=lambda at: (-known[at], at)), strict=True):
        order[place] = at
    return reordered(hits, order)
