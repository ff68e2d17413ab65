"""Chunks that enter a ranking, such as schemas of an API, and where.

The page on which a chunk begins counts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from operator import itemgetter

from research_agent.types import Chunk, ChunkKind
from research_agent.types.references import Edge


def pages_apart(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the chunks by their rank, times two for the second of a page, three for its third.

    Chunks of formats without pages keep their ranks.
    """
    seen = Counter[tuple[str, str]]()
    places = list[int]()
    for rank, chunk in enumerate(chunks, 1):
        seen[_page(chunk)] += 1
        places.append(rank * seen[_page(chunk)])
    return tuple(chunk for _, chunk in sorted(zip(places, chunks, strict=True), key=itemgetter(0)))


def elsewhere(chunks: Sequence[Chunk], shown: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return those of `chunks` that begin on no page on which one of `shown` begins."""
    pages = {_page(chunk) for chunk in shown}
    return tuple(chunk for chunk in chunks if _page(chunk) not in pages)


def place_at(
    own: Sequence[Chunk], others: Sequence[Chunk], *, after: int, most: int
) -> tuple[Chunk, ...]:
    """Insert the first `most` of `others` that bring a new page after rank `after` of `own`."""
    front = tuple(own[:after])
    new: dict[tuple[str, str], Chunk] = {}
    for chunk in elsewhere(others, front):
        new.setdefault(_page(chunk), chunk)
    entered = tuple(new.values())[:most]
    moved = {chunk.chunk_id for chunk in (*front, *entered)}
    return (*front, *entered, *(chunk for chunk in own[after:] if chunk.chunk_id not in moved))


def in_turn(rankings: Iterable[Sequence[Chunk]]) -> tuple[Chunk, ...]:
    """Return the first of each ranking, then the second of each, and so on; each chunk once."""
    rows = zip_longest(*rankings)
    return tuple({chunk.chunk_id: chunk for row in rows for chunk in row if chunk}.values())


def _page(chunk: Chunk) -> tuple[str, str]:
    paged = chunk.start_page > 1 or chunk.source.lower().endswith(".pdf")
    return (chunk.doc_id, str(chunk.start_page) if paged else chunk.chunk_id)


RELATED_KINDS: frozenset[ChunkKind] = frozenset({"operation", "schema"})
"""What has relatives; a security scheme belongs to nearly everything."""
COMMON = 30
"""A chunk that more others refer to, such as the schema of all errors, says nothing of them."""


def with_parts(chunks: Sequence[Chunk], edges: Sequence[Edge]) -> tuple[str, ...]:
    """Return the ids of `chunks`, and of the other parts of what was cut."""
    own = dict.fromkeys(chunk.chunk_id for chunk in chunks)
    parts = (edge.target for edge in edges if edge.kind == "part" and edge.source in own)
    return tuple(own | dict.fromkeys(parts))


def relatives(chunk_ids: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """Return what some chunks refer to as a schema, and what refers to them so, each once."""
    starts = set(chunk_ids)
    named = [edge for edge in edges if edge.kind == "schema"]
    used = Counter(edge.target for edge in named)
    to = [edge.target for edge in named if edge.source in starts]
    back = [edge.source for edge in named if edge.target in starts and used[edge.target] <= COMMON]
    return [found for found in dict.fromkeys([*to, *back]) if found not in starts]


def place_every(
    own: Sequence[Chunk], others: Sequence[Chunk], *, after: int, every: int
) -> tuple[Chunk, ...]:
    """Insert one of `others` after rank `after` of `own`, and then in every `every`th rank.

    Only the first part of an operation or schema is inserted, and none where a part ranks higher.
    """
    placed, rest = list(own[:after]), list(own[after:])
    shown = {_item(chunk) for chunk in placed}
    first = {_item(chunk): chunk for chunk in reversed(others) if chunk.kind in RELATED_KINDS}
    waiting = [c for c in others if first.get(_item(c)) is c and _item(c) not in shown]
    while waiting:
        if (len(placed) - after) % every == 0:
            chosen = waiting.pop(0)
            rest = [chunk for chunk in rest if chunk.chunk_id != chosen.chunk_id]
            placed.append(chosen)
        elif rest:
            placed.append(rest.pop(0))
            waiting = [chunk for chunk in waiting if _item(chunk) != _item(placed[-1])]
        else:
            break
    return (*placed, *rest)


def _item(chunk: Chunk) -> tuple[str, str, tuple[str, ...]]:
    is_part = chunk.kind in RELATED_KINDS
    return (chunk.doc_id, chunk.kind if is_part else chunk.chunk_id, chunk.section)
