"""Blocks below their headings, for readers of formats whose headings have levels."""

from collections.abc import Iterator, Sequence

from research_agent.types import ChunkKind
from research_agent.types.documents import Block
from research_agent.types.references import Link


class Sections:
    """The headings that hold, and the anchors and links that wait for the next block."""

    def __init__(self, path: Sequence[tuple[int, str]] = ()) -> None:
        """Begin below the headings of `path`, with their levels."""
        self.path = list(path)
        self.anchors: list[str] = []
        self.links: list[Link] = []

    @property
    def section(self) -> tuple[str, ...]:
        """The headings above the next block."""
        return tuple(heading for _, heading in self.path)

    def heading(self, text: str, level: int) -> Iterator[Block]:
        """Begin a section; its heading is a block in it."""
        self.path = [*(part for part in self.path if part[0] < level), (level, text)]
        yield from self.block(text)

    def block(self, text: str, kind: ChunkKind = "text") -> Iterator[Block]:
        """Yield a block, with what waited for it, where it has text."""
        if text.strip():
            anchors, links = tuple(dict.fromkeys(self.anchors)), tuple(self.links)
            self.anchors, self.links = [], []
            yield Block(text, section=self.section, kind=kind, anchors=anchors, links=links)
