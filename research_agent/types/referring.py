"""What chunks refer to, in words: for models that choose how far to expand, and for people."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from research_agent.text.tables import cells
from research_agent.types import Chunk
from research_agent.types.evidence import pages, place
from research_agent.types.expansion import FOLLOWED
from research_agent.types.references import PRIORITY, Edge, LinkKind

MOST = 12
"""References of one chunk that are told."""
MOST_COUNTED = 30
"""Further chunks up to which they are counted."""
SHOWN_NAMES, MAX_NAME = 3, 50
"""Names that are shown of what is one step away, and characters of one."""


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


@dataclass(frozen=True, slots=True)
class Reach:
    """What following the references of a chunk would bring that is not there yet."""

    names: tuple[str, ...] = ()
    """Of the chunks one step away."""
    counts: Mapping[int, int] = field(default_factory=dict)
    """Chunks within so many steps, by ascending steps; `MOST_COUNTED` stands for more, too."""

    @property
    def steps(self) -> tuple[int, ...]:
        """The numbers of steps that bring more than the smaller ones."""
        before = [0, *self.counts.values()]
        return tuple(
            n for n, less in zip(self.counts, before, strict=False) if self.counts[n] > less
        )

    @property
    def told(self) -> str:
        """What a model is told: names one step away, and numbers of chunks further on.

        >>> Reach(("Table 2 (page 7)", "Lock"), {1: 2, 3: 5, 5: 5}).told
        '1 step: Table 2 (page 7), Lock; 3 steps: 5 chunks'
        """
        parts = []
        for number in self.steps:
            shown = ", ".join(self.names[:SHOWN_NAMES])
            more = self.counts[number] - len(self.names[:SHOWN_NAMES])
            if number == 1 and self.names:
                parts.append(f"1 step: {shown}{f' and {more} more' if more > 0 else ''}")
            else:
                many = " or more" if self.counts[number] >= MOST_COUNTED else ""
                parts.append(f"{number} steps: {self.counts[number]} chunks{many}")
        return "; ".join(parts)


def name_of(chunk: Chunk) -> str:
    r"""Return what a chunk is called: a table by its caption, others by their heading; its page.

    >>> name_of(Chunk("x", "guide", "Table 2. Sizes\na | b", 7, 7, kind="table"))
    'Table 2. Sizes (page 7)'
    >>> name_of(Chunk("x", "guide", "Rye.", section=("Bread", "Rye")))
    'Rye'
    """
    caption = chunk.text.strip().partition("\n")[0] if chunk.kind == "table" else ""
    named = "" if cells(caption) else caption
    name = named or next(iter(chunk.section[-1:]), "") or chunk.title or chunk.doc_id
    short = " ".join(name[:MAX_NAME].split())
    return f"{short} (page {chunk.start_page})" if pages(chunk) else short


def dangling(references: Mapping[str, Sequence[Reference]], there: Collection[str]) -> int:
    """Return how many references lead to a chunk that is not `there`; mentions are none.

    >>> dangling({"a": [Reference("b", "see", ""), Reference("c", "mention", "")]}, ["a"])
    1
    """
    known = set(there)
    return sum(
        one.kind in FOLLOWED and one.chunk_id not in known
        for found in references.values()
        for one in found
    )
