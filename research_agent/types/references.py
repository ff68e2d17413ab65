"""What one part of the documents says about another: links as written, and where they lead."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from research_agent.types import Chunk

LinkKind = Literal["link", "see", "schema", "part", "mention"]
"""A hyperlink; words such as "see Table 2"; an OpenAPI `$ref` or security requirement; the other
parts of something that was cut; a title, a heading or a defined term in running text."""

PRIORITY: tuple[LinkKind, ...] = ("schema", "part", "see", "link", "mention")
"""Kinds of references, those that a reader needs most first."""
SHOWN = 3
"""So many references that lead nowhere are named."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A reference as its document writes it, before anyone knows where it leads."""

    target: str
    """An anchor of the same document ("#install", "#/components/schemas/File", "table 2"), or a
    path relative to the document's own with an anchor behind it ("my%20guide.md#install"): the
    path is percent-encoded, so that its first "#" begins the anchor; the anchor is not."""
    kind: LinkKind
    text: str = field(default="", compare=False)
    """The words that carry it, to find its place in a block; empty where it has none."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A reference from one chunk to another."""

    source: str
    """Chunk id."""
    target: str
    """Chunk id."""
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class ChunkLinks:
    """What may lead to a chunk, and what leads away from it, as its document says."""

    anchors: tuple[str, ...] = ()
    """Names by which a link of the same document, or one with its path, may point here."""
    links: tuple[Link, ...] = ()
    """In reading order, each target once."""
    terms: tuple[str, ...] = ()
    """Terms that are defined here: where other texts use them, they mention this chunk."""


LinkedChunk = tuple[Chunk, ChunkLinks]


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
    """Return how many different references lead nowhere, with the names of the first ones.

    >>> unresolved(["#a", "#a"], [])
    Unresolved(dangling=1, dangling_names=('#a',), outside=0, outside_names=())
    """
    broken, gone = list(dict.fromkeys(dangling)), list(dict.fromkeys(outside))
    return Unresolved(
        dangling=len(broken),
        dangling_names=tuple(broken[:SHOWN]),
        outside=len(gone),
        outside_names=tuple(gone[:SHOWN]),
    )


def unresolved_words(found: Unresolved) -> tuple[str, ...]:
    """Return a phrase for the references that dangle, and one for those that lead outside.

    >>> unresolved_words(Unresolved(dangling=1, dangling_names=("#a",)))
    ('1 reference leads nowhere: #a',)
    >>> unresolved_words(Unresolved(outside=4, outside_names=("a.md", "b.md", "c.md")))
    ('4 references lead out of the index: a.md, b.md, c.md, …',)
    """
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
