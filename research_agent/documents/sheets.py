"""Rows of a sheet -> tables whose every row can be read, and found again, by itself."""

from collections.abc import Iterable, Iterator, Sequence

from research_agent.text.tables import SEPARATOR
from research_agent.types.documents import Block

BLOCK_CHARS = 900
"""Rows are put together up to this length, so that a place names few of them."""

Row = tuple[int, Sequence[str]]
"""Its number, counted from 1 as programs show it, and its cells."""


def sheet_blocks(rows: Iterable[Row], section: tuple[str, ...] = ()) -> Iterator[Block]:
    r"""Yield the tables of a sheet in parts of a few rows, each with its head and row numbers.

    The first row with several filled cells is the head, and so is a row of words alone below an
    empty one. A row of one cell above a table is text. The last part of a block's section names
    its rows.

    >>> blocks = list(sheet_blocks([(1, ["Item", "Price"]), (2, ["Bread", "3"])], ("sheet A",)))
    >>> blocks[0].section, blocks[0].text
    (('sheet A', 'row 2'), 'row | Item | Price\n2 | Bread | 3')
    """
    head: Sequence[str] = ()
    part: list[Row] = []
    size, fresh = 0, True
    for number, row in _filled(rows):
        if not row:
            fresh = True
            continue
        is_head = not head or (fresh and not any(map(_is_number, row)))
        values = dict.fromkeys(filter(None, row))  # (a merged title fills a whole row)
        if is_head and len(values) > 1:
            yield from _part(head, part, section)
            head, part, size = row, [], 0
        elif not head:
            yield Block(" ".join(values), section=section)
        else:
            length = sum(map(len, row)) + 3 * len(row)
            if part and size + length > BLOCK_CHARS:
                yield from _part(head, part, section)
                part, size = [], 0
            part.append((number, row))
            size += length
        fresh = False
    yield from _part(head, part, section)


def _filled(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows with their cells on one line each, without empty cells at the end."""
    for number, row in rows:
        cells = [" ".join(cell.split()) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        yield number, cells


def _part(head: Sequence[str], rows: Sequence[Row], section: tuple[str, ...]) -> Iterator[Block]:
    if not rows:
        if head:
            yield Block(" | ".join(filter(None, head)), section=section)
        return
    first, last = rows[0][0], rows[-1][0]
    name = f"row {first}" if first == last else f"rows {first}-{last}"
    width = max(len(head), *(len(row) for _, row in rows))
    lines = [("row", *head), *((str(number), *row) for number, row in rows)]
    padded = (line + ("",) * (width + 1 - len(line)) for line in lines)
    text = "\n".join(f" {SEPARATOR} ".join(line).rstrip() for line in padded)
    yield Block(text, section=(*section, name), kind="table")


def _is_number(cell: str) -> bool:
    return bool(cell) and sum(map(str.isdigit, cell)) * 2 >= len(cell)
