"""Rank fusion: combine several rankings of the same chunks into one."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import fsum, nextafter

from research_agent.types import Chunk, Hit, ScoredId


def largest(values: Sequence[float | None]) -> float | None:
    """Return the largest value that is known, None where none is.

    >>> largest([None, 0.2, 0.7])
    0.7
    """
    return max((value for value in values if value is not None), default=None)


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


def raised(own: Sequence[Hit], wanted: Collection[str], *, slot: int) -> tuple[Hit, ...]:
    """Let the hits with the ids `wanted` stand level with the `slot`-th, where they stand lower.

    >>> hits = [Hit(Chunk(name, "d", name), -at) for at, name in enumerate("abc")]
    >>> [hit.chunk.text for hit in raised(hits, {"c"}, slot=1)]
    ['a', 'c', 'b']
    """
    lower = [hit for hit in own[slot:] if hit.chunk.chunk_id in wanted]
    others = [hit for hit in own if hit not in lower]
    return reserve_slots(others, [lower], slot=slot, each=len(lower)) if lower else tuple(own)


def put_last(own: Sequence[Hit], others: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """Let the new hits of `others`, taken in turn, follow all of `own`; their scores are lower.

    >>> a, b, c = (Hit(Chunk(name, "d", name), score=1.0) for name in "abc")
    >>> [hit.chunk.text for hit in put_last([b], [[a, b], [c]])]
    ['b', 'a', 'c']
    """
    known = {hit.chunk.chunk_id for hit in own}
    last = min((hit.score for hit in own), default=1.0)
    taken = (hit for hits in zip_longest(*others) for hit in hits if hit is not None)
    new = {hit.chunk.chunk_id: hit for hit in taken if hit.chunk.chunk_id not in known}
    lower = (replace(hit, score=last / (at + 1)) for at, hit in enumerate(new.values(), start=1))
    return (*own, *lower)


def pages_apart(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the best chunk of each page first, then the others; none is lost.

    Chunks of formats without pages stay where they are.

    >>> a, b, c = (Chunk(name, "d", name, page) for name, page in [("a", 3), ("b", 3), ("c", 4)])
    >>> [chunk.text for chunk in pages_apart([a, b, c])]
    ['a', 'c', 'b']
    """
    seen: set[tuple[str, str]] = set()
    first: list[Chunk] = []
    later: list[Chunk] = []
    for chunk in chunks:
        (later if _page(chunk) in seen else first).append(chunk)
        seen.add(_page(chunk))
    return (*first, *later)


def _page(chunk: Chunk) -> tuple[str, str]:
    """Return what tells the pages of documents apart; a chunk without a page is one of its own."""
    paged = chunk.start_page > 1 or chunk.source.lower().endswith(".pdf")
    return (chunk.doc_id, str(chunk.start_page) if paged else chunk.chunk_id)


def elsewhere(chunks: Sequence[Chunk], shown: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return those of `chunks` that begin on no page on which one of `shown` begins.

    >>> a, b, c = (Chunk(name, "d", name, page) for name, page in [("a", 3), ("b", 3), ("c", 4)])
    >>> [chunk.text for chunk in elsewhere([b, c], [a])]
    ['c']
    """
    pages = {_page(chunk) for chunk in shown}
    return tuple(chunk for chunk in chunks if _page(chunk) not in pages)


def place_at(
    own: Sequence[Chunk], others: Sequence[Chunk], *, after: int, most: int
) -> tuple[Chunk, ...]:
    """Put the first `most` of `others` that bring a new page behind the first `after` of `own`.

    Those of `own` in front are never moved, and none of them is lost; one of `others` that
    stands further back in `own` moves up.

    >>> a, b, x, y = (Chunk(name, "d", name, i) for i, name in enumerate("abxy", start=2))
    >>> "".join(chunk.text for chunk in place_at([a, b], [a, x, y], after=1, most=1))
    'axb'
    """
    front = tuple(own[:after])
    shown = {_page(chunk) for chunk in front}
    entered: list[Chunk] = []
    for chunk in others:
        if _page(chunk) not in shown and len(entered) < most:
            entered.append(chunk)
            shown.add(_page(chunk))
    moved = {chunk.chunk_id for chunk in (*front, *entered)}
    return (*front, *entered, *(chunk for chunk in own[after:] if chunk.chunk_id not in moved))


def falling(values: Sequence[float]) -> tuple[float, ...]:
    """Return `values`, each lowered as little as makes it smaller than the one before.

    >>> falling([3.0, 1.0, 2.0])[:2]
    (3.0, 1.0)
    """
    lowered: list[float] = []
    for value in values:
        lowered.append(min(value, nextafter(lowered[-1], -1.0)) if lowered else value)
    return tuple(lowered)
