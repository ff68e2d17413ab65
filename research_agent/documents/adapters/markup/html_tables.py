"""Tables of web pages."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from research_agent.documents.adapters.markup.html_shown import code, is_hidden, line
from research_agent.text.tables import Cell, joined_cells

_SPAN = re.compile(r"[1-9][0-9]{0,4}")
_NO_TABLE = frozenset({"presentation", "none"})
_PARTS = frozenset(["tbody", "tfoot", "thead"])


def is_layout(table: LexborNode) -> bool:
    """Return whether a table only places parts of a page.

    Its role says so, it has code beside its lines' numbers, or headings or tables without names of
    its own columns.
    """
    rows = [*_rows(table)]
    if table.attributes.get("role") in _NO_TABLE or (len(rows) == 1 and table.css_first("td pre")):
        return True
    if any(cell.tag == "th" for row in rows for cell in _cells(row)):
        return False
    return len(table.css("table")) > 1 or bool(table.css_first("td h1, td h2, td h3"))


def is_line_numbers(pre: LexborNode) -> bool:
    """Return whether a `pre` has nothing but the numbers of the lines of code beside it."""
    row = pre.parent
    while row is not None and row.tag != "tr":
        row = row.parent
    return row is not None and len(row.css("pre")) > 1 and "".join(code(pre).split()).isdecimal()


def table_of(table: LexborNode) -> str:
    """Return a table as it is shown, below its caption; the rows of its foot come last."""
    caption = table.css_first("caption") or _caption_beside(table)
    grid: list[list[Cell]] = []
    heads = 0
    for row in sorted(_rows(table), key=lambda row: _part(row) == "tfoot"):
        cells = _cells(row)
        names = _part(row) == "thead"
        if heads == len(grid) and cells and (names or all(cell.tag == "th" for cell in cells)):
            heads += 1
        grid.append([Cell(line(cell), *_covered(cell)) for cell in cells])
    return joined_cells(grid, heads=heads, caption=line(caption) if caption else "")


def is_caption(figcaption: LexborNode) -> bool:
    """Return whether the caption of a figure is read with a table that has none of its own."""
    table = figcaption.parent.css_first("figure > table") if figcaption.parent else None
    if table is None or is_layout(table) or table.css_first("caption"):
        return False
    return _caption_beside(table) is not None


def _caption_beside(table: LexborNode) -> LexborNode | None:
    """Return the caption of the figure that a table is alone in."""
    figure = table.parent
    if figure is None or figure.tag != "figure" or len(figure.css("table")) > 1:
        return None
    return figure.css_first("figcaption")


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    """Yield the rows of a table itself, without those of tables in its cells."""
    for child in table.iter():
        if child.tag in _PARTS and not is_hidden(child):
            yield from _rows(child)
        elif child.tag == "tr" and not is_hidden(child):
            yield child


def _part(row: LexborNode) -> str | None:
    return row.parent.tag if row.parent is not None else None


def _cells(row: LexborNode) -> list[LexborNode]:
    return [child for child in row.iter() if child.tag in ("th", "td") and not is_hidden(child)]


def _covered(cell: LexborNode) -> tuple[int, int]:
    spans = (cell.attributes.get(name) or "" for name in ("colspan", "rowspan"))
    columns, rows = (int(span) if _SPAN.fullmatch(span) else 1 for span in spans)
    return columns, rows
