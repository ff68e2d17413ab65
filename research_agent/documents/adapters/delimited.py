"""CSV and TSV files: a table whose rows have their numbers."""

import csv
from collections.abc import Iterator
from io import StringIO

from research_agent.documents.sheets import Row, sheet_blocks
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument

TABLE_ENDINGS = frozenset({".csv", ".tsv"})
DELIMITERS = ",;\t|"
SAMPLE = 65_536  # characters by which the delimiter is told


def parse_delimited(text: str) -> ParsedDocument:
    r"""Return the table in a text with commas, semicolons, tabs or bars between its cells.

    The first row with several cells is the head; rows are counted as spreadsheets count them.
    Raises DocumentError for a row that cannot be read.

    >>> parse_delimited("Item;Price\nBread;3,20").blocks[0].text
    'row | Item | Price\n2 | Bread | 3,20'
    """
    try:
        return ParsedDocument(tuple(sheet_blocks(_rows(text))))
    except csv.Error as error:
        raise DocumentError(f"not a readable table: {error}") from error


def _rows(text: str) -> Iterator[Row]:
    try:
        dialect: type[csv.Dialect] | str = csv.Sniffer().sniff(text[:SAMPLE], DELIMITERS)
    except csv.Error:
        dialect = "excel-tab" if "\t" in text[:SAMPLE] else "excel"
    return enumerate(csv.reader(StringIO(text), dialect), start=1)
