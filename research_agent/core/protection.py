"""Chunks that no measurement may take away: those that plainly hold what a question asks for."""

import re
from collections.abc import Sequence
from typing import Literal

from research_agent.core.support import is_named, names, numbers
from research_agent.core.types import Chunk
from research_agent.core.words import fold

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
    sources = [f"{chunk.doc_id} {' '.join(chunk.section)} {chunk.text}" for chunk in chunks]
    held = [numbers(source) for source in sources]
    quoted = [_plain(span) for span in QUOTED.findall(question)]
    rare_names = [
        [is_named(name, source) for source in sources] for name in sorted(names(question))
    ]
    rare_numbers = [[number in own for own in held] for number in sorted(numbers(question))]
    return tuple(
        _protection(
            chunk,
            quoted=any(span in _plain(source) for span in quoted),
            named=any(where[at] for where in rare_names if _is_rare(where)),
            numbered=any(where[at] for where in rare_numbers if _is_rare(where)),
        )
        for at, (chunk, source) in enumerate(zip(chunks, sources, strict=True))
    )


def _protection(chunk: Chunk, *, quoted: bool, named: bool, numbered: bool) -> Protection:
    if chunk.kind == "table":
        return "table"
    if quoted:
        return "quotation"
    if named:
        return "identifier"
    return "number" if numbered else ""


def _is_rare(where: Sequence[bool]) -> bool:
    """Return whether no more than half of the chunks have something."""
    return sum(where) * 2 <= len(where)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())
