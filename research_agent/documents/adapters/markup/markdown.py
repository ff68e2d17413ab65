"""Markdown, read with markdown-it: headings become the section path."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from research_agent.documents.adapters.markup.html import Walk as HtmlWalk
from research_agent.documents.adapters.markup.html import parse_fragment
from research_agent.documents.sections import Sections
from research_agent.text.addresses import local_target
from research_agent.text.dates import iso_date
from research_agent.text.indices import CLOSE, OPEN, written
from research_agent.text.tables import table_text
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

_FRONT = re.compile(
    r"\A(?:---[ \t]*\n(?=\s*[\w.-]+[ \t]*:\s)|\+\+\+[ \t]*\n)"
    r"(.*?)\n(?:---|\.\.\.|\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_FIELD = re.compile(r"^(title|date)[ \t]*[:=][ \t]*(\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_HEADING = re.compile("h[1-6]")
_WORDS = frozenset({"text", "code_inline"})
_SIGNS = {
    "s_open": "~~",
    "s_close": "~~",
    "math_inline": "${}$",
    "math_inline_double": "$${}$$",
}
"""What stays as it is written."""
_ANCHOR = re.compile(r"<[^<>]*?\s(?:id|name)\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_HREF = re.compile(r"<a\s[^<>]*?href\s*=\s*[\"']([^\"'<>]+)", re.IGNORECASE)
_INLINE_TAG = re.compile(r"<(/?(?:sup|sub)|br)\b", re.IGNORECASE)
_MEANS = {"sup": f"{OPEN}^", "sub": f"{OPEN}_", "/sup": CLOSE, "/sub": CLOSE, "br": "\n"}
"""What tags within a line stand for; others are dropped."""
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{:?\s*(?=[#.])(?:#([\w:.-]+))?(?:\s*\.[\w-]+)*\s*\}$")
"""What Pandoc and others write behind a heading: its anchor and classes."""
_TABLE = re.compile(r"<(/?)table\b", re.IGNORECASE)


def parse_markdown(text: str) -> ParsedDocument:
    r"""Return the document in a Markdown text; its title is the front matter's, else the first h1.

    Headings have the anchors that GitHub gives them.

    >>> document = parse_markdown("# Guide\n\nUse `k`, see [here](x).\n\n- one\n- two")
    >>> document.title, [block.text for block in document.blocks]
    ('Guide', ['Guide', 'Use k, see here.', '- one', '- two'])
    >>> document.blocks[0].anchors, document.blocks[1].links
    (('#guide',), (Link(target='x', kind='link', text='here'),))
    """
    fields, body = _front_matter(text)
    blocks = markdown_blocks(body)
    first = next((b.section[0] for b in blocks if len(b.section) == 1), "")
    title, date = fields.get("title", first), iso_date(fields.get("date", ""))
    return ParsedDocument(blocks, title=title, date=date)


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text that has no front matter."""
    return tuple(Walk().blocks(tokens(text)))


def tokens(text: str) -> Sequence[Token]:
    """Return the tokens of a Markdown text."""
    return [*_whole_tables(_parser().parse(text))]


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False)
    parser.use(amsmath_plugin)
    parser.block.ruler.at("reference", _reference)
    return parser


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (markdown-it calls it so)
    """Read the target of a link; a footnote is none."""
    begin = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", begin) and reference(state, start, end, silent)


