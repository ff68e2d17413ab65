"""DOCX files, opened with python-docx: headings, lists and tables in the order of the text.

Only the file itself is read: what it links to is never fetched. Text that is marked as deleted,
headers and footers are left out. A note follows the paragraph or table that refers to it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Any

from research_agent.documents.adapters.office import FAULTS, opened
from research_agent.documents.adapters.office.charts import charts
from research_agent.documents.adapters.office.diagrams import diagrams
from research_agent.documents.adapters.office.formulas import MATH, formula_text, symbol
from research_agent.documents.adapters.office.numbering import LEVELS, Numbers, value
from research_agent.documents.sections import Sections
from research_agent.errors import DocumentError
from research_agent.text.credits import doi_in
from research_agent.text.indices import Side, marked, written
from research_agent.text.tables import MOST_COVERED, Cell, joined_cells
from research_agent.types.documents import Block, ParsedDocument, ParseQuality

DEPTH = 50  # of tables and boxes nested deeper than this nothing is taken
BODY_TEXT = 9  # the outline level that is no heading's
BULLET = "•"  # between items in a cell of a table

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = {f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", f"{_W}instrText", _FALLBACK}
_MARKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_SIDES: dict[str, Side] = {"superscript": "^", "subscript": "_"}
_NOTES = {f"{_W}footnoteReference": "footnote", f"{_W}endnoteReference": "endnote"}
_Element = Any  # of lxml, or a style or document of python-docx, which ship no types
_ON = {"1", "true", "on"}
_SPAN = re.compile(r"[1-9][0-9]{0,3}")
_BOX = f"{_W}txbxContent"
_AROUND = {_BOX, *(f"{_W}{name}" for name in ("sdt", "sdtContent", "ins", "customXml"))}
"""Elements around paragraphs and tables."""
_DELETED = f"{_W}pPr/{_W}rPr/{_W}del"
_LIST, _DEPTH = "pPr/numPr/numId", "pPr/numPr/ilvl"
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


def parse_docx(data: bytes) -> ParsedDocument:
    """Return the document in a DOCX file's bytes; raises DocumentError.

    The title is the file's own, else its paragraph in the style "Title", else the first heading.
    """
    opened(data, "DOCX").close()
    import docx
    from docx.opc.exceptions import OpcError

    try:
        document = docx.Document(BytesIO(data))
        walk = _Walk(document, _notes(document))
        _unfold(document.element.body)
        _put_captions(document)
        blocks = tuple(walk.blocks(document.element.body))
        properties = document.core_properties
        title = " ".join((properties.title or "").split())
        day = properties.created or properties.modified
        authors, doi = properties.author or "", doi_in(properties.identifier or "")
    except (*FAULTS, SyntaxError, AttributeError, OpcError) as error:
        raise DocumentError(
            "not a readable DOCX"
        ) from error  # (all that damaged parts were seen to raise)
    first = next((block.section[0] for block in blocks if len(block.section) == 1), "")
    date = day.date().isoformat() if day else ""
    quality = ParseQuality(authors=" ".join(authors.split()), doi=doi)
    return ParsedDocument(blocks, title=title or walk.title or first, date=date, quality=quality)


def _unfold(body: _Element) -> None:
    """Put each text box below the paragraph that it is anchored in."""
    for box in reversed(list(body.iter(_BOX))):
        for around in box.iterancestors():
            if around.tag == f"{_W}p":
                around.addnext(box)
            if around.tag in _LEFT_OUT or around.tag == f"{_W}p":
                break


def _put_captions(document: _Element) -> None:
    """Put the caption before each table, else the one after it, into the table."""
    named = {one.style_id for one in document.styles if (one.name or "").lower() == "caption"}
    for table in list(document.element.body.iter(f"{_W}tbl")):
        for beside in (table.getprevious(), table.getnext()):
            if value(beside, "pPr/pStyle") in named and _text(table):
                table.insert(0, beside)
                break


class _Walk(Sections):
    def __init__(self, document: _Element, notes: Mapping[tuple[str, str], str]) -> None:
        super().__init__()
        self.title = ""
        self._notes, self._part = notes, document.part
        self._styles = {style.style_id: style for style in document.styles}
        self._numbers = Numbers(_numbering(document))

    def blocks(self, parent: _Element, depth: int = 0) -> Iterator[Block]:
        """Yield the paragraphs and tables below `parent`, in order."""
        for child in parent:
            if child.tag == f"{_W}p":
                yield from self._paragraph(child)
                yield from self._below(child)
            elif child.tag == f"{_W}tbl":
                yield from self._table(child, depth)
            elif child.tag in _AROUND and depth < DEPTH:
                path = self.path
                yield from self.blocks(child, depth + 1)
                self.path = path if child.tag == _BOX else self.path

    def _table(self, table: _Element, depth: int) -> Iterator[Block]:
        """Yield a table, or what is in one that only frames its text."""
        if depth < DEPTH and _is_frame(table):
            path = self.path
            yield from self.blocks(table, depth + 1)  # (its caption)
            for cell in _own(table, "tc"):
                self.path = path
                yield from self.blocks(cell, depth + 1)
        else:
            self._number(table)
            yield from self.block(_table(table), "table")
            yield from self._below(table)

    def _number(self, table: _Element) -> None:
        """Write what Word only shows into a table's cells: numbers, and marks between items."""
        for paragraph in table.iter(f"{_W}p"):
            style = self._styles.get(value(paragraph, "pPr/pStyle"))
            mark, above = self._mark(paragraph, style).strip(), paragraph.getprevious()
            if mark == "-":
                is_next = above is not None and above.tag == f"{_W}p" and _text(paragraph)
                mark = BULLET if is_next else ""
            if mark:
                number = paragraph.makeelement(f"{_W}t")
                number.text = f"{mark} "
                paragraph.insert(0, number)

    def _below(self, element: _Element) -> Iterator[Block]:
        """Yield what follows a paragraph or a table: its charts, diagrams and notes."""
        for item in (*charts(element, self._part), *diagrams(element, self._part)):
            yield from self.block(item.text, item.kind)
        for reference in element.iter(*_NOTES):
            if text := self._notes.get((reference.tag, str(reference.get(f"{_W}id")))):
                yield from self.block(f"{reference.text} {text}")

    def _paragraph(self, paragraph: _Element) -> Iterator[Block]:
        text = _text(paragraph).strip()
        is_gone = not text and paragraph.find(_DELETED) is not None
        style = self._styles.get(value(paragraph, "pPr/pStyle"))
        mark = "" if is_gone else self._mark(paragraph, style)
        if not text:
            return
        line = " ".join(text.split())
        if level := _level(paragraph, style):
            line = f"{mark.strip()} {line}" if mark and mark.strip() != "-" else line
            yield from self.heading(line, level)
            return
        if style is not None and style.name == "Title" and not self.title:
            self.title = line
        yield from self.block(mark + text, "list" if mark else "text")

    def _mark(self, paragraph: _Element, style: _Element) -> str:
        """Return the number or bullet before a paragraph; counts it."""
        number, depth, seen = value(paragraph, _LIST), value(paragraph, _DEPTH), 0
        while style is not None and seen < DEPTH and not number:
            number = value(style.element, _LIST)
            depth = depth or value(style.element, _DEPTH)
            style, seen = style.base_style, seen + 1
        if not number or number == "0":
            return ""
        level = min(int(depth), LEVELS - 1) if depth.isdecimal() else 0
        mark = self._numbers.next(number, level)
        return f"{'  ' * level}{mark} " if mark else ""


