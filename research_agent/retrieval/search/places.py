"""Where further chunks are inserted in a ranking; the page that a chunk begins on counts."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from research_agent.types import Chunk


def pages_apart(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return the best chunk of each page first, then the others; none is lost.

    Chunks of formats without pages keep their ranks.
    """
    best = {_page(chunk): chunk for chunk in reversed(chunks)}
    first = {chunk.chunk_id for chunk in best.values()}
    return tuple(sorted(chunks, key=lambda chunk: chunk.chunk_id not in first))


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
