"""HTML, read with lexbor (selectolax): what a reader sees, without the page's navigation."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_agent.documents.adapters.markup.page_head import HEAD, stated_date
from research_agent.documents.list_numbers import shown_number
from research_agent.documents.sections import Sections
from research_agent.text.addresses import local_target
from research_agent.text.indices import Side, marked, written
from research_agent.text.tables import Cell, joined_cells
from research_agent.types import ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

DEPTH = 150  # of elements nested deeper than this only the bare text is taken

_EMPTY = re.compile(
    r"<(?!(?:a|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"(([a-z][\w:-]*)(?:\s[^<>]*)?)/>",
    re.IGNORECASE,
)
"""Elements of XML that have nothing in them; in HTML such a title goes on to the page's end."""
_LISTS = frozenset(["dir", "menu", "ol", "ul"])
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
"""Types of ordered lists."""
_WHOLE_NUMBER = re.compile(r"\s*(-?\d{1,9})(?!\d)")
_SPAN = re.compile(r"[1-9][0-9]{0,4}")
_DROPPED = frozenset({
    "script", "style", "nav", "footer", "template", "noscript", "svg",
    "iframe", "object", "input", "button", "select", "option", "textarea", "head", "dialog",
    "canvas", "audio", "video",
})  # fmt: skip
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "form", "h1",
    "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "legend", "li", "listing", "main",
    "menu", "ol", "p", "plaintext", "pre", "search", "section", "slot", "summary", "table",
    "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
})  # fmt: skip
"""Elements that begin a line (HTML Standard, "Rendering"); all others are within one."""
_NAMES = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption"])
_NO_TABLE = frozenset({"presentation", "none"})
_SIDES: dict[str, Side] = {"sup": "^", "sub": "_"}
_ROWS = re.compile(r"\s*<(?:tbody|td|tfoot|th|thead|tr)\b", re.IGNORECASE)
_TEXTS = frozenset(["main", "article", "section"])
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "doc-pagebreak"})
"""Roles of what is not text, as the number of a book's page."""
_WHOLE = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "pre", "table"])
"""Elements whose text is taken at once."""
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


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


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return (
        node.tag in _DROPPED
        or attributes.get("hidden", "until-found") != "until-found"
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") in _ROLES
        or attributes.get("epub:type") == "pagebreak"
        or (bool(_HIDDEN_STYLE.search(attributes.get("style") or "")) and not _holds_formula(node))
        or (node.tag == "aside" and not _is_within_text(node))
    )


def _holds_formula(node: LexborNode) -> bool:
    """Return whether an element is a formula for programs, of which people see a picture."""
    return node.first_child is not None and node.first_child.tag == "math"


def _is_within_text(node: LexborNode) -> bool:
    """Return whether an element belongs to the text of a page: a note, not what is beside it."""
    if "epub:type" in node.attributes:  # (in a book it is a note)
        return True
    above = node.parent
    while above is not None and above.tag not in _TEXTS:
        above = above.parent
    return above is not None


