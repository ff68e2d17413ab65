"""Which rows of a page are a displayed table, and the table as text."""

import re
from collections.abc import Collection, Sequence

from research_agent.documents.layout.line_joining import join_lines
from research_agent.documents.layout.page_layout import Row
from research_agent.documents.layout.page_spans import Span

ROW_GAP = 2.5
"""Distance, in line heights, from which two rows are not of one table."""
HEADER_CHARS = 60
"""A lone cell between or above rows is at most this long."""
LONE_ROWS = 2
"""So many rows of one cell may stand between two of several."""
PAIR = 2
"""Cells of a row at least; of just so many only three rows with their second cells in line
are a table."""
ALIGNED = 6.0
"""Points by which the edges of a column may differ."""

_CAPTION = re.compile(
    r"(?:Table|TABLE|Tab\.|Tabelle|Tableau)\s*[A-Z]?[\d.]*\d(?:\s*[.:\u2013\u2014-]\s+\S|\s+[A-Z])"
)
_LEADERS = re.compile(r"(?:\.\s*){4,}")
_STEP = re.compile(r"(?:\d{1,3}|Input|Output|Require|Ensure)\s?:|[\u25b7\u25b9\u22b3]")
_MARK = re.compile(r"[^\w\s]|\(?(?:\d{1,2}|[a-z])[.)]")


def is_caption(text: str) -> bool:
    """Say whether a line starts as the caption of a table does.

    >>> is_caption("Table 3. Sizes (in bytes)"), is_caption("Table 3 lists the sizes")
    (True, False)
    """
    return _CAPTION.match(text) is not None


def table_ranges(rows: Sequence[Row]) -> tuple[tuple[int, int], ...]:
    """Return where tables start and end (exclusive) among the rows of a page.

    Two rows of three cells are a table; of two cells, three rows whose second cells stand one
    above the other. A caption belongs to the nearer table.

    >>> def row(y, *xs):
    ...     return Row(tuple((Span("x", x, y, x + 9, y + 9),) for x in xs))
    >>> table_ranges([row(60, 0), row(36, 0, 30, 60), row(24, 0, 30, 60), row(0, 0)])
    ((1, 3),)
    """
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(rows):
        end = _region_end(rows, start)
        if _is_table(rows[start:end]):
            found.append((_with_head(rows, start, found), end))
        start = max(end, start + 1)
    return _with_captions(rows, found)


def table_text(rows: Sequence[Row], words: Collection[str] = ()) -> str:
    r"""Return one line a row, its cells separated by " | ", empty cells where a column has none.

    >>> def row(y, *xs):
    ...     return Row(tuple((Span(f"x{x}", x, y, x + 9, y + 9),) for x in xs))
    >>> table_text([row(12, 30, 60), row(0, 0, 30, 60)])
    '| x30 | x60\nx0 | x30 | x60'
    """
    columns = _columns(rows)
    lines = []
    for row in rows:
        cells = [join_lines([span.text for span in cell], words) for cell in row.cells]
        places = [_place(cell, columns) for cell in row.cells]
        if 1 < len(cells) < len(columns) and len(set(places)) == len(places):
            filled = [""] * len(columns)
            for place, cell in zip(places, cells, strict=True):
                filled[place] = cell
            cells = filled
        lines.append(re.sub(r" +", " ", " | ".join(cells)).strip())
    return "\n".join(lines)


def _is_row(row: Row) -> bool:
    """Say whether a row may be one of a table: cells, no leaders, no list item, no program."""
    if len(row.cells) < PAIR or _LEADERS.search(row.text):
        return False
    first, last = row.cells[0][0].text, row.cells[-1][0].text
    return not (_STEP.match(first) or _STEP.match(last) or _MARK.fullmatch(first))


def _is_near(above: Row, below: Row) -> bool:
    """Say whether two rows are close enough, one above the other, to be of one table."""
    return -above.size < above.bottom - below.top < (ROW_GAP - 1) * above.size


def _region_end(rows: Sequence[Row], start: int) -> int:
    """Return the end of the rows of several cells that begin at `start`, lone cells between."""
    if not _is_row(rows[start]):
        return start
    end = start + 1
    for index in range(start + 1, len(rows)):
        row = rows[index]
        lone = len(row.text) <= HEADER_CHARS and not is_caption(row.text)
        if not _is_near(rows[index - 1], row) or not (_is_row(row) or lone):
            break
        if index - end >= LONE_ROWS and not _is_row(row):
            break
        if _is_row(row):
            end = index + 1
    return end


def _is_table(rows: Sequence[Row]) -> bool:
    """Say whether a run of rows is a table and not text with a few gaps."""
    wide = [row for row in rows if len(row.cells) > 1]
    most = max((len(row.cells) for row in wide), default=0)
    if most > PAIR:
        return len(wide) > 1
    aligned = max(
        (sum(_is_aligned(row.cells[1], other.cells[1]) for other in wide) for row in wide),
        default=0,
    )
    return len(wide) > PAIR and aligned > 0.6 * len(wide)


def _is_aligned(a: Sequence[Span], b: Sequence[Span]) -> bool:
    """Say whether two cells share a left, right or middle line."""
    left, right = abs(a[0].left - b[0].left), abs(a[0].right - b[0].right)
    middle = abs(a[0].left + a[0].right - b[0].left - b[0].right) / 2
    return min(left, right, middle) <= ALIGNED


def _with_head(rows: Sequence[Row], start: int, found: Sequence[tuple[int, int]]) -> int:
    """Return the start of a table with a lone header cell above its first row."""
    floor = found[-1][1] if found else 0
    if start <= floor:
        return start
    head = rows[start - 1]
    short = len(head.text) <= HEADER_CHARS and not is_caption(head.text)
    tight = head.bottom - rows[start].top < 0.6 * head.size
    inside = head.left >= rows[start].left - ALIGNED and head.right <= rows[start].right
    return start - 1 if short and tight and inside and _is_near(head, rows[start]) else start


def _with_captions(
    rows: Sequence[Row], found: Sequence[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Return the ranges with each caption taken into the nearer table above or below it."""
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


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the left and right edges of the columns, from the rows that fill them all."""
    most = max(len(row.cells) for row in rows)
    full = [row for row in rows if len(row.cells) == most]
    return [
        (
            min(span.left for row in full for span in row.cells[i]),
            max(span.right for row in full for span in row.cells[i]),
        )
        for i in range(most)
    ]


def _place(cell: Sequence[Span], columns: Sequence[tuple[float, float]]) -> int:
    """Return the column with which a cell has most in common, or to which it is nearest."""
    left, right = min(span.left for span in cell), max(span.right for span in cell)

    def common(index: int) -> float:
        return min(right, columns[index][1]) - max(left, columns[index][0])

    return max(range(len(columns)), key=common)
