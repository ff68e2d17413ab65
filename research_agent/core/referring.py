"""What chunks refer to, in words: for models that choose how far to expand, and for people."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.core.evidence import place
from research_agent.core.references import PRIORITY, Edge, LinkKind
from research_agent.core.types import Chunk

MOST = 12
"""References of one chunk that are told."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One chunk that another one refers to."""

    chunk_id: str
    kind: LinkKind
    place: str
    """Document, page and section, in words."""


def references_by_chunk(
    edges: Sequence[Edge], chunks: Sequence[Chunk]
) -> dict[str, tuple[Reference, ...]]:
    """Return the first `MOST` different references of each chunk that has some, by `PRIORITY`.

    `chunks` are the targets; an edge to a chunk that is not among them is left out.

    >>> edges = [Edge("a", "b", "see"), Edge("a", "c", "see")]
    >>> references_by_chunk(edges, [Chunk("b", "guide", "text", 4)])
    {'a': (Reference(chunk_id='b', kind='see', place='guide'),)}
    """
    places = {chunk.chunk_id: place(chunk) for chunk in chunks}
    found: defaultdict[str, dict[str, Reference]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda edge: PRIORITY.index(edge.kind)):
        if edge.target in places and len(found[edge.source]) < MOST:
            reference = Reference(edge.target, edge.kind, places[edge.target])
            found[edge.source].setdefault(edge.target, reference)
    return {source: tuple(known.values()) for source, known in found.items() if known}
