"""Cells that workbooks show as percentages or struck out, which calamine does not tell."""

import re
from collections.abc import Iterator
from functools import cache, reduce
from io import BytesIO
from posixpath import join
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from research_agent.documents.adapters.office import FAULTS

_BUILT_IN = {"9": "0%", "10": "0.00%"}
_CELL = re.compile(
    rb'<(?:\w+:)?c(?=\s)(?=[^<>]*\ss="([0-9]+)")[^<>]*\sr="([A-Z]{1,3})([0-9]{1,7})"'
)
_LITERAL = re.compile(r'"[^"]*"|[\\_*].|\[[^]]*]')
"""What a number format shows as it is, and its colours and conditions."""


class CellStyles:
    """The styles of an XLSX workbook's cells, by the names of its sheets; none in other formats."""

    def __init__(self, data: bytes) -> None:
        self._parts: dict[str, str] = {}
        try:
            self._archive = ZipFile(BytesIO(data))
            root = ET.fromstring(self._archive.read("xl/styles.xml"))  # noqa: S314 (in a child with limits)
            self._percentages = frozenset(_percentages(root))
            self._struck = frozenset(_struck(root))
            if self._percentages or self._struck:
                self._parts = _parts(self._archive)
        except (*FAULTS, LookupError, ET.ParseError):
            return

    def places(self, sheet: str) -> Iterator[tuple[int, int, bool, bool]]:
        """Yield the row and the column of cells, counted from 0, and what such a cell is.

        It is a percentage, struck out, or both.
        """
        if part := self._parts.get(sheet):
            for cell in _CELL.finditer(self._archive.read(part)):
                is_percentage, is_struck = cell[1] in self._percentages, cell[1] in self._struck
                if is_percentage or is_struck:
                    row, column = int(cell[3]) - 1, column_number(cell[2]) - 1
                    yield row, column, is_percentage, is_struck


@cache
def column_number(letters: bytes) -> int:
    """Return the number of a column, counted from 1.

    >>> column_number(b"AB")
    28
    """
    return reduce(lambda number, letter: 26 * number + letter - 64, letters, 0)


def _percentages(root: ET.Element) -> Iterator[bytes]:
    """Yield the numbers of the styles whose cells are percentages."""
    own = root.iterfind("{*}numFmts/{*}numFmt")
    formats = _BUILT_IN | {one.get("numFmtId", ""): one.get("formatCode", "") for one in own}
    for number, style in enumerate(root.iterfind("{*}cellXfs/{*}xf")):
        if "%" in _LITERAL.sub("", formats.get(style.get("numFmtId", ""), "")):
            yield b"%d" % number


def _struck(root: ET.Element) -> Iterator[bytes]:
    """Yield the numbers of the styles whose cells are struck out."""
    strikes = [font.find("{*}strike") for font in root.iterfind("{*}fonts/{*}font")]
    fonts = {str(n) for n, one in enumerate(strikes) if one is not None and _is_on(one)}
    for number, style in enumerate(root.iterfind("{*}cellXfs/{*}xf")):
        if style.get("fontId") in fonts:
            yield b"%d" % number


def _is_on(element: ET.Element) -> bool:
    return element.get("val", "1") in {"1", "true"}


def _parts(archive: ZipFile) -> dict[str, str]:
    """Return the part of the archive that each sheet is in."""
    book = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314
    links = ET.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    targets = {one.get("Id"): join("xl", one.get("Target", "")).lstrip("/") for one in links}
    known = set(archive.namelist())
    parts = {
        sheet.get("name", ""): targets.get(value, "")
        for sheet in book.iterfind("{*}sheets/{*}sheet")
        for key, value in sheet.items()
        if key.endswith("}id")
    }
    return {name: part for name, part in parts.items() if part in known}
