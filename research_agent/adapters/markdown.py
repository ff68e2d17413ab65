"""Markdown, read with markdown-it: headings become the section path, marks are taken off."""

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from research_agent.core.documents import Block, ParsedDocument
from research_agent.core.types import ChunkKind

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|date)[ \t]*:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_DAY = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?!\d)")
_HEADING = re.compile("h[1-6]")
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)


def parse_markdown(text: str) -> ParsedDocument:
    r"""Return the document in a Markdown text, tables and front matter included.

    The title is the front matter's, else the first heading of the first level.

    >>> document = parse_markdown("# Guide\n\nUse `k`, see [here](x).\n\n- one\n- two")
    >>> document.title, [block.text for block in document.blocks]
    ('Guide', ['Guide', 'Use k, see here.', '- one', '- two'])
    """
    fields, body = _front_matter(text)
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    blocks = tuple(_Walk().blocks(parser.parse(body)))
    first = next((b.section[0] for b in blocks if len(b.section) == 1), "")
    day = _DAY.match(fields.get("date", ""))
    return ParsedDocument(blocks, title=fields.get("title", first), date=day[0] if day else "")


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the title and date that stand above the text, and the text without them."""
    match = _FRONT.match(text)
    if not match:
        return {}, text
    pairs = _FIELD.findall(match[1])
    return {key.lower(): value.strip("\"'") for key, value in pairs}, text[match.end() :]


class _Walk:
    """One pass over the tokens: the open headings, list items and table."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._marks: list[str] = []
        self._row: list[str] = []
        self._table: list[str] = []

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """Yield the blocks in order; a heading starts its section and is a block in it."""
        parent = ""
        for token in tokens:
            match token.type:
                case "inline":
                    yield from self._inline(token, parent)
                case "fence" | "code_block":
                    yield from self._block(token.content.rstrip(), "code")
                case "html_block":
                    plain = _TAG.sub(" ", token.content)
                    yield from self._block(" ".join(plain.split()), "text")
                case "table_close":
                    yield from self._block("\n".join(self._table), "table")
                    self._table = []
                case _:
                    self._note(token)
            parent = token.tag if token.nesting == 1 else parent

    def _inline(self, token: Token, parent: str) -> Iterator[Block]:
        content = _plain(token)
        if parent in ("th", "td"):
            self._row.append(content.replace("\n", " "))
        elif _HEADING.fullmatch(parent) and content:
            level = int(parent[1])
            self._path = [*(part for part in self._path if part[0] < level), (level, content)]
            yield from self._block(content, "text")
        elif content and self._marks:
            yield from self._block(self._item(content), "list")
        else:
            yield from self._block(content, "text")

    def _note(self, token: Token) -> None:
        """Keep the marks of the open list items, and the rows of the open table."""
        if token.type == "list_item_open":
            self._marks.append(f"{token.info}{token.markup}")
        elif token.type == "list_item_close":
            self._marks.pop()
        elif token.type == "tr_close":
            self._table.append(" | ".join(self._row))
            self._row = []

    def _item(self, content: str) -> str:
        """Return a list item's text, with its mark in front of its first paragraph."""
        mark, self._marks[-1] = self._marks[-1], ""
        indent = "  " * (len(self._marks) - 1)
        return f"{indent}{mark or ' '} {content}"

    def _block(self, text: str, kind: ChunkKind) -> Iterator[Block]:
        if text.strip():
            yield Block(text, section=tuple(heading for _, heading in self._path), kind=kind)


def _plain(inline: Token) -> str:
    """Return what a reader sees of a line: no marks, no addresses, no tags."""
    parts = []
    for child in inline.children or ():
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type == "image":
            parts.append(_plain(child))
    return "".join(parts).strip()