def _numbering(document: _Element) -> _Element:
    from docx.opc.constants import RELATIONSHIP_TYPE

    kinds = (rel.reltype for rel in document.part.rels.values())
    known = RELATIONSHIP_TYPE.NUMBERING in kinds
    return document.part.numbering_part.element if known else None


def _level(paragraph: _Element, style: _Element) -> int:
    own = value(paragraph, "pPr/outlineLvl")
    seen = 0
    while style is not None and seen < DEPTH:
        own = own or value(style.element, "pPr/outlineLvl")
        if not own and (match := _HEADING.fullmatch(style.name or "")):
            return int(match[1])
        style, seen = style.base_style, seen + 1
    return int(own) + 1 if own.isdecimal() and int(own) < BODY_TEXT else 0


def _text(element: _Element) -> str:
    text = written(_marked(element))
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(filter(None, lines))


def _marked(element: _Element, depth: int = 0) -> str:
    """Return the text below an element, with small type between marks."""
    parts: list[str] = []
    for child in element:
        tag = child.tag
        if tag in _WRITTEN:
            parts.append(_WRITTEN[tag](child))
        elif tag in _MARKS:
            parts.append(_MARKS[tag])
        elif tag not in _LEFT_OUT and depth < DEPTH:
            parts.append(_shaped(child, _marked(child, depth + 1)))
    return "".join(parts)


