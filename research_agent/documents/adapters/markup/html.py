"""HTML, read with lexbor (selectolax): what a reader sees, without the page's navigation."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_agent.documents.adapters.markup.html_formulas import formula_text
from research_agent.documents.adapters.markup.html_shown import (
    BLOCKS,
    DEPTH,
    MARKED,
    as_marked,
    box,
    code,
    is_hidden,
    is_mark,
    line,
    visible,
)
from research_agent.documents.adapters.markup.html_tables import (
    is_caption,
    is_layout,
    is_line_numbers,
    table_of,
)
from research_agent.documents.adapters.markup.page_head import HEAD, stated_date
from research_agent.documents.list_numbers import shown_number
from research_agent.documents.sections import Sections
from research_agent.text.addresses import local_target
from research_agent.text.indices import written
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

_EMPTY = re.compile(
    r"<(?!(?:a|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"(([a-z][\w:-]*)(?:\s[^<>]*)?)/>",
    re.IGNORECASE,
)
"""Elements of XML that have nothing in them; in HTML such a title goes on to the page's end."""
_LISTS = frozenset(["dir", "menu", "ol", "ul"])
_ROOTS = frozenset(["aside", "blockquote", "details", "fieldset", "figure"])
"""Elements whose headings are no headings of the text after them (HTML Standard)."""
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
"""Types of ordered lists."""
_WHOLE_NUMBER = re.compile(r"\s*(-?\d{1,9})(?!\d)")
_WHOLE = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "pre", "table"])
"""Elements whose text is taken at once."""
_ROWS = re.compile(r"\s*</?(?:tbody|td|tfoot|th|thead|tr)\b", re.IGNORECASE)


def parse_html(text: str) -> ParsedDocument:
    r"""Return the document in an HTML text; its title is the head's, else the first h1.

    Headings become the section path; scripts, navigation and hidden elements are left out.

    >>> page = parse_html("<title>T</title><nav>x</nav><h2>A</h2><p>one<br>two</p><li>three")
    >>> page.title, [(b.text, b.section, b.kind) for b in page.blocks][1:]
    ('T', [('one\ntwo', ('A',), 'text'), ('- three', ('A',), 'list')])
    >>> block, = parse_html("<p id=a>see <a href='b.html#c'>b</a>").blocks
    >>> block.anchors, block.links
    (('#a',), (Link(target='b.html#c', kind='link', text='b'),))
    """
    if "<?xml" in text[:HEAD] or "http://www.w3.org/1999/xhtml" in text[:HEAD]:
        text = _EMPTY.sub(r"<\1></\2>", text)
    tree = LexborHTMLParser(text)
    blocks = tuple(Walk().blocks(tree.body)) if tree.body else ()
    head = tree.css_first("title:not(svg title)")
    title = " ".join(head.text().split()) if head else ""
    heading = tree.css_first("h1")
    if not title and heading:
        title = " ".join(heading.text().split())
    return ParsedDocument(blocks, title=title, date=stated_date(tree))


class _Numbers:
    """Counts the items of an ordered list as a browser does."""

    def __init__(self, ol: LexborNode) -> None:
        attributes = ol.attributes
        first = _whole_number(attributes.get("start"))
        self._step = -1 if "reversed" in attributes else 1
        if first is None and self._step < 0:
            first = sum(child.tag == "li" for child in ol.iter())
        self._next = 1 if first is None else first
        self._form = _FORMS.get(attributes.get("type") or "", "decimal")

    def next(self, li: LexborNode) -> str:
        """Return the number of the next item, with a full stop."""
        own = _whole_number(li.attributes.get("value"))
        number = self._next if own is None else own
        self._next = number + self._step
        return f"{shown_number(number, self._form)}."


def _whole_number(text: str | None) -> int | None:
    match = _WHOLE_NUMBER.match(text or "")
    return int(match[1]) if match else None


