"""Which chunks define a term: by the shape of the sentence, and by the section it stands in."""

import re
from collections.abc import Sequence
from functools import lru_cache

from research_agent.types import Chunk
from research_agent.types.question_words import QuestionWords, phrases, spelled

MOST = 10
"""Chunks of a ranking at most."""
GLOSSARY, ENTRY, EXPANDED, SENTENCE, INTRODUCED = 3, 2, 2, 2, 1


def by_definition(
    term: str,
    chunks: Sequence[Chunk],
    languages: Sequence[QuestionWords],
    *,
    surest: bool = False,
) -> tuple[Chunk, ...]:
    """Return those of `chunks` that define `term`, the surest first, else in their order.

    With `surest` those that are less sure than the first are left out.

    >>> known = [Chunk("a", "d", "A KEM has keys."), Chunk("b", "d", "A KEM is a set of parts.")]
    >>> from research_agent.types.question_words import ENGLISH
    >>> [chunk.chunk_id for chunk in by_definition("KEM", known, [ENGLISH])]
    ['b']
    """
    sure = [max((_sureness(term, c, words) for words in languages), default=0) for c in chunks]
    order = sorted(range(len(chunks)), key=lambda i: (-sure[i], i))
    least = max([1, *sure]) if surest else 1
    return tuple(chunks[i] for i in order if sure[i] >= least)[:MOST]


def _sureness(term: str, chunk: Chunk, words: QuestionWords) -> int:
    """Return how much speaks for a definition of `term` in a chunk; 0 for nothing."""
    line, entry, expanded, sentence, introduced = _patterns(term, words)
    in_glossary = phrases(words.glossaries).search(" ".join(chunk.section))
    return (
        (GLOSSARY if in_glossary and line.search(chunk.text) else 0)
        + (ENTRY if entry.search(chunk.text) else 0)
        + (EXPANDED if expanded.search(chunk.text) else 0)
        + (SENTENCE if sentence.search(chunk.text) else 0)
        + (INTRODUCED if introduced.search(chunk.text) else 0)
    )


@lru_cache(maxsize=64)
def _patterns(term: str, words: QuestionWords) -> tuple[re.Pattern[str], ...]:
    """Return the shapes: begins a line, an entry, in brackets, defined, introduced."""
    name = re.escape(term)
    article = f"(?:(?:{spelled(words.articles)})\\s+)?"
    shapes = (
        rf"^\W*{name}\b",
        rf"^\W*{name}\s*[|:\u2013\u2014.(-]",
        rf"\({name}s?\)",
        rf"\b{name}\s+(?:{spelled(words.defines)})\b",
        rf"\b(?:{spelled(words.introduces)})\s+{article}[\"\u201c]?{name}\b",
    )
    return tuple(re.compile(shape, re.IGNORECASE | re.MULTILINE) for shape in shapes)
