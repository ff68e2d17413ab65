"""What one part of the documents says about another: links as written, and where they lead."""

from dataclasses import dataclass
from typing import Literal

LinkKind = Literal["link", "see", "schema", "part", "mention"]
"""A hyperlink; words such as "see Table 2"; an OpenAPI `$ref` or security requirement; the other
parts of something that was cut; a title, a heading or a defined term in running text."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A reference as its document writes it, before anyone knows where it leads."""

    target: str
    """An anchor of the same document ("#install", "#/components/schemas/File", "Table 2"), or a
    path relative to the document's own with an anchor behind it ("guide.md#install")."""
    kind: LinkKind


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A reference from one chunk to another."""

    source: str
    """Chunk id."""
    target: str
    """Chunk id."""
    kind: LinkKind
