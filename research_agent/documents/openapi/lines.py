"""Lines of an API description -> blocks: each has the heading, and the parts know each other."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from research_agent.text.sentences import sentence_spans
from research_agent.types import ChunkKind
from research_agent.types.documents import Block
from research_agent.types.references import Link

LINE_CHARS = 600  # a longer line is cut between sentences
PART_CHARS = 1000  # length of a part of a list; that of a chunk by default
LONGEST_HEADING = 300  # a longer heading is cut: every part repeats it
PLACE_CHARS = 100  # characters of a line by which its references are found in a block


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text that can be understood without the one before, and what it refers to."""

    text: str
    links: tuple[Link, ...] = ()
    label: str = ""  # what the line is about: repeated where the line is so long that it is cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An operation, a schema, a security scheme or a tag."""

    heading: str
    lines: tuple[Line, ...]
    anchors: tuple[str, ...]
    section: tuple[str, ...]
    kind: ChunkKind
    links: tuple[Link, ...] = ()
    """Everything it refers to; what no line has is linked from the whole."""


def blocks_of(item: Item) -> tuple[Block, ...]:
    """Return an item as one block, which chunking cuts where it is too long; a list as parts.

    Each begins with the heading. The parts of a list are linked with the first and the next.
    """
    heading = textwrap.shorten(item.heading, LONGEST_HEADING, placeholder="\u2026")
    lines = [piece for line in item.lines for piece in _pieces(line)]
    groups = list(_groups(lines, PART_CHARS - len(heading) - 1)) if item.kind == "list" else [lines]
    shown = {link for line in lines for link in line.links}
    anchors = [item.anchors]
    anchors += [(f"part {n} of {item.anchors[0]}",) for n in range(2, len(groups) + 1)]
    blocks = []
    for number, group in enumerate(groups):
        links = [] if number else [link for link in item.links if link not in shown]
        links += (replace(a, text=one.text[:PLACE_CHARS]) for one in group for a in one.links)
        near = {0, number - 1, number + 1} & set(range(len(groups))) - {number}
        links += (Link(anchors[other][0], "part") for other in sorted(near))
        text = "\n".join([heading, *(line.text for line in group)])
        block = Block(text, section=item.section, kind=item.kind, anchors=anchors[number])
        blocks.append(replace(block, links=tuple(links)))
    return tuple(blocks)


def _groups(lines: Sequence[Line], room: int) -> Iterator[list[Line]]:
    """Yield runs of lines of at most `room` characters; one without lines where there are none."""
    group: list[Line] = []
    size = 0
    for line in lines:
        if group and size + len(line.text) + 1 > room:
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line.text) + 1
    yield group


def _pieces(line: Line) -> Iterator[Line]:
    if len(line.text) <= LINE_CHARS:
        yield line
        return
    label = f"{line.label} (continued): " if 0 < len(line.label) < LINE_CHARS // 4 else ""
    width = LINE_CHARS - len(label)
    text, links = "", line.links
    for low, high in sentence_spans(line.text):
        for sentence in textwrap.wrap(line.text[low:high], width):
            if text not in {"", label} and len(text) + 1 + len(sentence) > LINE_CHARS:
                yield Line(text, links, line.label)
                text, links = label, ()
            text = text + sentence if text in {"", label} else f"{text} {sentence}"
    yield Line(text, links, line.label)
