"""Where a sentence says several things."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from research_agent.core.support import claimed_words

LEAST_WORDS = 2
"""Content words of a part."""
MOST_PARTS = 4
_STRONG = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|dan|tetapi|sedangkan)\s+|[\uff0c\uff1b](?:\u800c|\u4e14)?"
)
_WEAK = re.compile(r",?\s+(?:and|but|while|whereas|dan|tetapi|sedangkan)\s+|,\s+")


@lru_cache(maxsize=256)
def parts_of(sentence: str) -> tuple[tuple[str, ...], ...]:
    """Return the ways to take a sentence apart, the most likely first.

    >>> parts_of("Bread is baked daily, and cakes are sold on Sunday.")
    (('Bread is baked daily', 'cakes are sold on Sunday.'),)
    """
    return tuple(dict.fromkeys(_ways(sentence)))


def _ways(sentence: str) -> Iterator[tuple[str, ...]]:
    strong = tuple(part.strip() for part in _STRONG.split(sentence))
    if 1 < len(strong) <= MOST_PARTS and _are_long_enough(strong):
        yield strong
    for match in (*_STRONG.finditer(sentence), *_WEAK.finditer(sentence)):
        pair = sentence[: match.start()].strip(), sentence[match.end() :].strip()
        if _are_long_enough(pair):
            yield pair


def _are_long_enough(parts: Sequence[str]) -> bool:
    return all(len(claimed_words(part)) >= LEAST_WORDS for part in parts)
