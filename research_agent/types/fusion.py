"""Rank fusion: combine several rankings of the same chunks into one."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import fsum, inf, nextafter

from research_agent.types import Hit, ScoredId


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]], *, rrf_k: int, weights: Sequence[float] = ()
) -> tuple[ScoredId, ...]:
    """Fuse rankings of chunk ids by the sum of weight / (`rrf_k` + rank), rank counted from 1.

    `weights` has one for each ranking; empty: all are 1. The order of `rankings` never changes
    the result: terms are summed exactly and ties go to the smaller chunk id. See Cormack, Clarke
    and Büttcher, SIGIR 2009, doi:10.1145/1571941.1572114.

    >>> [item.chunk_id for item in reciprocal_rank_fusion([["a", "b"], ["b"]], rrf_k=60)]
    ['b', 'a']
    """
    terms: defaultdict[str, list[float]] = defaultdict(list)
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, chunk_id in enumerate(ranking, start=1):
            terms[chunk_id].append(weight / (rrf_k + rank))
    fused = (ScoredId(chunk_id, fsum(values)) for chunk_id, values in terms.items())
    return tuple(sorted(fused, key=lambda item: (-item.value, item.chunk_id)))


def fuse_hits(rankings: Sequence[Sequence[Hit]], *, rrf_k: int) -> tuple[Hit, ...]:
    """Fuse rankings of hits; a hit keeps its largest similarity and lexical score."""
    seen: defaultdict[str, list[Hit]] = defaultdict(list)
    for hit in (hit for ranking in rankings for hit in ranking):
        seen[hit.chunk.chunk_id].append(hit)

    def fused(item: ScoredId) -> Hit:
        hits = seen[item.chunk_id]
        near = max((h.similarity for h in hits if h.similarity is not None), default=None)
        words = max((h.lexical for h in hits if h.lexical is not None), default=None)
        return Hit(hits[0].chunk, item.value, near, words)

    ids = [[hit.chunk.chunk_id for hit in ranking] for ranking in rankings]
    return tuple(fused(item) for item in reciprocal_rank_fusion(ids, rrf_k=rrf_k))


def reserve_slots(
    own: Sequence[Hit], others: Sequence[Sequence[Hit]], *, slot: int, each: int
) -> tuple[Hit, ...]:
    """Let the best hits of `others` in, with the score of rank `slot` of `own`.

    `own` ranks by the user's own words: queries of a model never vote against its first `slot` hits
    (docs/results.md). Each of `others` brings at most `each` hits that are not among those; what
    `own` has further down moves up.
    """
    known = {hit.chunk.chunk_id for hit in own[:slot]}
    level = own[min(slot, len(own)) - 1].score if own else 0.0
    entered: dict[str, Hit] = {}
    for ranking in others:
        new = [hit for hit in ranking if hit.chunk.chunk_id not in {*known, *entered}][:each]
        entered |= {hit.chunk.chunk_id: replace(hit, score=level) for hit in new}
    rest = (hit for hit in own if hit.chunk.chunk_id not in entered)
    hits = [*rest, *entered.values()]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk.chunk_id)))


def raised(own: Sequence[Hit], wanted: Collection[str], *, slot: int) -> tuple[Hit, ...]:
    """Let the hits with the ids `wanted` rank with the `slot`-th, where they rank lower."""
    lower = [hit for hit in own[slot:] if hit.chunk.chunk_id in wanted]
    others = [hit for hit in own if hit not in lower]
    return reserve_slots(others, [lower], slot=slot, each=len(lower)) if lower else tuple(own)


def put_last(own: Sequence[Hit], others: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """Let the new hits of `others`, taken in turn, follow all of `own`; their scores are lower."""
    known = {hit.chunk.chunk_id for hit in own}
    last = min((hit.score for hit in own), default=1.0)
    taken = (hit for hits in zip_longest(*others) for hit in hits if hit is not None)
    new = {hit.chunk.chunk_id: hit for hit in taken if hit.chunk.chunk_id not in known}
    lower = (replace(hit, score=last / (at + 1)) for at, hit in enumerate(new.values(), start=1))
    return (*own, *lower)


def falling(values: Sequence[float]) -> tuple[float, ...]:
    """Return `values`, each lowered as little as makes it smaller than the one before."""
    lowered: list[float] = []
    for value in values:
        lowered.append(min(value, nextafter(lowered[-1], -inf)) if lowered else value)
    return tuple(lowered)


def best_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits by score, ties by chunk id: the one order of any ranking."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk.chunk_id)))


def reordered(hits: Sequence[Hit], order: Sequence[int]) -> tuple[Hit, ...]:
    """Return the hits at the positions `order`, with scores that fall strictly in that order.

    The n-th hit gets the n-th largest of the old scores. Hits whose order stays are unchanged.
    """
    chosen = [hits[at] for at in order]
    if list(order) == list(range(len(hits))):
        return tuple(chosen)
    scores = falling(sorted((hit.score for hit in chosen), reverse=True))
    return tuple(replace(hit, score=score) for hit, score in zip(chosen, scores, strict=True))
