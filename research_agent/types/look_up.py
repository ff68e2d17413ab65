"""Which chunks are the algorithm, the piece of code or the table that a question names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.text.pseudocode import algorithm
from research_agent.text.words import fold, query_words
from research_agent.types import Chunk, ChunkKind

MOST = 10
"""Chunks of a ranking at most."""
LABEL, WHOLE, BEGINS = 4, 2, 1
"""What a heading counts for the label, for a name as it is, for a longer word that begins so."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """An algorithm or a table that a question asks for."""

    kinds: tuple[ChunkKind, ...]
    label: str = ""
    """Such as "Algorithm 7"; empty where the question has no number."""
    names: tuple[str, ...] = ()
    """What it may be called: the names and identifiers of the question."""

    @property
    def query(self) -> str:
        """The words that it is searched by."""
        return self.label or " ".join(self.names)


def by_heading(wanted: LookUp, chunks: Sequence[Chunk], question: str) -> tuple[Chunk, ...]:
    r"""Return those of `chunks` whose heading has the label or a name, the surest first.

    Where there is no label one name has to be in the heading as it is. Running text counts as
    an algorithm where it has the label at the beginning of a line and numbered steps below. Of
    several chunks that are as sure, those come first whose document and headings hold more words
    of the question; else they stay in their order.

    >>> found = [Chunk("a", "d", "Sum is fast."), Chunk("b", "d", "Algorithm 2 Sum(x)\n1: add",
    ...          kind="algorithm")]
    >>> wanted = LookUp(("algorithm",), names=("Sum",))
    >>> [chunk.chunk_id for chunk in by_heading(wanted, found, "Show me the Sum algorithm")]
    ['b']
    """
    words = frozenset(query_words(question))

    def sureness(chunk: Chunk) -> tuple[int, int]:
        sure = (_named if chunk.kind in wanted.kinds else _steps)(wanted, chunk)
        place = "\n".join((chunk.doc_id, chunk.title, *chunk.section, _heading(chunk)))
        return sure, len(words & frozenset(query_words(place))) if sure else 0

    order = sorted(((sureness(c), c) for c in chunks), key=lambda pair: pair[0], reverse=True)
    return tuple(chunk for (sure, _), chunk in order if sure)[:MOST]


def _named(wanted: LookUp, chunk: Chunk) -> int:
    """Return how much of what is wanted is in the heading of a chunk; 0 for too little."""
    heading = fold(_heading(chunk))
    label = LABEL if wanted.label and _held(wanted.label, heading) == WHOLE else 0
    names = [_held(name, heading) for name in wanted.names]
    return label + sum(names) if label or WHOLE in names else 0


def _steps(wanted: LookUp, chunk: Chunk) -> int:
    """Return what it counts that a text has the steps of the algorithm with that label."""
    word, _, number = wanted.label.rpartition(" ")
    listed = "algorithm" in wanted.kinds and word and algorithm(chunk.text, number, word=word)
    return LABEL if listed else 0


def _heading(chunk: Chunk) -> str:
    """Return the heading above a chunk, and its first line, which may be its caption."""
    return "\n".join((*chunk.section[-1:], chunk.text.partition("\n")[0]))


def _held(name: str, heading: str) -> int:
    """Return how a heading holds a name: as it is, as the beginning of a longer one, or not."""
    begins = rf"(?<!\w){re.escape(fold(name))}"
    if re.search(rf"{begins}(?![\w.-]*\w)", heading):
        return WHOLE
    return BEGINS if re.search(begins, heading) else 0
