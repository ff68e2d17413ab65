"""Workbooks (XLSX, XLS, XLSB, ODS), read with calamine: values as they were last computed."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, time
from functools import reduce
from io import BytesIO
from zipfile import ZipFile

import python_calamine as calamine

from research_agent.documents.adapters.zipped.archive import FAULTS, check_archive
from research_agent.documents.sheets import Row, sheet_blocks
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument

CELLS = 10_000_000  # a sheet whose last row and column span more is refused
FAR_HINT = "delete what stands far from the rest; Ctrl+End shows it"
EXACT = 1e15  # whole numbers below it are exact in a workbook

_CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"[^>]*[^/]>')


def parse_workbook(data: bytes, ending: str) -> ParsedDocument:
    """Return the sheets of a workbook as tables; rows have the numbers their program shows.

    Hidden sheets are read too. A merged cell's value is in every cell that it covers. Raises
    DocumentError for what cannot be read, has a password, or is too large.
    """
    name = ending.removeprefix(".").upper()
    if ending != ".xls":
        check_archive(data, name)
    try:
        if ending in {".xlsx", ".xlsm"}:
            _check_extents(data)
        with closing(calamine.load_workbook(BytesIO(data))) as book:
            kinds = {sheet.name: sheet.typ for sheet in book.sheets_metadata}
            tables = [of for of, kind in kinds.items() if kind is calamine.SheetTypeEnum.WorkSheet]
            blocks = [
                block
                for of in tables
                for block in sheet_blocks(_rows(book.get_sheet_by_name(of)), (f"sheet {of}",))
            ]
    except calamine.PasswordError as error:
        raise DocumentError("encrypted; a password is needed") from error
    except (*FAULTS, calamine.CalamineError) as error:
        raise DocumentError(f"not a readable {name}: {error}"[:200]) from error
    return ParsedDocument(tuple(blocks))


def _check_extents(data: bytes) -> None:
    """Raise DocumentError for a cell so far away that the space up to it would fill the memory."""
    with ZipFile(BytesIO(data)) as archive:
        for part in archive.namelist():
            if not part.startswith("xl/worksheets/"):
                continue
            last, widest = 0, b""
            for column, row in _CELL.findall(archive.read(part)):
                last = max(last, int(row))
                widest = max(widest, column, key=lambda name: (len(name), name))
            if last * reduce(lambda n, letter: 26 * n + letter - 64, widest, 0) > CELLS:
                where = f"{part.rpartition('/')[2]} reaches to {widest.decode()}{last}"
                raise DocumentError(f"{where}: too far for a table", hint=FAR_HINT)


def _rows(sheet: calamine.CalamineSheet) -> Iterator[Row]:
    """Yield the rows, those of merged cells filled."""
    top, left = sheet.start or (0, 0)
    rows = [[_words(value) for value in row] for row in sheet.to_python()]
    for (first, start), (last, end) in sheet.merged_cell_ranges or ():
        wide, high = range(start - left, end - left + 1), range(first - top, last - top + 1)
        inside = 0 <= high.start < len(rows) and 0 <= wide.start < len(rows[high.start])
        value = rows[high.start][wide.start] if inside else ""
        for row in rows[high.start : high.stop] if value else ():
            row[wide.start : wide.stop] = [value] * len(row[wide.start : wide.stop])
    return enumerate(rows, start=top + 1)


def _words(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    midnight = isinstance(value, datetime) and value.time() == time()
    return str(value.date() if isinstance(value, datetime) and midnight else value)
