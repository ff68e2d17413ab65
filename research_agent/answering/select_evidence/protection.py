"""Chunks that no measurement may take away: those that plainly hold what a question asks for."""

import re
from collections.abc import Sequence
from typing import Literal

from research_agent.text.content_words import is_named
from research_agent.text.identifiers import is_value
from research_agent.text.words import fold, word_spans
from research_agent.types import Chunk
from research_agent.types.evidence import source_of

Protection = Literal["", "table", "quotation", "identifier", "number"]
QUOTED = re.compile(
    '["\u201c\u201e\u00ab\u300c\u300e]([^"\u201c\u201d\u00bb\u300d\u300f]{2,200})'
    '["\u201c\u201d\u00bb\u300d\u300f]'
)


def protections(question: str, chunks: Sequence[Chunk]) -> tuple[Protection, ...]:
    """Return for each chunk what protects it, "" for nothing.

    A table is always protected: models measure cells badly, and answers are lost with them. So is
    a chunk with a span that the question quotes. One with a name or a number of the question is
    where no more than half of the chunks have it: what all have tells none from the others.

    >>> texts = ("ML-KEM-768 has 1184 bytes.", "A KEM has keys.", "A key is made at random.")
    >>> chunks = [Chunk(text, "d", text) for text in texts]
    >>> protections("How long is the ML-KEM-768 key?", chunks)
    ('identifier', '', '')
    """
    sources = [source_of(chunk) for chunk in chunks]
    quoted = [_plain(span) for span in QUOTED.findall(question)]
    held = {value: [is_named(value, source) for source in sources] for value in _values(question)}
    rare = {value: where for value, where in held.items() if sum(where) * 2 <= len(where)}
    return tuple(
        _protection(
            chunk,
            quoted=any(span in _plain(source) for span in quoted),
            values=[value for value, where in rare.items() if where[at]],
        )
        for at, (chunk, source) in enumerate(zip(chunks, sources, strict=True))
    )


def _protection(chunk: Chunk, *, quoted: bool, values: Sequence[str]) -> Protection:
    if chunk.kind == "table":
        return "table"
    if quoted:
        return "quotation"
    if any(any(map(str.isalpha, value)) for value in values):
        return "identifier"
    return "number" if values else ""


def _values(question: str) -> list[str]:
    """Return the words with a digit, or with a capital behind their first letter."""
    words = (question[start:end] for start, end in word_spans(question))
    return list(filter(is_value, words))


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