def _whole_tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens; a table in HTML is one, also with empty lines and Markdown within."""
    held: list[Token] = []
    depth = 0
    for token in tokens:
        if token.type == "html_block":
            depth += sum(-1 if end else 1 for end in _TABLE.findall(token.content))
        if depth > 0 or held:
            held.append(token)
            if depth <= 0:
                html = _parser().renderer.render(held, _parser().options, {})
                yield Token("html_block", "", 0, content=html)
                held = []
        else:
            yield token
        depth = max(depth, 0)
    yield from held


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    match = _FRONT.match(text)
    if not match:
        return {}, text
    pairs = _FIELD.findall(match[1])
    return {key.lower(): value.strip("\"'") for key, value in pairs}, text[match.end() :]


class Walk(Sections):
    """Goes through the tokens of a text."""

    def __init__(self, path: Sequence[tuple[int, str]] = ()) -> None:
        """Begin below the headings of `path`, with their levels."""
        super().__init__(path)
        self._numbers: list[int] = []
        """Of the lists around the text: the least number of the next item; all may be written 1."""
        self._marks: list[str] = []
        self._quoted: list[list[tuple[int, str]]] = []
        """The headings above the quotations around the text."""
        self._row: list[str] = []
        self._table: list[list[str]] = []
        self._slugs: Counter[str] = Counter()

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """Yield the blocks in order; a heading starts its section and is a block in it."""
        parent = ""
        for token in tokens:
            match token.type:
                case "inline":
                    yield from self._inline(token, parent)
                case "fence" | "code_block":
                    yield from self.block(token.content.rstrip(), "code")
                case "html_block":
                    yield from self._html(token.content)
                case "math_block" | "amsmath":
                    signs = "$$\n{}\n$$" if token.type == "math_block" else "{}"
                    yield from self.block(signs.format(token.content.strip()), "text")
                case "table_close":
                    yield from self.block(table_text(self._table, headed=True), "table")
                    self._table = []
                case _:
                    self._note(token)
            parent = token.tag if token.nesting == 1 else parent

    def _note(self, token: Token) -> None:
        if token.type == "list_item_open":
            number = max(int(token.info or 0), self._numbers[-1])
            self._numbers[-1] = number + 1
            self._marks.append(f"{number if token.info else ''}{token.markup}")
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            self._numbers.append(0)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._numbers.pop()
        elif token.type == "list_item_close":
            self._marks.pop()
        elif token.type == "blockquote_open":
            self._quoted.append(self.path)
        elif token.type == "blockquote_close":  # (its headings end with it)
            self.path = self._quoted.pop()
        elif token.type == "tr_close":
            self._table.append(self._row)
            self._row = []

    def _inline(self, token: Token, parent: str) -> Iterator[Block]:
        content = _plain(token)
        self.links += _links(token.children or ())
        for child in token.children or ():
            if child.type == "html_inline":
                self._note_html(child.content)
        if parent in ("th", "td"):
            self._row.append(content)
        elif _HEADING.fullmatch(parent) and content:
            yield from self._heading(content, int(parent[1]))
        elif content and self._marks:  # the mark precedes the item's first paragraph
            mark, self._marks[-1] = self._marks[-1] or " ", ""
            indent = "  " * (len(self._marks) - 1)
            yield from self.block(f"{indent}{mark} {content}", "list")
        else:
            yield from self.block(content, "text")

    def _heading(self, content: str, level: int) -> Iterator[Block]:
        heading = " ".join(_ATTRIBUTES.sub("", content).split())
        self.anchors.append(f"#{self._slug(heading)}")
        if (own := _ATTRIBUTES.search(content)) and own[1]:
            self.anchors.append(f"#{own[1]}")
        yield from self.heading(heading, level)

    def _slug(self, heading: str) -> str:
        """Return the name that GitHub gives a heading: each one another."""
        name = slug = _slug(heading)
        while name in self._slugs:
            name = f"{slug}-{self._slugs[slug]}"
            self._slugs[slug] += 1
        self._slugs[name] += 1
        return name

    def _html(self, text: str) -> Iterator[Block]:
        walk = HtmlWalk()
        walk.path, walk.anchors, walk.links = self.path, self.anchors, self.links
        if element := parse_fragment(text):
            for block in walk.blocks(element):
                is_heading, self.path = walk.path is not self.path, walk.path
                slugs = (f"#{self._slug(block.text)}",) if is_heading else ()
                yield replace(block, anchors=(*block.anchors, *slugs))
        self.anchors, self.links = walk.anchors, walk.links

    def _note_html(self, html: str) -> None:
        self.anchors += [f"#{name}" for name in _ANCHOR.findall(html)]
        targets = (local_target(href) for href in _HREF.findall(html))
        self.links += [Link(target, "link") for target in targets if target]


def _slug(heading: str) -> str:
    kept = (char for char in heading.strip().lower() if char.isalnum() or char in " -_")
    return "".join(kept).replace(" ", "-")


def _plain(inline: Token) -> str:
    parts = []
    for child in inline.children or ():
        if child.type in _WORDS:
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type in _SIGNS:
            parts.append(_SIGNS[child.type].format(child.content))
        elif child.type == "image":
            parts.append(_plain(child))
        elif child.type == "html_inline" and (tag := _INLINE_TAG.match(child.content)):
            parts.append(_MEANS[tag[1].lower()])
    return written("".join(parts)).strip()


def _links(children: Sequence[Token]) -> Iterator[Link]:
    target, words = "", ""
    for child in children:
        if child.type == "link_open":
            target, words = local_target(str(child.attrGet("href") or "")), ""
        elif child.type in _WORDS:
            words += child.content
        elif child.type == "link_close" and target:
            yield Link(target, "link", words)
            target = ""
