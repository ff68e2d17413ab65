"""Workbooks (XLSX, XLS, XLSB, ODS), read with calamine, and CSV: tables in parts of a few rows."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from functools import partial
from io import BytesIO, StringIO
from itertools import groupby, pairwise, zip_longest
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from research_agent.documents.adapters.office import FAULTS, OLE, opened
from research_agent.documents.adapters.office.cell_styles import CellStyles, column_number
from research_agent.errors import DocumentError
from research_agent.text.tables import table_text
from research_agent.types.documents import Block, ParsedDocument, ParseQuality

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

BLOCK_CHARS = 900  # rows are put together up to this length, so that a place names few of them
DELIMITERS = ";\t|,"
"""Of those that fit equally well the first; the comma is last, because numbers have commas."""
SAMPLE = 65_536  # characters by which the delimiter is told
CELLS = 10_000_000  # a sheet whose last row and column span more is refused
FAR_HINT = "delete what stands far from the rest; Ctrl+End shows it"
TITLES = 3  # rows of one value below an empty one are taken for a table's title, at most
REREAD = 10  # times the lines of a text are read again at most, behind quotes that nothing closes
DIGITS = 15  # of a number, as Excel shows it: what follows is a fault of its arithmetic
EXACT = 1e15  # whole numbers below it are exact in a workbook

COLUMNS = 16_384  # of a sheet, as Excel has them

_SS = "{urn:schemas-microsoft-com:office:spreadsheet}"
_Row = tuple[int, Sequence[str]]  # its number, as programs show it, and its cells
_NOT_COMPUTED = re.compile(
    rb"""<(?:\w+:)?c(?![^<>]*\st=["']str)[^<>]*>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<]*</(?:\w+:)?f>)"""
    rb"""\s*+(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
_DELIMITER_LINE = re.compile(r"(?:sep=(.)\n)?(.*)", re.DOTALL)
"""How a file tells programs its delimiter; they do not count this line."""
_CELL = re.compile(
    rb"""<(?:\w+:)?c\s[^<>]*?\br\s*=\s*["']([A-Z]{1,3})([0-9]{1,7})["'][^<>]*(?<!/)>"""
)


def parse_delimited(text: str) -> ParsedDocument:
    r"""Return the table in a text with commas, semicolons, tabs or bars between its cells.

    The first row with several cells is the head; rows are counted as spreadsheets count them.
    Raises DocumentError for a row that cannot be read.

    >>> block, = parse_delimited("Item;Price\nBread;3,20").blocks
    >>> block.section, block.text
    (('row 2',), 'row | Item | Price\n2 | Bread | 3,20')
    """
    named, text = _DELIMITER_LINE.findall(text)[0]
    try:
        mark = named or max(DELIMITERS, key=partial(_fit, text[:SAMPLE]))
        return _document(_blocks(enumerate(_text_rows(text, mark), 1)))
    except csv.Error as error:
        raise DocumentError(f"not a readable table: {error}") from error


def _fit(text: str, mark: str) -> int:
    """Return in how many rows a delimiter makes several cells, and equally many."""
    widths = Counter(len(row) for row in _text_rows(text, mark) if len(row) > 1)
    return max(widths.values(), default=0)


def _text_rows(text: str, mark: str) -> Iterator[list[str]]:
    """Yield the rows of a text. A quote that no later one closes is a character of its line."""
    lines = list(StringIO(f"{text}\n"))
    reader = partial(csv.reader, delimiter=mark, skipinitialspace=True)
    start, spare = 0, REREAD * len(lines)
    while start < len(lines):
        below = range(start, min(start + 1 + spare, len(lines)))
        rows = reader((lines[at] for at in below), strict=True)
        try:
            row = next(rows)
            start += rows.line_num
        except csv.Error:
            spare = max(0, spare - rows.line_num)
            row = next(reader([lines[start]]))
            if row and row[-1].endswith("\n"):
                row = next(reader([lines[start]], quoting=csv.QUOTE_NONE))
            start += 1
        yield row


def parse_workbook(data: bytes, ending: str) -> ParsedDocument:
    """Return the sheets of a workbook, hidden ones too, as tables with values as last computed.

    A merged cell's value is in every cell that it covers. Raises DocumentError.
    """
    import python_calamine as calamine

    name = ending.removeprefix(".").upper()
    try:
        warnings = () if ending == ".xls" and data.startswith(OLE) else _checked(data, name)
        styles = CellStyles(data)
        with calamine.load_workbook(BytesIO(data)) as book:
            blocks = tuple(
                block
                for sheet in book.sheets_metadata
                if sheet.typ is calamine.SheetTypeEnum.WorkSheet
                for block in _blocks(
                    _rows(book.get_sheet_by_name(sheet.name), styles.places(sheet.name)),
                    (f"sheet {sheet.name}",),
                )
            )
    except calamine.PasswordError as error:
        raise DocumentError("encrypted; a password is needed") from error
    except (*FAULTS, calamine.CalamineError) as error:
        raise DocumentError(f"not a readable {name}: {error}"[:200]) from error
    return _document(blocks, warnings)


def _document(read: Iterable[Block], warnings: tuple[str, ...] = ()) -> ParsedDocument:
    """Return the blocks of a file with the number of its tables: parts below one head are one."""
    blocks = tuple(read)
    of = groupby(blocks, lambda one: (one.kind, one.section[:-1], one.text.partition("\n")[0]))
    tables = sum(kind == "table" for (kind, *_), _ in of)
    return ParsedDocument(blocks, warnings=warnings, quality=ParseQuality(tables=tables))


def parse_xml_workbook(data: bytes) -> ParsedDocument:
    """Return the sheets of a workbook in the XML of Excel 2003; raises DocumentError."""
    blocks: list[Block] = []
    try:
        for sheet in ET.fromstring(data).iterfind("{*}Worksheet"):  # noqa: S314 (in a child with limits)
            blocks += _blocks(_xml_rows(sheet), (f"sheet {sheet.get(f'{_SS}Name', '')}",))
    except (ET.ParseError, ValueError) as error:
        raise DocumentError("not a readable XLS: its XML is damaged") from error
    return _document(blocks)


def _xml_rows(sheet: ET.Element) -> Iterator[_Row]:
    number = 0
    for row in sheet.iterfind("{*}Table/{*}Row"):
        number = int(row.get(f"{_SS}Index", number + 1))
        cells: list[str] = []
        for cell in row.iterfind("{*}Cell"):
            place = min(int(cell.get(f"{_SS}Index", 0)), COLUMNS)
            cells += [""] * (place - 1 - len(cells))
            text = ("".join(value.itertext()) for value in cell.iterfind("{*}Data"))
            covered = min(int(cell.get(f"{_SS}MergeAcross", 0)), COLUMNS - len(cells))
            cells += [next(text, "")] * (1 + covered)
        yield number, cells


def _checked(data: bytes, name: str) -> tuple[str, ...]:
    """Return what values are missing; raises DocumentError for a sheet that is too large."""
    empty = 0
    with opened(data, name) as archive:
        for part in (name for name in archive.namelist() if name.startswith("xl/worksheets/")):
            content = archive.read(part)
            cells = _CELL.findall(content)
            empty += len(_NOT_COMPUTED.findall(content))
            last = max((int(row) for _, row in cells), default=0)
            widest = max((column.rjust(3) for column, _ in cells), default=b"").strip()
            if last * column_number(widest) > CELLS:
                where = f"{part.rpartition('/')[2]} reaches to {widest.decode()}{last}"
                raise DocumentError(f"{where}: too far for a table", hint=FAR_HINT)
    warning = f"{empty} formulas have no stored value: save the file in a spreadsheet program"
    return (warning,) if empty else ()


def _rows(sheet: "CalamineSheet", styles: Iterable[tuple[int, int, bool, bool]]) -> Iterator[_Row]:
    top, left = sheet.start or (0, 0)
    bottom, right = sheet.end or (-1, -1)
    values = sheet.to_python()
    rows = [[_words(value) for value in row] for row in values]
    for at, column, is_percentage, is_struck in styles:
        if top <= at <= bottom and left <= column <= right:
            value, row = values[at - top][column - left], rows[at - top]
            if is_percentage and isinstance(value, float):
                row[column - left] = f"{_words(100 * value)}%"
            if is_struck and row[column - left].strip():
                row[column - left] = f"~~{row[column - left].strip()}~~"
    for (first, start), (last, end) in sheet.merged_cell_ranges or ():
        covered = rows[max(first - top, 0) : last - top + 1]
        wide = slice(max(start - left, 0), end - left + 1)
        value = next((row[wide][0] for row in covered if row[wide]), "")
        for row in covered if value else ():
            row[wide] = [value] * len(row[wide])
    return enumerate(rows, start=top + 1)


def _words(value: object) -> str:
    """Return a value as programs show it, as far as they do so without its format."""
    if isinstance(value, float) and abs(value) < EXACT:
        return str(int(value)) if value.is_integer() else f"{value:.{DIGITS}g}"
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)


def _blocks(rows: Iterable[_Row], section: tuple[str, ...] = ()) -> Iterator[Block]:
    """Yield tables, each with its head, and the numbers of its rows in the last of its section.

    The first row with several values is the head, and one below an empty row may be another. A
    row of one value above a table is text. A table below a title that is told apart by its width
    alone, and begins with numbers, has no head.
    """
    table, fresh = _Table(section), True
    for number, row in rows:
        cells = [" ".join(cell.split()) for cell in row]
        cells = cells[: max((end for end, cell in enumerate(cells, 1) if cell), default=0)]
        several = len(set(filter(None, cells))) > 1  # (a merged title fills a whole row)
        if table.head and not table.part and _is_below(table.head, cells):
            table.head = [_joined(pair) for pair in zip_longest(table.head, cells, fillvalue="")]
        elif several and (not table.head or (fresh and table.is_followed(cells))):
            yield from table.blocks()
            table = _Table(section, cells)
        elif several and table.titles and table.is_wider(cells):
            yield from table.blocks()
            table = _Table(section, [""])
            yield from table.add((number, cells), may_be_title=False)
        elif cells and not table.head:
            yield Block(_joined(cells), section=section)
        elif cells:
            yield from table.add((number, cells), may_be_title=fresh and not several)
        fresh = not cells or bool(table.titles)
    yield from table.blocks()


class _Table:
    """A table as far as its rows are read."""

    def __init__(self, section: tuple[str, ...], head: Sequence[str] = ()) -> None:
        self.head = head
        self.part: list[_Row] = []  # rows that are in no block yet
        self.titles: list[_Row] = []  # rows after them, which may be the title of the next table
        self._first: list[_Row] = []  # rows that were in the first block
        self._section, self._size = section, 0

    def is_followed(self, row: Sequence[str]) -> bool:
        """Return whether a row below an empty one is the head of another table.

        It repeats this table's head, or has words alone, some where this table has numbers or
        has no column.
        """
        filled = [at for at, cell in enumerate(row) if cell]
        if 2 * sum(row[at : at + 1] == self.head[at : at + 1] for at in filled) > len(filled):
            return True
        if any(_is_number(row[at]) for at in filled):
            return False
        numbers = Counter[int]()  # of each column: its numbers, less its words
        for _, cells in self._first or self.part:
            numbers.update(
                {at: 1 if _is_number(cell) else -1 for at, cell in enumerate(cells) if cell}
            )
        return any(numbers[at] > 0 or not any(self.head[at : at + 1]) for at in filled)

    def is_wider(self, row: Sequence[str]) -> bool:
        """Return whether a row with numbers ends before every row of this table does."""
        rows = (self.head, *(cells for _, cells in self._first or self.part))
        return any(map(_is_number, filter(None, row))) and min(map(len, rows)) > len(row)

    def add(self, row: _Row, *, may_be_title: bool) -> Iterator[Block]:
        """Add a row, and what was no title before it; yield the rows so far if they are many."""
        self.titles.append(row)
        if may_be_title and len(self.titles) <= TITLES and not _is_number(_joined(row[1])):
            return
        for added in self.titles:
            length = sum(len(cell) + 3 for cell in added[1])
            if self.part and self._size + length > BLOCK_CHARS:
                yield from _part(self.head, self.part, self._section)
                self._first = self._first or self.part
                self.part, self._size = [], 0
            self.part.append(added)
            self._size += length
        self.titles = []

    def blocks(self) -> Iterator[Block]:
        """Yield what is left: the last rows, and as text the titles after them."""
        yield from _part(self.head, self.part, self._section)
        for _, row in self.titles:
            yield Block(_joined(row), section=self._section)


def _joined(cells: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(filter(None, cells)))


def _is_below(head: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether a row tells apart names that are in several columns of the head above it."""
    repeated = any(name and name == after for name, after in pairwise(head))
    begins = row[:1] in ([""], [head[0]])
    return repeated and begins and len(row) > 1 and not any(map(_is_number, filter(None, row)))


def _part(head: Sequence[str], part: Sequence[_Row], section: tuple[str, ...]) -> Iterator[Block]:
    if not part:
        if head:
            yield Block(" | ".join(filter(None, head)), section=section)
        return
    first, last = part[0][0], part[-1][0]
    name = f"row {first}" if first == last else f"rows {first}-{last}"
    rows = [("row", *head), *((str(number), *cells) for number, cells in part)]
    width = max(map(len, rows))
    text = table_text([*row, *[""] * (width - len(row))] for row in rows)
    yield Block(text, section=(*section, name), kind="table")


def _is_number(cell: str) -> bool:
    digits = sum(map(str.isdigit, cell))
    return digits * 2 >= len(cell.strip("~")) or (digits > 0 and not any(map(str.isalpha, cell)))
