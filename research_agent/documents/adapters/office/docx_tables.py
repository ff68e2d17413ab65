"""Tables of DOCX files: their rows, and the cells that cover several places."""

import re

from research_agent.documents.adapters.office.docx_text import Element, W, text_of
from research_agent.documents.adapters.office.numbering import value
from research_agent.text.tables import MOST_COVERED, Cell, joined_cells

_SPAN = re.compile(r"[1-9][0-9]{0,3}")


def own_parts(around: Element, name: str) -> list[Element]:
    """Return the elements below a table or row that are in no other table or row within it."""
    below = around.iter(f"{W}{name}")
    return [one for one in below if next(one.iterancestors(around.tag)) is around]


def docx_table(table: Element) -> str:
    """Return the rows of a table below its caption."""
    rows: list[list[Cell]] = []
    owners: dict[int, tuple[int, int]] = {}  # of each column: the last cell's row, and its place
    heads = 0
    for row in own_parts(table, "tr"):
        before = value(row, "trPr/gridBefore")
        column = min(int(before), MOST_COVERED) if _SPAN.fullmatch(before) else 0
        cells = [Cell("")] * column
        for cell in own_parts(row, "tc"):
            span = value(cell, "tcPr/gridSpan")
            columns = int(span) if _SPAN.fullmatch(span) else 1
            if _goes_on(cell) and column in owners and owners[column][0] < len(rows):
                above, at = owners[column]
                rows[above][at] = rows[above][at]._replace(rows=len(rows) - above + 1)
            else:
                cells.append(Cell(text_of(cell), columns))
                owners |= dict.fromkeys(
                    range(column, column + columns), (len(rows), len(cells) - 1)
                )
            column += columns
        names = row.find(f"{W}trPr/{W}tblHeader") is not None
        heads += names and heads == len(rows)
        rows.append(cells)
    caption = " ".join(" ".join(map(text_of, table.iterchildren(f"{W}p"))).split())
    return joined_cells(rows, heads=heads, caption=caption)


def is_frame(table: Element) -> bool:
    """Return whether a table is one cell, or one row with several paragraphs in a cell."""
    rows, cells = own_parts(table, "tr"), own_parts(table, "tc")
    texts = (
        [child for child in cell.iterchildren(f"{W}p", f"{W}tbl") if text_of(child)]
        for cell in cells
    )
    return len(rows) == 1 and (len(cells) == 1 or any(len(text) > 1 for text in texts))


def _goes_on(cell: Element) -> bool:
    """Return whether a cell is the rest of the one above it."""
    merged = cell.find(f"{W}tcPr/{W}vMerge")
    return merged is not None and merged.get(f"{W}val") != "restart"