def parse_fragment(html: str) -> LexborNode | None:
    """Return the element around a piece of a page's text, as Markdown holds them."""
    around = "<main><table>" if _ROWS.match(html) else "<main>"
    return LexborHTMLParser(f"{around}{html}").body


class Walk(Sections):
    """Goes through the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self._lists: list[_Numbers | None] = []
        """Of the lists around the text; None for one without numbers."""
        self._sign = " "
        """Of the next block of a list: an item's first one has its number or `-`."""
        self._text: list[str] = []

    def blocks(self, node: LexborNode, kind: ChunkKind = "text", depth: int = 0) -> Iterator[Block]:
        """Yield the blocks below `node`, in order."""
        child = node.first_child
        while child is not None:
            if child.is_text_node:
                self._text.append(re.sub(r"\s+", " ", child.text_content or ""))
            elif sign := "\n" if child.tag == "br" else box(child):
                self._text.append(sign)
            elif child.is_element_node and not is_hidden(child):
                if is_mark(child):
                    self._note(child, "")
                else:
                    yield from self._element(child, kind, depth)
            child = child.next
        if node.tag in BLOCKS:
            yield from self._flush(kind)

    def _element(self, node: LexborNode, kind: ChunkKind, depth: int) -> Iterator[Block]:
        tag = node.tag or ""
        if depth < DEPTH and tag in BLOCKS:
            yield from self._flush(kind)
        if tag == "figcaption" and is_caption(node):
            return
        whole = tag in _WHOLE and not (tag == "table" and is_layout(node))
        self._note(node, "*" if depth >= DEPTH or whole or tag in MARKED else "")
        if depth >= DEPTH:
            self._text.append(f" {node.text(separator=' ')} ")
        elif tag in MARKED:
            self._text.append(as_marked(tag, visible(node, depth)))
        elif tag == "math":
            self._text.append(formula_text(node))
        elif tag not in BLOCKS:
            yield from self.blocks(node, kind, depth + 1)
        elif whole:
            yield from self._whole(node, tag)
        else:
            yield from self._below(node, kind, depth)

    def _below(self, node: LexborNode, kind: ChunkKind, depth: int) -> Iterator[Block]:
        """Yield the blocks below an element that begins a line."""
        if node.tag in _LISTS:
            self._lists.append(_Numbers(node) if node.tag == "ol" else None)
        elif node.tag == "li":
            numbers = self._lists[-1] if self._lists else None
            self._sign = numbers.next(node) if numbers else "-"
        path = self.path
        item = node.tag == "li" or (kind == "list" and node.tag in ("p", "div"))
        yield from self.blocks(node, "list" if item else "text", depth + 1)
        if node.tag in _LISTS:
            self._lists.pop()
        elif node.tag in _ROOTS:
            self.path = path

    def _whole(self, node: LexborNode, tag: str) -> Iterator[Block]:
        if tag == "pre":
            yield from self.block("" if is_line_numbers(node) else code(node), "code")
        elif tag == "table":
            yield from self.block(table_of(node), "table")
        elif heading := line(node):
            yield from self.heading(heading, int(tag[1]))

    def _flush(self, kind: ChunkKind) -> Iterator[Block]:
        lines = (" ".join(line.split()) for line in written("".join(self._text)).split("\n"))
        self._text = []
        if text := "\n".join(filter(None, lines)):
            indent = "  " * (len(self._lists) - 1)
            yield from self.block(f"{indent}{self._sign} {text}" if kind == "list" else text, kind)
            self._sign = " "

    def _note(self, node: LexborNode, below: str) -> None:
        for element in (node, *(node.css(below) if below else ())):
            attributes = element.attributes
            names = [attributes.get("id"), attributes.get("name") if element.tag == "a" else None]
            self.anchors += [f"#{name}" for name in names if name]
            href = attributes.get("href") if element.tag == "a" else None
            if target := local_target(href or ""):
                self.links.append(Link(target, "link", " ".join(element.text().split())))
