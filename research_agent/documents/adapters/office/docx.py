"""DOCX files, opened with python-docx: headings, lists and tables in the order of the text.

Only the file itself is read: what it links to is never fetched. Text that is marked as deleted,
headers, footers and footnotes are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from research_agent.documents.adapters.office import FAULTS, opened
from research_agent.errors import DocumentError
from research_agent.text.credits import doi_in
from research_agent.text.tables import table_text
from research_agent.types.documents import Block, ParsedDocument, ParseQuality

DEPTH = 50  # of tables and boxes nested deeper than this nothing is taken
BODY_TEXT = 9  # the outline level that is no heading's

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = {f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", f"{_W}instrText", _FALLBACK}
_MARKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_Element = Any  # of lxml, or a style or document of python-docx, which ship no types
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
        walk = _Walk(document)
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


class _Walk:
    def __init__(self, document: _Element) -> None:
        self.title = ""
        self._path: list[tuple[int, str]] = []
        self._styles = {style.style_id: style for style in document.styles}
        self._bullets = _bullets(document)
        self._counts: Counter[tuple[str, int]] = Counter()

    def blocks(self, parent: _Element, depth: int = 0) -> Iterator[Block]:
        """Yield the paragraphs and tables below `parent`, in order."""
        for child in parent:
            if child.tag == f"{_W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                if text := _table(child):
                    yield Block(text, section=self._section(), kind="table")
            elif child.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"} and depth < DEPTH:
                yield from self.blocks(child, depth + 1)

    def _section(self) -> tuple[str, ...]:
        return tuple(heading for _, heading in self._path)

    def _paragraph(self, paragraph: _Element) -> Iterator[Block]:
        text = _text(paragraph).strip()
        if not text:
            return
        line = " ".join(text.split())
        style = self._styles.get(_value(paragraph, "pPr/pStyle"))
        if level := _level(paragraph, style):
            self._path = [*(part for part in self._path if part[0] < level), (level, line)]
            yield Block(line, section=self._section())
            return
        if style is not None and style.name == "Title" and not self.title:
            self.title = line
        mark = self._mark(paragraph, None if style is None else style.element)
        yield Block(mark + text, section=self._section(), kind="list" if mark else "text")

    def _mark(self, paragraph: _Element, style: _Element) -> str:
        number = _value(paragraph, "pPr/numPr/numId") or _value(style, "pPr/numPr/numId")
        if not number or number == "0":
            return ""
        depth = _value(paragraph, "pPr/numPr/ilvl") or _value(style, "pPr/numPr/ilvl")
        level = min(int(depth), 8) if depth.isdecimal() else 0
        indent = "  " * level
        if (number, level) in self._bullets:
            return f"{indent}- "
        self._counts[number, level] += 1
        for deeper in [key for key in self._counts if key[0] == number and key[1] > level]:
            del self._counts[deeper]
        return f"{indent}{self._counts[number, level]}. "


def _level(paragraph: _Element, style: _Element) -> int:
    own = _value(paragraph, "pPr/outlineLvl")
    seen = 0
    while style is not None and seen < DEPTH:
        if match := _HEADING.fullmatch(style.name or ""):
            return int(match[1])
        own = own or _value(style.element, "pPr/outlineLvl")
        style, seen = style.base_style, seen + 1
    return int(own) + 1 if own.isdecimal() and int(own) < BODY_TEXT else 0


def _value(element: _Element, path: str) -> str:
    if element is None:
        return ""
    found = element.find("/".join(_W + name for name in path.split("/")))
    return "" if found is None else str(found.get(f"{_W}val") or "")


def _bullets(document: _Element) -> set[tuple[str, int]]:
    from docx.opc.constants import RELATIONSHIP_TYPE

    if not any(rel.reltype == RELATIONSHIP_TYPE.NUMBERING for rel in document.part.rels.values()):
        return set()
    numbering = document.part.numbering_part.element
    kinds = {
        (str(abstract.get(f"{_W}abstractNumId")), str(level.get(f"{_W}ilvl")))
        for abstract in numbering.findall(f"{_W}abstractNum")
        for level in abstract.findall(f"{_W}lvl")
        if _value(level, "numFmt") in {"bullet", "none"}
    }
    return {
        (str(number.get(f"{_W}numId")), int(level))
        for number in numbering.findall(f"{_W}num")
        for abstract, level in kinds
        if abstract == _value(number, "abstractNumId") and level.isdecimal()
    }


def _text(element: _Element, depth: int = 0) -> str:
    parts: list[str] = []
    for child in element:
        if child.tag == f"{_W}t":
            parts.append(child.text or "")
        elif child.tag in _MARKS:
            parts.append(_MARKS[child.tag])
        elif child.tag == f"{_W}p":
            parts.append(f"\n{_text(child, depth + 1)}\n")
        elif child.tag not in _LEFT_OUT and depth < DEPTH:
            parts.append(_text(child, depth + 1))
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in "".join(parts).split("\n"))
    return "\n".join(filter(None, lines)) if depth == 0 else "".join(parts)


def _table(table: _Element) -> str:
    rows = (row for row in table.iter(f"{_W}tr") if next(row.iterancestors(f"{_W}tbl")) is table)
    return table_text([_text(c) for c in row.iterchildren(f"{_W}tc", f"{_W}sdt")] for row in rows)
