"""DOCX files, opened with python-docx: headings, lists and tables in the order of the text.

Only the file itself is read: what it links to is never fetched. Text that is marked as deleted,
headers and footers are left out. A note follows the paragraph or table that refers to it.
"""

import re
from collections.abc import Iterator, Mapping
from io import BytesIO

from research_agent.documents.adapters.office import FAULTS, opened
from research_agent.documents.adapters.office.charts import charts
from research_agent.documents.adapters.office.diagrams import diagrams
from research_agent.documents.adapters.office.docx_tables import docx_table, is_frame, own_parts
from research_agent.documents.adapters.office.docx_text import (
    DEPTH,
    LEFT_OUT,
    NOTES,
    Element,
    W,
    text_of,
)
from research_agent.documents.adapters.office.numbering import LEVELS, Numbers, value
from research_agent.documents.sections import Sections
from research_agent.errors import DocumentError
from research_agent.text.credits import doi_in
from research_agent.types.documents import Block, ParsedDocument, ParseQuality

BODY_TEXT = 9  # the outline level that is no heading's
BULLET = "•"  # between items in a cell of a table

_BOX = f"{W}txbxContent"
_AROUND = {_BOX, *(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "customXml"))}
"""Elements around paragraphs and tables."""
_DELETED = f"{W}pPr/{W}rPr/{W}del"
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


def _unfold(body: Element) -> None:
    """Put each text box below the paragraph that it is anchored in."""
    for box in reversed(list(body.iter(_BOX))):
        for around in box.iterancestors():
            if around.tag == f"{W}p":
                around.addnext(box)
            if around.tag in LEFT_OUT or around.tag == f"{W}p":
                break


def _put_captions(document: Element) -> None:
    """Put the caption before each table, else the one after it, into the table."""
    named = {one.style_id for one in document.styles if (one.name or "").lower() == "caption"}
    for table in list(document.element.body.iter(f"{W}tbl")):
        for beside in (table.getprevious(), table.getnext()):
            if value(beside, "pPr/pStyle") in named and text_of(table):
                table.insert(0, beside)
                break


class _Walk(Sections):
    def __init__(self, document: Element, notes: Mapping[tuple[str, str], str]) -> None:
        super().__init__()
        self.title = ""
        self._notes, self._part = notes, document.part
        self._styles = {style.style_id: style for style in document.styles}
        self._numbers = Numbers(_numbering(document))

    def blocks(self, parent: Element, depth: int = 0) -> Iterator[Block]:
        """Yield the paragraphs and tables below `parent`, in order."""
        for child in parent:
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
                yield from self._below(child)
            elif child.tag == f"{W}tbl":
                yield from self._table(child, depth)
            elif child.tag in _AROUND and depth < DEPTH:
                path = self.path
                yield from self.blocks(child, depth + 1)
                self.path = path if child.tag == _BOX else self.path

    def _table(self, table: Element, depth: int) -> Iterator[Block]:
        """Yield a table, or what is in one that only frames its text."""
        if depth < DEPTH and is_frame(table):
            path = self.path
            yield from self.blocks(table, depth + 1)  # (its caption)
            for cell in own_parts(table, "tc"):
                self.path = path
                yield from self.blocks(cell, depth + 1)
        else:
            self._number(table)
            yield from self.block(docx_table(table), "table")
            yield from self._below(table)

    def _number(self, table: Element) -> None:
        """Write what Word only shows into a table's cells: numbers, and marks between items."""
        for paragraph in table.iter(f"{W}p"):
            style = self._styles.get(value(paragraph, "pPr/pStyle"))
            mark, above = self._mark(paragraph, style).strip(), paragraph.getprevious()
            if mark == "-":
                is_next = above is not None and above.tag == f"{W}p" and text_of(paragraph)
                mark = BULLET if is_next else ""
            if mark:
                number = paragraph.makeelement(f"{W}t")
                number.text = f"{mark} "
                paragraph.insert(0, number)

    def _below(self, element: Element) -> Iterator[Block]:
        """Yield what follows a paragraph or a table: its charts, diagrams and notes."""
        for item in (*charts(element, self._part), *diagrams(element, self._part)):
            yield from self.block(item.text, item.kind)
        for reference in element.iter(*NOTES):
            if text := self._notes.get((reference.tag, str(reference.get(f"{W}id")))):
                yield from self.block(f"{reference.text} {text}")

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        text = text_of(paragraph).strip()
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

    def _mark(self, paragraph: Element, style: Element) -> str:
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


def _numbering(document: Element) -> Element:
    from docx.opc.constants import RELATIONSHIP_TYPE

    kinds = (rel.reltype for rel in document.part.rels.values())
    known = RELATIONSHIP_TYPE.NUMBERING in kinds
    return document.part.numbering_part.element if known else None


def _level(paragraph: Element, style: Element) -> int:
    own = value(paragraph, "pPr/outlineLvl")
    seen = 0
    while style is not None and seen < DEPTH:
        own = own or value(style.element, "pPr/outlineLvl")
        if not own and (match := _HEADING.fullmatch(style.name or "")):
            return int(match[1])
        style, seen = style.base_style, seen + 1
    return int(own) + 1 if own.isdecimal() and int(own) < BODY_TEXT else 0


def _notes(document: Element) -> dict[tuple[str, str], str]:
    """Return the texts of footnotes and endnotes; numbers their references as they are shown."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import parse_xml

    kinds = {RELATIONSHIP_TYPE.FOOTNOTES: "footnote", RELATIONSHIP_TYPE.ENDNOTES: "endnote"}
    notes: dict[tuple[str, str], str] = {}
    for tag, kind in NOTES.items():
        for number, reference in enumerate(document.element.body.iter(tag), start=1):
            reference.text = str(number)
        for rel in document.part.rels.values():
            if kinds.get(rel.reltype) == kind and not rel.is_external:
                for note in parse_xml(rel.target_part.blob).iterchildren(f"{W}{kind}"):
                    notes[tag, str(note.get(f"{W}id"))] = " ".join(text_of(note).split())
    return notes
