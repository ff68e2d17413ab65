"""What belongs to a chunk: its neighbours, the rest of a table, an algorithm or a list."""

import re
from collections.abc import Iterator, Sequence

from research_agent.text.pseudocode import goes_on
from research_agent.text.tables import head_of
from research_agent.types import Chunk

WHOLE = 2
"""Chunks before and after that may belong to the same table or algorithm."""
LISTED = 8
"""Chunks after one that ends with a colon that may hold what it introduces."""
_ITEM = re.compile(r"\(?(\d{1,2})[.)]\s")


def belonging(chunk: Chunk, around: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return those of `around` that are parts of the same table or algorithm, in their order.

    `around` is of the same document. A part is followed by the next one without a gap.
    """
    by_order = {other.order: other for other in around} | {chunk.order: chunk}
    parts = [*_parts(chunk, by_order, -1), *_parts(chunk, by_order, 1)]
    return tuple(sorted(parts, key=lambda part: part.order))


def _parts(chunk: Chunk, by_order: dict[int, Chunk], step: int) -> Iterator[Chunk]:
    here = chunk
    while following := by_order.get(here.order + step):
        first, second = (here, following) if step > 0 else (following, here)
        if not _is_part(first, second):
            return
        yield following
        here = following


def _is_part(first: Chunk, second: Chunk) -> bool:
    if first.section != second.section:
        return False
    if first.kind == second.kind == "table":
        head = head_of(first.text)
        return bool(head) and head == head_of(second.text)
    return goes_on(first.text, second.text)


def is_lead_in(chunk: Chunk) -> bool:
    """Return whether a chunk only introduces what follows: it ends with a colon."""
    return chunk.text.rstrip().endswith((":", "\N{FULLWIDTH COLON}"))


def introduced(chunk: Chunk, around: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return what a chunk that ends with a colon introduces.

    That is the next chunk, and the further items of a numbered list.
    """
    by_order = {other.order: other for other in around}
    following = by_order.get(chunk.order + 1)
    if not is_lead_in(chunk) or following is None:
        return ()
    items = [following]
    while (after := by_order.get(items[-1].order + 1)) and _counts_on(items[-1], after):
        items.append(after)
    return tuple(items)


def _counts_on(item: Chunk, after: Chunk) -> bool:
    first, second = _ITEM.match(item.text), _ITEM.match(after.text)
    return first is not None and second is not None and int(second[1]) == int(first[1]) + 1


def neighbours(chunk: Chunk, around: Sequence[Chunk], window: int) -> tuple[Chunk, ...]:
    """Return the chunks up to `window` places before and after, the nearest first."""
    near = [other for other in around if 0 < abs(other.order - chunk.order) <= window]
    return tuple(sorted(near, key=lambda other: (abs(other.order - chunk.order), -other.order)))
