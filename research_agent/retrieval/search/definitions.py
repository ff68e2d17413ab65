"""What a query looks up: the definition of a term, the one chunk that holds an identifier."""

import re
from collections.abc import Sequence
from functools import lru_cache

from research_agent.types import Chunk
from research_agent.types import question_words as words

MOST = 10
"""Chunks of a ranking at most."""
_GLOSSARY, _CLEAR = 3, 2
"""What an entry of a glossary counts, and any other clear shape; a term introduced counts 1."""


def by_definition(term: str, chunks: Sequence[Chunk], *, surest: bool = False) -> tuple[Chunk, ...]:
    """Return those of `chunks` that define `term`, the surest first, else in their order.

    With `surest` those that are less sure than the first are left out.
    """
    line, entry, expanded, sentence, introduced = _shapes(term)
    sure = []
    for chunk in chunks:
        in_glossary = words.phrases(words.GLOSSARIES).search(" ".join(chunk.section))
        glossary = _GLOSSARY * bool(in_glossary and line.search(chunk.text))
        clear = sum(bool(shape.search(chunk.text)) for shape in (entry, expanded, sentence))
        sure.append(glossary + _CLEAR * clear + bool(introduced.search(chunk.text)))
    least = max([1, *sure]) if surest else 1
    order = sorted(range(len(chunks)), key=lambda at: -sure[at])
    return tuple(chunks[at] for at in order if sure[at] >= least)[:MOST]


@lru_cache(maxsize=64)
def _shapes(term: str) -> tuple[re.Pattern[str], ...]:
    """Return the shapes: begins a line, an entry, in brackets, defined, introduced."""
    name = re.escape(term)
    article = f"(?:(?:{words.spelled(words.ARTICLES)})\\s+)?"
    shapes = (
        rf"^\W*{name}\b",
        rf"^\W*{name}\s*[|:\u2013\u2014.(-]",
        rf"\({name}s?\)",
        rf"(?<!\w){name}\s+(?:{words.spelled(words.DEFINES)})\b",
        rf"\b(?:{words.spelled(words.INTRODUCES)})\s+{article}[\"\u201c]?{name}\b",
    )
    return tuple(re.compile(shape, re.IGNORECASE | re.MULTILINE) for shape in shapes)


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
