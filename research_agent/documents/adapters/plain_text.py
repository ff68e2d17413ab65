"""Plain text and reStructuredText: paragraphs, lists and underlined headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from textwrap import dedent

from research_agent.documents.labels import own_links
from research_agent.documents.rst_parts import parts
from research_agent.documents.sections import Sections
from research_agent.text.addresses import local_target
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

TITLE_CHARS = 120  # a longer first line is no title

TEXT_ENDINGS = frozenset({".txt", ".text", ".rst", ".log"})

_ITEM = re.compile(r"\s*(?:[-*+\u2022]|\(?\d{1,3}[.)])\s+\S")
_UNDERLINE = re.compile(r"([=~^*#\"'`+-])\1{2,}\s*")
_COLUMNS = re.compile(r"\S {2,}\S.* {2,}\S")
"""The head of a table that is drawn with spaces; a rule below it makes no heading of it."""
_LABEL = re.compile(r"\s*\.\. _(?![_ ])`?((?:(?!: )[^`])+)`?:")
_ROLE = re.compile(r":(?:std:)?(ref|numref|doc):`([^`<>]+)(?:<([^`<>]+)>)?`")


def parse_text(text: str) -> ParsedDocument:
    r"""Return the paragraphs of a text; a form feed starts a page, underlined lines are headings.

    >>> [(b.text, b.page) for b in parse_text("one\n\ntwo\f- three").blocks]
    [('one', 1), ('two', 1), ('- three', 2)]
    """
    walk, pages = _Walk(), text.split("\f")
    blocks = [
        replace(block, page=page)
        for page, content in enumerate(pages, start=1)
        for lines in _paragraphs(content)
        for block in walk.paragraph(lines)
    ]
    title = blocks[0].section[0] if blocks and blocks[0].section else ""
    labels = ("",) * len(pages) if len(pages) > 1 else ()
    return ParsedDocument(tuple(blocks), title=title, page_labels=labels)


def parse_rst(text: str) -> ParsedDocument:
    r"""Return the document in a text as Sphinx reads it; its title is its first section's.

    >>> document = parse_rst(".. _use:\n\nUse\n===\n\nSee :ref:`here <Use>`.")
    >>> [(block.text, block.anchors) for block in document.blocks]
    [('Use', ('#use',)), ('See :ref:`here <Use>`.', ())]
    >>> document.title, document.blocks[1].links[0].target
    ('Use', '#use')
    """
    blocks = own_links(tuple(_RstWalk().blocks(text.replace("\f", "\n"))))
    title = next((block.section[0] for block in blocks if block.section), "")
    return ParsedDocument(blocks, title=title)


class _Walk(Sections):
    def __init__(self) -> None:
        super().__init__()
        self._marks: list[str] = []
        """Of the headings that hold: how each is underlined."""

    def paragraph(self, lines: list[str]) -> Iterator[Block]:
        """Yield the headings that a paragraph begins with, and its items."""
        while underlined := _heading(lines):
            heading, mark = underlined
            above = self._marks[: self._marks.index(mark)] if mark in self._marks else self._marks
            self._marks = [*above, mark]
            yield from self.heading(heading, len(self._marks))
            del lines[: len(mark) + 1]
        for item in _items(lines):
            yield from self.block("\n".join(item), "list" if _ITEM.match(item[0]) else "text")


class _RstWalk(_Walk):
    def blocks(self, text: str) -> Iterator[Block]:
        """Yield the blocks in order; labels are anchors of what follows them."""
        for lines, sort in parts(text):
            if sort != "text":
                yield from self.block("\n".join(lines), sort)
                continue
            while lines and (label := _LABEL.fullmatch(lines[0])):
                self.anchors.append(_anchor(label[1]))
                del lines[0]
            yield from self.paragraph(lines)

    def block(self, text: str, kind: ChunkKind = "text") -> Iterator[Block]:
        """Yield a block with what its roles refer to."""
        for role, words, named in _ROLE.findall(text) if kind != "code" else ():
            name = named or words
            if target := local_target(name) if role == "doc" else _anchor(name):
                self.links.append(Link(target, "link", words.strip()))
        yield from super().block(text, kind)


def _anchor(name: str) -> str:
    return f"#{' '.join(name.lower().split())}"


def _paragraphs(text: str) -> Iterator[list[str]]:
    for filled, lines in groupby(text.split("\n"), key=lambda line: bool(line.strip())):
        if filled:
            yield [line.rstrip() for line in lines]


def _heading(lines: Sequence[str]) -> tuple[str, str] | None:
    """Return a heading and its mark: the sign of its underline, twice where it has an overline."""
    framed = lines[2:] and lines[0].strip() == lines[2].strip()
    over = bool(framed and _UNDERLINE.fullmatch(lines[0]))
    named = lines[over:]
    if not named[1:] or not _UNDERLINE.fullmatch(named[1]) or len(named[0]) > TITLE_CHARS:
        return None
    sign = named[1].strip()[0]
    is_name = any(map(str.isalnum, named[0])) and not _COLUMNS.search(named[0])
    return (named[0].strip(), sign * (1 + over)) if is_name else None


def _items(lines: Sequence[str]) -> list[list[str]]:
    """Return the lines of each item, without the indent that all lines have."""
    items: list[list[str]] = []
    for line in dedent("\n".join(lines)).split("\n") if lines else ():
        if not items or _ITEM.match(line):
            items.append([])
        items[-1].append(line)
    return items
