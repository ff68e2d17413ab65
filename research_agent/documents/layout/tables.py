"""Which rows of a page are a displayed table, the table as text, and how it goes on overleaf."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from research_agent.documents.layout.framed_tables import Table
from research_agent.documents.layout.grid import LEADERS, STEP, Grid, framed, is_caption
from research_agent.documents.layout.joining import join_lines
from research_agent.documents.layout.pieces import Rule
from research_agent.documents.layout.rows import Row
from research_agent.documents.layout.spans import Span
from research_agent.text.tables import HEAD_LINE, Cell, cells, head_of, joined_cells, without_line
from research_agent.types.documents import Block

ROW_GAP = 2.5  # distance, in line heights, from which two rows are not of one table
HEADER_CHARS = 60  # a lone cell between or above rows is at most this long
LONE_ROWS = 2  # rows of one cell between two of several at most
PAIR = 2
"""Cells of a row at least; of two cells only three rows with their second cells in line are a
table."""
ALIGNED = 6.0  # points by which the edges of a column may differ

NOT_CERTAIN = "(A table; which column a value is in could not be read with certainty.)"
_MARK = re.compile(r"[^\w\s]|\(?(?:\d{1,2}|[a-z])[.)]")


def table_ranges(rows: Sequence[Row], rules: Sequence[Rule] = ()) -> tuple[tuple[int, int], ...]:
    """Return where tables start and end (exclusive) among the rows of a page.

    What stands between the first and the last of some lines of one width is a table if most of
    its rows have cells. Else two rows of three cells are one; of two cells, three rows whose
    second cells are one above the other. Rows with cells that go on into lines of one width are
    the head of that table, and one that goes on below them in its columns is its total. A table
    whose cells are framed is one row. A caption belongs to the nearer table.
    """
    found: list[tuple[int, int]] = []
    done = 0
    for index in (*(index for index, row in enumerate(rows) if row.table), len(rows)):
        between = _between(rows[done:index], rules)
        found += [(done + first, done + end) for first, end in between]
        found += [(index, index + 1)] * (index < len(rows))
        done = index + 1
    return _with_captions(rows, found)


def _between(rows: Sequence[Row], rules: Sequence[Rule]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    ruled = dict(framed(rows, rules))
    start = 0
    while start < len(rows):
        if start in ruled:
            end = _with_total(rows, ruled[start], ruled)
            found.append((start, end))
            start = end
            continue
        whole = _region_end(rows, start)
        end = min([whole, *(first for first in ruled if first > start)])
        if start < end < whole:
            ruled[start] = ruled[end]
            continue
        if _is_table(rows[start:end]):
            found.append((_with_head(rows, start, found), end))
        start = max(end, start + 1)
    return found


def _with_total(rows: Sequence[Row], end: int, ruled: Collection[int]) -> int:
    """Return the end of a table, with a row below its last line whose cells are in its columns."""
    alone = end < len(rows) and _region_end(rows, end) == end + 1 and end + 1 not in ruled
    if not alone or end in ruled or not _is_near(rows[end - 1], rows[end]):
        return end
    columns = [cell[0] for cell in rows[end - 1].cells]
    inside = all(_is_in_column(cell[0], columns) for cell in rows[end].cells)
    return end + inside


def _is_in_column(cell: Span, columns: Sequence[Span]) -> bool:
    over = [one for one in columns if one.left < cell.right and one.right > cell.left]
    return len(over) == 1 and _is_aligned(cell, over[0])


def table_text(rows: Sequence[Row], words: Collection[str] = (), rules: Sequence[Rule] = ()) -> str:
    """Return one line a row, its cells separated by " | ", empty cells where a column has none.

    `rules` are the page's level lines. Rows above the line that closes the head become one row;
    in it a cell that spans columns names each of them. A cell that spans rows is in each of them.
    Where the columns are not certain, the first line says so and the rows are plain text.
    """
    if table := next((row.table for row in rows if row.table), None):
        caption = "\n".join(row.text for row in rows if not row.table)
        return _framed_text(table, caption, words)
    grid = Grid(rows, rules, words)
    if grid.unsure:
        return "\n".join([NOT_CERTAIN, *(row.text for row in rows)])
    lines = [[*line] for line in grid.lines()]
    texts = [re.sub(r" +", " ", " | ".join(line)).strip() for line in lines]
    if grid.head and grid.columns == PAIR:
        texts.insert(grid.first + 1, HEAD_LINE)
    return "\n".join(texts)


def _framed_text(table: Table, caption: str, words: Collection[str]) -> str:
    """Return the rows; those above a double line, or all bold at the top, are the head.

    A bold cell alone, below the first row, is about the rows that follow.
    """
    names = [
        not (at and len(row) == 1)
        and all(s.bold == len(s.text) for cell in row for line in cell.lines for s in line)
        for at, row in enumerate(table.rows)
    ]
    heads = table.heads or (names.index(False) if False in names else 0)
    texts = [
        [
            Cell(
                join_lines([" ".join(span.text for span in line) for line in cell.lines], words),
                cell.columns,
                cell.rows,
            )
            for cell in row
        ]
        for row in table.rows
    ]
    return joined_cells(texts, heads=heads, caption=caption)


def with_heads(pages: Iterable[Iterable[Block]]) -> Iterator[Block]:
    r"""Yield the blocks of all pages; a table that goes on has caption and head on each page.

    It goes on overleaf in one section and with as many columns, unless the head is repeated.

    >>> first = Block("Table 1. Sizes\n | key | text\nA | 8 | 9", 1, kind="table")
    >>> print([*with_heads([[first], [Block("B | 7 | 6", 2, kind="table")]])][1].text)
    Table 1. Sizes
     | key | text
    B | 7 | 6
    """
    before: Block | None = None
    for page in pages:
        blocks = list(page)
        if before and blocks and blocks[0].kind == "table":
            blocks[0] = _continued(before, blocks[0])
        yield from blocks
        before = blocks[-1] if blocks and blocks[-1].kind == "table" else None


def _continued(before: Block, table: Block) -> Block:
    head = head_of(before.text)
    first = table.text.split("\n", 1)[0]
    names = cells(without_line(head).rpartition("\n")[2])
    if not names or before.section != table.section or is_caption(first):
        return table
    if len(cells(first)) != len(names) or cells(first) == names:
        return table
    return replace(table, text=f"{head}\n{table.text}")


def _is_row(row: Row) -> bool:
    if len(row.cells) < PAIR or LEADERS.search(row.text):
        return False
    first, last = row.cells[0][0].text, row.cells[-1][0].text
    return not (STEP.match(first) or STEP.match(last) or _MARK.fullmatch(first))


def _is_near(above: Row, below: Row) -> bool:
    return -above.size < above.bottom - below.top < (ROW_GAP - 1) * above.size


def _is_lone(row: Row) -> bool:
    return len(row.text) <= HEADER_CHARS and not is_caption(row.text)


def _region_end(rows: Sequence[Row], start: int) -> int:
    if not _is_row(rows[start]):
        return start
    end = start + 1
    for index in range(start + 1, len(rows)):
        row = rows[index]
        wide = _is_row(row)
        if not _is_near(rows[index - 1], row) or not (wide or _is_lone(row)):
            break
        if index - end >= LONE_ROWS and not wide:
            break
        end = index + 1 if wide else end
    return end


def _is_table(rows: Sequence[Row]) -> bool:
    wide = [row for row in rows if len(row.cells) > 1]
    if max((len(row.cells) for row in wide), default=0) > PAIR:
        return len(wide) > 1
    seconds = [row.cells[1][0] for row in wide]
    aligned = max((sum(_is_aligned(a, b) for b in seconds) for a in seconds), default=0)
    return len(wide) > PAIR and aligned > 0.6 * len(wide)


def _is_aligned(a: Span, b: Span) -> bool:
    middle = abs(a.left + a.right - b.left - b.right) / 2
    return min(abs(a.left - b.left), abs(a.right - b.right), middle) <= ALIGNED


def _with_head(rows: Sequence[Row], start: int, found: Sequence[tuple[int, int]]) -> int:
    floor = found[-1][1] if found else 0
    if start <= floor:
        return start
    head = rows[start - 1]
    tight = head.bottom - rows[start].top < 0.6 * head.size
    inside = head.left >= rows[start].left - ALIGNED and head.right <= rows[start].right
    joined = _is_lone(head) and tight and inside and _is_near(head, rows[start])
    return start - 1 if joined else start


def _with_captions(
    rows: Sequence[Row], found: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    ranges = [list(pair) for pair in found]
    for index, row in enumerate(rows):
        if not is_caption(row.text):
            continue
        last = index + 1
        below = next((r for r in ranges if last <= r[0] <= last + 1), None)
        above = next((r for r in ranges if r[1] == index), None)
        down = row.bottom - rows[below[0]].top if below else 1e9
        up = rows[above[1] - 1].bottom - row.top if above else 1e9
        if below and 0 <= down <= up and down < 6 * row.size:
            below[0] = index
        elif above and 0 <= up < 6 * row.size:
            above[1] = last
    return tuple((start, end) for start, end in ranges)