def _shaped(element: _Element, text: str) -> str:
    """Return the text of an element as what it is: a paragraph, small type, or hidden."""
    if element.tag == f"{_W}p":
        return f"\n{text}\n"
    if _is_on(element, "rPr", "vanish"):
        return ""
    side = _SIDES.get(value(element, "rPr/vertAlign"))
    return marked(side, text) if side and text.strip() else text


def _is_on(element: _Element, below: str, name: str) -> bool:
    found = element.find(f"{_W}{below}/{_W}{name}")
    return found is not None and found.get(f"{_W}val", "1") in _ON


def _field(data: _Element) -> str:
    """Return what a box to tick or a list to choose from shows, which is in no run of text."""
    box = data.find(f"{_W}checkBox")
    if box is not None:
        name = "default" if box.find(f"{_W}checked") is None else "checked"
        return "☒" if _is_on(data, "checkBox", name) else "☐"
    entries = data.findall(f"{_W}ddList/{_W}listEntry")
    chosen = value(data, "ddList/result") or value(data, "ddList/default") or "0"
    return "".join(str(entry.get(f"{_W}val")) for entry in entries[int(chosen) :][:1])


_WRITTEN: dict[str, Callable[[_Element], str]] = {
    f"{_W}t": lambda element: element.text or "",
    f"{_W}sym": lambda sign: symbol(sign.get(f"{_W}font", ""), sign.get(f"{_W}char", "20")),
    f"{_W}ffData": _field,
    f"{MATH}oMath": formula_text,
    **dict.fromkeys(_NOTES, lambda element: marked("^", element.text or "")),
}
"""Elements that hold text, and how it is written."""


def _own(around: _Element, name: str) -> list[_Element]:
    """Return the elements below a table or row that are in no other table or row within it."""
    below = around.iter(f"{_W}{name}")
    return [one for one in below if next(one.iterancestors(around.tag)) is around]


def _table(table: _Element) -> str:
    rows: list[list[Cell]] = []
    owners: dict[int, tuple[int, int]] = {}  # of each column: the last cell's row, and its place
    heads = 0
    for row in _own(table, "tr"):
        before = value(row, "trPr/gridBefore")
        column = min(int(before), MOST_COVERED) if _SPAN.fullmatch(before) else 0
        cells = [Cell("")] * column
        for cell in _own(row, "tc"):
            span = value(cell, "tcPr/gridSpan")
            columns = int(span) if _SPAN.fullmatch(span) else 1
            if _goes_on(cell) and column in owners and owners[column][0] < len(rows):
                above, at = owners[column]
                rows[above][at] = rows[above][at]._replace(rows=len(rows) - above + 1)
            else:
                cells.append(Cell(_text(cell), columns))
                owners |= dict.fromkeys(
                    range(column, column + columns), (len(rows), len(cells) - 1)
                )
            column += columns
        names = row.find(f"{_W}trPr/{_W}tblHeader") is not None
        heads += names and heads == len(rows)
        rows.append(cells)
    caption = " ".join(" ".join(map(_text, table.iterchildren(f"{_W}p"))).split())
    return joined_cells(rows, heads=heads, caption=caption)


def _is_frame(table: _Element) -> bool:
    """Return whether a table is one cell, or one row with several paragraphs in a cell."""
    rows, cells = _own(table, "tr"), _own(table, "tc")
    texts = (
        [child for child in cell.iterchildren(f"{_W}p", f"{_W}tbl") if _text(child)]
        for cell in cells
    )
    return len(rows) == 1 and (len(cells) == 1 or any(len(text) > 1 for text in texts))


def _goes_on(cell: _Element) -> bool:
    """Return whether a cell is the rest of the one above it."""
    merged = cell.find(f"{_W}tcPr/{_W}vMerge")
    return merged is not None and merged.get(f"{_W}val") != "restart"


def _notes(document: _Element) -> dict[tuple[str, str], str]:
    """Return the texts of footnotes and endnotes; numbers their references as they are shown."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import parse_xml

    kinds = {RELATIONSHIP_TYPE.FOOTNOTES: "footnote", RELATIONSHIP_TYPE.ENDNOTES: "endnote"}
    notes: dict[tuple[str, str], str] = {}
    for tag, kind in _NOTES.items():
        for number, reference in enumerate(document.element.body.iter(tag), start=1):
            reference.text = str(number)
        for rel in document.part.rels.values():
            if kinds.get(rel.reltype) == kind and not rel.is_external:
                for note in parse_xml(rel.target_part.blob).iterchildren(f"{_W}{kind}"):
                    notes[tag, str(note.get(f"{_W}id"))] = " ".join(_text(note).split())
    return notes
