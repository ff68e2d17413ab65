"""What one part of the documents says about another: links, where they lead, and following them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Literal

from research_agent.types import Chunk, Hit
from research_agent.types.fusion import falling

LinkKind = Literal["link", "see", "schema", "part", "mention"]
"""A hyperlink; words such as "see Table 2"; an OpenAPI `$ref` or security requirement; the other
parts of something that was cut; a title, a heading or a defined term in running text."""

PRIORITY: tuple[LinkKind, ...] = ("schema", "part", "see", "link", "mention")
"""Kinds of references, those that a reader needs most first."""
FOLLOWED: frozenset[LinkKind] = frozenset({"schema", "part", "see", "link"})
"""Kinds of references that lead to what a chunk needs; a mention leads to what it is about."""
SHOWN = 3
"""References that lead nowhere are named, at most this many."""
EVERY = 3
"""At most one rank in this many is reserved for what hits refer to."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A reference as its document writes it, before anyone knows where it leads."""

    target: str
    """An anchor of the same document ("#install", "#/components/schemas/File", "table 2"), or a
    path relative to the document's own with an anchor behind it ("my%20guide.md#install"): the
    path is percent-encoded, so that its first "#" begins the anchor; the anchor is not."""
    kind: LinkKind
    text: str = field(default="", compare=False)
    """The words of the link, to find its place in a block; empty where it has none."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A reference from one chunk to another, by their ids."""

    source: str
    target: str
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class ChunkLinks:
    """Anchors of a chunk, and links from it, as its document writes them."""

    anchors: tuple[str, ...] = ()
    """Names by which a link of the same document, or one with its path, may point here."""
    links: tuple[Link, ...] = ()
    """In reading order, each target once."""
    terms: tuple[str, ...] = ()
    """Terms that are defined here: where other texts use them, they mention this chunk."""


LinkedChunk = tuple[Chunk, ChunkLinks]
"""A chunk, and what its document says about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """The references of one document that lead to no chunk."""

    dangling: int = 0
    """To an anchor that its document does not have."""
    dangling_names: tuple[str, ...] = ()
    """The first of them, as written."""
    outside: int = 0
    """To a file that is not in the index, or to another machine."""
    outside_names: tuple[str, ...] = ()


def unresolved(dangling: Iterable[str], outside: Iterable[str]) -> Unresolved:
    """Return how many different references lead nowhere, with the names of the first ones."""
    broken, gone = list(dict.fromkeys(dangling)), list(dict.fromkeys(outside))
    return Unresolved(
        dangling=len(broken),
        dangling_names=tuple(broken[:SHOWN]),
        outside=len(gone),
        outside_names=tuple(gone[:SHOWN]),
    )


def unresolved_words(found: Unresolved) -> tuple[str, ...]:
    """Return a phrase for the references that dangle, and one for those that lead outside."""
    kinds = (
        (found.dangling, "nowhere", found.dangling_names),
        (found.outside, "out of the index", found.outside_names),
    )
    return tuple(
        f"{count} reference{'s lead' if count > 1 else ' leads'} {where}: {', '.join(names)}"
        + (", \N{HORIZONTAL ELLIPSIS}" if count > len(names) else "")
        for count, where, names in kinds
        if count
    )


@dataclass(frozen=True, slots=True)
class Expansion:
    """The chunks requested and those that their references lead to, the nearest first."""

    found: Mapping[str, int] = field(default_factory=dict)
    """References between each chunk, by its id, and a requested one; 0 for those."""
    truncated: bool = False
    """A cap left something out."""

    @property
    def depths(self) -> Mapping[int, int]:
        """How many chunks there are of each depth."""
        return dict(sorted(Counter(self.found.values()).items()))


def expand(
    requested: Iterable[str],
    neighbours: Callable[[Sequence[str]], Sequence[Edge]],
    *,
    depth: int,
    max_total: int,
    excluded: Collection[str] = (),
) -> Expansion:
    """Return the `requested` chunks and what lies within `depth` references of any.

    Breadth first, each chunk once; `neighbours` gives the references from and to some chunks in
    reading order, and is asked once a depth. Chunks at one depth come by the kind of the reference
    (`PRIORITY`), then in reading order. What is `excluded` is not taken, not counted and not
    followed. No more than `max_total` chunks are taken, what was requested first.

    >>> edges = [Edge("a", "b", "see"), Edge("a", "c", "schema"), Edge("c", "a", "link")]
    >>> near = lambda ids: [edge for edge in edges if edge.source in ids]
    >>> expand(["a"], near, depth=3, max_total=9).found
    {'a': 0, 'c': 1, 'b': 1}
    """
    wanted = [chunk_id for chunk_id in dict.fromkeys(requested) if chunk_id not in excluded]
    frontier, truncated = wanted[:max_total], len(wanted) > max_total
    found = dict.fromkeys(frontier, 0)
    for step in range(1, depth + 1):
        followed = [
            edge
            for edge in (neighbours(tuple(frontier)) if frontier else ())
            if edge.kind in FOLLOWED and edge.source in frontier and edge.target not in excluded
        ]
        frontier = []
        for edge in sorted(followed, key=lambda edge: PRIORITY.index(edge.kind)):
            if edge.target not in found and len(found) < max_total:
                found[edge.target] = step
                frontier.append(edge.target)
            truncated |= edge.target not in found
    return Expansion(found, truncated)


def with_referred(
    hits: Sequence[Hit], brought: Mapping[str, Sequence[Chunk]], *, most: int
) -> tuple[Hit, ...]:
    """Return `hits` with at most `most` chunks of what they refer to among them.

    `brought` has these chunks by the id of the hit that refers to them, the nearest first; they
    are taken from all hits in turn. Each is inserted after its hit, so that of the first ranks,
    however many are read, at most one in `EVERY` is such a chunk; what is left over comes last.
    Scores fall along the result.

    >>> a, b, c, t, u = (Chunk(name, "d", name) for name in "abctu")
    >>> found = with_referred([Hit(a), Hit(b), Hit(c)], {"a": [t, u]}, most=9)
    >>> "".join(hit.chunk.text for hit in found)
    'abtcu'
    """
    known = {hit.chunk.chunk_id for hit in hits}
    sources = [hit.chunk.chunk_id for hit in hits if brought.get(hit.chunk.chunk_id)]
    chosen: dict[str, tuple[Chunk, str]] = {}
    for row in zip_longest(*(brought[source] for source in sources)):
        for chunk, source in zip(row, sources, strict=True):
            if chunk and chunk.chunk_id not in known:
                chosen.setdefault(chunk.chunk_id, (chunk, source))
    taken = list(chosen.values())[:most]
    waiting, placed, inserted = list[Chunk](), list[Hit](), 0
    for hit in hits:
        placed.append(hit)
        waiting += [chunk for chunk, source in taken if source == hit.chunk.chunk_id]
        while waiting and (inserted + 1) * EVERY <= len(placed) + 1:
            placed.append(Hit(waiting.pop(0), placed[-1].score))
            inserted += 1
    last = placed[-1].score if placed else 0.0
    everything = [*placed, *(Hit(chunk, last) for chunk in waiting)]
    scores = falling([hit.score for hit in everything])
    return tuple(replace(h, score=score) for h, score in zip(everything, scores, strict=True))
