"""Identifiers of a query that one chunk alone holds: that chunk is what was looked for."""

import re
from collections.abc import Sequence

from research_agent.types import Chunk

SHORTEST = 5
"""Characters of the shortest identifier."""
_WORD = re.compile(r"\w+(?:[-./:]\w+)*")
_SHAPE = re.compile(r".*_|[\W\d]*[^\W\d].*\d")


def identifiers(query: str) -> tuple[str, ...]:
    """Return the words of a query that have the shape of an identifier.

    It has a low line, or a letter with a digit somewhere after it.
    """
    words = dict.fromkeys(_WORD.findall(query))
    return tuple(word for word in words if len(word) >= SHORTEST and _SHAPE.match(word))


def held_alone(names: Sequence[str], chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return, for each identifier that exactly one of the chunks holds as a word, that chunk."""
    found = dict[str, Chunk]()
    for name in names:
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        holding = [chunk for chunk in chunks if word.search(chunk.text)]
        if len(holding) == 1:
            found.setdefault(holding[0].chunk_id, holding[0])
    return tuple(found.values())
