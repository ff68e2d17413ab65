"""Rank fusion: combine several rankings of the same chunks into one."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import fsum

from research_agent.core.types import Hit, ScoredId


def largest(values: Sequence[float | None]) -> float | None:
    """Return the largest value that is known, None where none is.

    >>> largest([None, 0.2, 0.7])
    0.7
    """
    return max((value for value in values if value is not None), default=None)


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, rrf_k: int
) -> tuple[ScoredId, ...]:
    """Fuse rankings of chunk ids by the sum of 1 / (`rrf_k` + rank), rank counted from 1.

    The order of `rankings` never changes the result: terms are summed exactly and ties go to
    the smaller chunk id. See Cormack, Clarke and Büttcher, SIGIR 2009,
    doi:10.1145/1571941.1572114.

    >>> [item.chunk_id for item in reciprocal_rank_fusion([["a", "b"], ["b"]], rrf_k=60)]
    ['b', 'a']
    """
    terms: defaultdict[str, list[float]] = defaultdict(list)
    for ranking in rankings:
        for rank, chunk_id in enumerate(ranking, start=1):
            terms[chunk_id].append(1 / (rrf_k + rank))
    fused = (ScoredId(chunk_id, fsum(values)) for chunk_id, values in terms.items())
    return tuple(sorted(fused, key=lambda item: (-item.value, item.chunk_id)))


def fuse_hits(rankings: Sequence[Sequence[Hit]], *, rrf_k: int) -> tuple[Hit, ...]:
    """Fuse rankings of hits; similarity and lexical score are carried along, the largest seen."""
    seen: defaultdict[str, list[Hit]] = defaultdict(list)
    for ranking in rankings:
        for hit in ranking:
            seen[hit.chunk.chunk_id].append(hit)
    fused = reciprocal_rank_fusion([[h.chunk.chunk_id for h in r] for r in rankings], rrf_k=rrf_k)
    return tuple(
        Hit(
            seen[item.chunk_id][0].chunk,
            item.value,
            largest([hit.similarity for hit in seen[item.chunk_id]]),
            largest([hit.lexical for hit in seen[item.chunk_id]]),
        )
        for item in fused
    )


def reserve_slots(
    own: Sequence[Hit], others: Sequence[Sequence[Hit]], *, slot: int, each: int
) -> tuple[Hit, ...]:
    """Let the best new hits of `others` in level with the `slot`-th hit of `own`.

    `own` is the ranking of the user's own words: further queries never vote against it, because
    queries that a model writes make a ranking worse when they count as much (docs/results.md).
    Each ranking of `others` brings at most `each` hits that no ranking before it had.
    """
    known = {hit.chunk.chunk_id for hit in own}
    level = own[min(slot, len(own)) - 1].score if own else 0.0
    entered: list[Hit] = []
    for ranking in others:
        new = [hit for hit in ranking if hit.chunk.chunk_id not in known][:each]
        known |= {hit.chunk.chunk_id for hit in new}
        entered += [replace(hit, score=level) for hit in new]
    return tuple(sorted([*own, *entered], key=lambda hit: (-hit.score, hit.chunk.chunk_id)))