def _is_mark(node: LexborNode) -> bool:
    """Return whether an element is the sign beside a name that links to its own place."""
    parent = node.parent
    if node.tag != "a" or parent is None or parent.tag not in _NAMES:
        return False
    text = node.text().strip()
    own = (node.attributes.get("href") or "").startswith("#")
    return own and bool(text) and not any(map(str.isalnum, text))


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
        self._sign = "-"
        """Of the next block of a list: an item's first one has its number."""
        self._text: list[str] = []

    def blocks(self, node: LexborNode, kind: ChunkKind = "text", depth: int = 0) -> Iterator[Block]:
        """Yield the blocks below `node`, in order."""
        child = node.first_child
        while child is not None:
            if child.is_text_node:
                self._text.append(re.sub(r"\s+", " ", child.text_content or ""))
            elif child.tag == "br":
                self._text.append("\n")
            elif child.is_element_node and not _is_hidden(child):
                if _is_mark(child):
                    self._note(child, "")
                else:
                    yield from self._element(child, kind, depth)
            child = child.next
        if node.tag in _BLOCKS:
            yield from self._flush(kind)

    def _element(self, node: LexborNode, kind: ChunkKind, depth: int) -> Iterator[Block]:
        tag = node.tag or ""
        if depth < DEPTH and tag in _BLOCKS:
            yield from self._flush(kind)
        whole = tag in _WHOLE and not (tag == "table" and _is_layout(node))
        self._note(node, "*" if depth >= DEPTH or whole or tag in _SIDES else "")
        if depth >= DEPTH:
            self._text.append(f" {node.text(separator=' ')} ")
        elif tag in _SIDES:
            self._text.append(marked(_SIDES[tag], _visible(node, depth)))
        elif tag == "math":
            self._text.append(_formula(node))
        elif tag not in _BLOCKS:
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
        item = node.tag == "li" or (kind == "list" and node.tag in ("p", "div"))
        yield from self.blocks(node, "list" if item else "text", depth + 1)
        if node.tag in _LISTS:
            self._lists.pop()

    def _whole(self, node: LexborNode, tag: str) -> Iterator[Block]:
        if tag == "pre":
            for line_break in node.css("br"):
                line_break.replace_with("\n")
            yield from self.block(node.text().strip("\n").rstrip(), "code")
        elif tag == "table":
            yield from self.block(_table(node), "table")
        elif heading := _line(node):
            yield from self.heading(heading, int(tag[1]))

    def _flush(self, kind: ChunkKind) -> Iterator[Block]:
        lines = (" ".join(line.split()) for line in written("".join(self._text)).split("\n"))
        self._text = []
        if text := "\n".join(filter(None, lines)):
            yield from self.block(f"{self._sign} {text}" if kind == "list" else text, kind)
            self._sign = "-"

    def _note(self, node: LexborNode, below: str) -> None:
        for element in (node, *(node.css(below) if below else ())):
            attributes = element.attributes
            names = [attributes.get("id"), attributes.get("name") if element.tag == "a" else None]
            self.anchors += [f"#{name}" for name in names if name]
            href = attributes.get("href") if element.tag == "a" else None
            if target := local_target(href or ""):
                self.links.append(Link(target, "link", " ".join(element.text().split())))


def _line(node: LexborNode) -> str:
    return " ".join(written(_visible(node)).split())


def _visible(node: LexborNode, depth: int = 0) -> str:
    """Return what a reader sees of an element, with spaces between its blocks."""
    parts: list[str] = []
    child = node.first_child
    while child is not None:
        tag = child.tag or ""
        if child.is_text_node:
            parts.append(child.text_content or "")
        elif child.is_element_node and not _is_hidden(child) and not _is_mark(child):
            text = _visible(child, depth + 1) if depth < DEPTH else child.text(separator=" ")
            if tag in _SIDES:
                text = marked(_SIDES[tag], text)
            elif tag == "math":
                text = _formula(child)
            parts.append(f" {text} " if tag in _BLOCKS or tag == "br" else text)
        child = child.next
    return "".join(parts)


def _formula(node: LexborNode) -> str:
    """Return a formula as its page spells it out, mostly in TeX, else its signs in a row."""
    spelled = node.css_first('annotation[encoding="application/x-tex"]')
    return node.attributes.get("alttext") or (spelled or node).text(separator=" ")


def _is_layout(table: LexborNode) -> bool:
    """Return whether a table only places parts of a page: by its role, or as it holds headings."""
    by_role = table.attributes.get("role") in _NO_TABLE
    return by_role or len(table.css("table")) > 1 or bool(table.css_first("td h1, td h2, td h3"))


def _table(table: LexborNode) -> str:
    caption = table.css_first("caption")
    rows: list[list[Cell]] = []
    heads = 0
    for row in table.css("tr"):
        cells = row.css("th, td")
        names = row.parent is not None and row.parent.tag == "thead"
        if heads == len(rows) and cells and (names or all(cell.tag == "th" for cell in cells)):
            heads += 1
        rows.append([Cell(_line(cell), *_covered(cell)) for cell in cells])
    return joined_cells(rows, heads=heads, caption=_line(caption) if caption else "")


def _covered(cell: LexborNode) -> tuple[int, int]:
    spans = (cell.attributes.get(name) or "" for name in ("colspan", "rowspan"))
    columns, rows = (int(span) if _SPAN.fullmatch(span) else 1 for span in spans)
    return columns, rows
