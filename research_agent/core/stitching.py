"""A sentence of which no quote carries the whole, but quotes of several places carry the parts."""

from collections.abc import Mapping, Sequence

from research_agent.core.judging import judged
from research_agent.core.quoting import source_of
from research_agent.core.sentence_parts import parts_of
from research_agent.core.support import (
    Support,
    best_of,
    is_named,
    names,
    supports,
)
from research_agent.core.types import Chunk

Part = tuple[str, Support]
"""The key of a chunk, and its quote."""


def stitched(
    sentence: str, chunks: Mapping[str, Chunk], written: Sequence[str], *, min_support: float
) -> tuple[Part, ...]:
    """Return the quotes that carry the parts of a sentence; empty where a part has none.

    Keys that are `written` under the sentence come before others. A part without a name of its
    own is about what the sentence names first, so its chunk has to name that too.

    >>> chunks = {
    ...     "c1": Chunk("a", "guide", "Bread is baked daily."),
    ...     "c2": Chunk("b", "guide", "Cakes are sold on Sunday."),
    ... }
    >>> found = stitched(
    ...     "Bread is baked daily and cakes are sold on Sunday.", chunks, (), min_support=0.5
    ... )
    >>> [(key, quote.quote) for key, quote in found]
    [('c1', 'Bread is baked daily.'), ('c2', 'Cakes are sold on Sunday.')]
    """
    for parts in parts_of(sentence):
        found = [_carried(part, parts[0], chunks, written, min_support) for part in parts]
        carried = tuple(part for part in found if part is not None)
        if len(carried) == len(parts):
            return tuple(dict.fromkeys(carried))
    return ()


def _carried(
    part: str,
    first: str,
    chunks: Mapping[str, Chunk],
    written: Sequence[str],
    min_support: float,
) -> Part | None:
    subject = frozenset() if names(part) else names(first)
    found = [
        (key, judged(part, chunk, min_support=min_support))
        for key, chunk in chunks.items()
        if all(is_named(name, source_of(chunk)) for name in subject)
    ]
    carrying = [item for item in found if supports(item[1], min_support=min_support)]
    own = [item for item in carrying if item[0] in written]
    return best_of(own or carrying) if carrying else None
