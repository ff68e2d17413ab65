"""Pieces of lines -> lines of text, with the cells of displayed tables.

The page's drawing order is kept; a footnote drawn in between moves behind what it interrupts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from research_agent.documents.layout.framed_tables import Table, table_in
from research_agent.documents.layout.frames import Frame
from research_agent.documents.layout.pieces import CELL_GAP, SAME_LINE, Rule, share
from research_agent.documents.layout.spans import Span

CELL_LINES = 6  # more lines than this, one above the other, are a column of text and no cell
LINE_PITCH = 1.7  # distance of baselines, in line heights, up to which the lower line goes on
COLUMN_ROWS = 5
"""Rows of two pieces, one above the other, from which they are two columns and no table."""
COLUMN_WORDS = 4  # words in a line of a column at least
FULL = 0.8  # share of a column's width that a line fills, and share of the lines that do
STRETCHED = 0.15
"""Difference of the gaps of a line, as a share, up to which it is words set apart to fill it."""
FLUSH = 1.5  # points by which the ends of such a line and of the next one differ at most
LONG_GAP = 3.0  # gap between the words of a line of two, in sizes of type, at most
LOOK_BACK = 15  # lines that may have been drawn in the middle of a paragraph, such as a footnote

_LETTERS = re.compile(r"[^\W\d_]{2,}(?![\w\d])")
_FORMULA = re.compile(r"\([A-Z]?\d+(?:\.\d+)*[a-z]?\)")  # its number


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text (one cell of one span), or one row of a table."""

    cells: tuple[tuple[Span, ...], ...]  # each cell holds spans one above the other; most hold one
    table: Table | None = None  # a whole table, whose cells the page's lines frame

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return the spans of all cells."""
        return tuple(span for cell in self.cells for span in cell)

    @property
    def text(self) -> str:
        """Return the text with single spaces between spans."""
        return " ".join(span.text for span in self.spans)

    @property
    def left(self) -> float:
        """Return the left edge."""
        return min(span.left for span in self.spans)

    @property
    def right(self) -> float:
        """Return the right edge."""
        return max(span.right for span in self.spans)

    @property
    def top(self) -> float:
        """Return the upper edge."""
        return max(span.top for span in self.spans)

    @property
    def bottom(self) -> float:
        """Return the lower edge."""
        return min(span.bottom for span in self.spans)

    @property
    def size(self) -> float:
        """Return the size of the type."""
        return self.cells[0][0].size

    @property
    def baseline(self) -> float:
        """Return the baseline of its first characters."""
        return self.cells[0][0].baseline

    @property
    def bold(self) -> int:
        """Return how many characters of its first span are bold."""
        return self.cells[0][0].bold


def rows(
    page_spans: Sequence[Span], rules: Sequence[Rule] = (), frames: Sequence[Frame] = ()
) -> tuple[Row, ...]:
    """Return lines and table rows in reading order; a span to the right is the row's next cell.

    One of the page's level lines that goes through all of a row's width parts two rows. A table
    whose cells are framed is one row.
    """
    done: list[Row] = []
    cells: list[list[Span]] = []
    others, tables = _with_tables(page_spans, frames)
    ordered = _reading_order(others)
    for at, span in enumerate(ordered):
        if span in tables:
            done.extend((*_finish(cells, rules), tables[span]))
            cells = []
            continue
        start = _cell_start(cells, ordered[at : at + CELL_LINES + 1])
        if start is not None:
            done.extend(Row(((line,),)) for line in cells[-1][:start])
            cells = [*cells[:-1], cells[-1][start:], [span]]
        elif cells and _goes_on(cells, span):
            cells[-1].append(span)
        else:
            done.extend(_finish(cells, rules))
            cells = [[span]]
    done.extend(_finish(cells, rules))
    return _top_down(_columns_apart([*_unstretched(_with_numbers(done))]))


def _with_tables(
    page_spans: Sequence[Span], frames: Sequence[Frame]
) -> tuple[list[Span], dict[Span, Row]]:
    """Return the spans, those of each framed table replaced by one as large as the table."""
    left, tables = list(page_spans), dict[Span, Row]()
    for frame in frames:
        if table := table_in(frame, left):
            own = {id(s) for row in table.rows for cell in row for line in cell.lines for s in line}
            inner = tuple(span for span in left if id(span) in own)
            row = Row((inner,), table)
            place = Span("", row.left, row.bottom, row.right, row.top, row.size, row.baseline)
            tables[place] = row
            at = next(index for index, span in enumerate(left) if id(span) in own)
            left[at] = place
            left = [span for span in left if id(span) not in own]
    return left, tables


def _with_numbers(page_rows: Sequence[Row]) -> list[Row]:
    found = [row for row in page_rows if not _FORMULA.fullmatch(row.text)]
    for number in (row for row in page_rows if _FORMULA.fullmatch(row.text)):
        line = number.spans[0]
        beside = (
            (abs(row.spans[-1].middle - line.middle), index)
            for index, row in enumerate(found)
            if len(row.cells) == 1 and row.right < line.left
            if share(row.spans[-1], line) > SAME_LINE
        )
        if (nearest := min(beside, default=None)) is None:
            return list(page_rows)
        found[nearest[1]] = Row(((*found[nearest[1]].cells[0], line),))
    return found


def _reading_order(page_spans: Sequence[Span]) -> list[Span]:
    ordered: list[Span] = []
    aside: list[Span] = []
    for span in page_spans:
        if ordered and span.middle > ordered[-1].top:
            start = _interrupted(ordered, span)
            aside.extend(ordered[start:])
            del ordered[start:]
        ordered.append(span)
    return ordered + aside


def _interrupted(ordered: Sequence[Span], span: Span) -> int:
    start = len(ordered)
    for index in range(len(ordered) - 2, max(-1, len(ordered) - LOOK_BACK), -1):
        before, after = ordered[index], ordered[index + 1]
        if before.bottom - after.top > 2 * LINE_PITCH * before.size:
            start = index + 1
        if start < len(ordered) and _follows(before, span):
            return start
    return len(ordered)


def _follows(before: Span, span: Span) -> bool:
    if share(before, span) >= SAME_LINE:
        return -1 <= span.left - before.right <= 3 * CELL_GAP * before.size
    return _is_below(before, span)


def _is_below(above: Span, span: Span) -> bool:
    pitch = above.bottom - span.bottom
    near = SAME_LINE * above.size < pitch <= LINE_PITCH * max(above.size, span.size)
    return near and span.left < above.right and span.right > above.left


def _goes_on(cells: Sequence[Sequence[Span]], span: Span) -> bool:
    if not _is_below(cells[-1][-1], span):
        return False
    if len(cells) == 1:
        return True
    within = span.left > max(above.right for above in cells[-2])
    return within and len(cells[-1]) < CELL_LINES


def _cell_start(cells: Sequence[Sequence[Span]], following: Sequence[Span]) -> int | None:
    """Return with which line the last cell starts if the next one begins the following, else None.

    Cells of several lines may be above and below the middle of the row.
    """
    span = following[0]
    if not cells or cells[-1][-1].right > span.left + 1:
        return None
    last = cells[-1]
    if share(last[-1], span) >= SAME_LINE:
        centred = len(last) > 1 and share(last[-2], span) >= SAME_LINE
        fits = centred and last[-2].right <= span.left + 1
        return len(last) - (2 if fits else 1) if len(cells) == 1 else 0
    start = len(last) - 1 if len(cells) == 1 else 0
    while start and len(last) - start < CELL_LINES and last[start - 1].right <= span.left + 1:
        start -= 1
    row = [line for cell in cells[:-1] for line in cell] + list(last[start:])
    low, high = min(line.bottom for line in row), max(line.top for line in row)
    slack = span.size / 2  # cells that are centred between two lines
    if low - slack <= span.middle <= high + slack:
        return start
    apart = (n for n, two in enumerate(pairwise(following), 1) if not _is_below(*two))
    end = next(apart, len(following))
    centred = abs((span.top + following[end - 1].bottom) / 2 - (low + high) / 2) <= slack
    return start if 1 < end <= CELL_LINES and centred else None


def _finish(cells: Sequence[Sequence[Span]], rules: Sequence[Rule]) -> tuple[Row, ...]:
    if len(cells) == 1:
        return tuple(Row(((span,),)) for span in cells[0])
    if not cells:
        return ()
    row = Row(tuple(tuple(cell) for cell in cells))
    for rule in rules:
        if rule.left < row.left and rule.right > row.right:
            upper = [[span for span in cell if span.middle > rule.y] for cell in cells]
            lower = [[span for span in cell if span.middle <= rule.y] for cell in cells]
            if any(upper) and any(lower):
                parts = ([cell for cell in part if cell] for part in (upper, lower))
                return tuple(row for part in parts for row in _finish(part, rules))
    return (row,)


def _unstretched(page_rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows; one whose cells are words set apart to fill a line is that line."""
    around = zip([None, *page_rows], page_rows, [*page_rows[1:], None], strict=False)
    for above, row, below in around:
        near = [other for other in (above, below) if other and _is_flush(row, other)]
        stretched = near and row.cells[1:] and _is_even(row)
        columns = stretched and any(_is_in_columns(row, other) for other in near)
        yield Row((row.spans,)) if stretched and not columns else row


def _is_flush(row: Row, other: Row) -> bool:
    apart = max(abs(row.left - other.left), abs(row.right - other.right))
    near = abs(row.baseline - other.baseline) <= LINE_PITCH * row.size
    return near and apart <= FLUSH and not (row.table or other.table)


def _is_even(row: Row) -> bool:
    """Return whether most of its pieces are words, evenly apart; of two, they are sentences."""
    gaps = [right - left for left, right in _gaps(row)]
    first, last = row.spans[0].text, row.spans[-1].text
    if len(gaps) == 1:
        return gaps[0] <= LONG_GAP * row.size and first[-1] in ".?!" and last[0].isupper()
    words = sum(_LETTERS.match(span.text) is not None for span in row.spans)
    return min(gaps) >= (1 - STRETCHED) * max(gaps) and 2 * words > len(row.spans)


def _is_in_columns(row: Row, other: Row) -> bool:
    gaps = _gaps(other)
    return all(any(min(b, d) > max(a, c) for c, d in gaps) for a, b in _gaps(row))


def _gaps(row: Row) -> list[tuple[float, float]]:
    return [(left.right, right.left) for left, right in pairwise(row.spans)]


def _columns_apart(page_rows: Sequence[Row]) -> list[Row]:
    ordered: list[Row] = []
    for pairs, run in groupby(page_rows, key=lambda row: [len(cell) for cell in row.cells]):
        lines = list(run)
        if pairs == [1, 1] and len(lines) >= COLUMN_ROWS and _are_columns(lines):
            ordered += [Row((row.cells[column],)) for column in (0, 1) for row in lines]
        else:
            ordered += lines
    return ordered


def _are_columns(lines: Sequence[Row]) -> bool:
    for column in (0, 1):
        spans = [row.cells[column][0] for row in lines]
        left, right = min(s.left for s in spans), max(s.right for s in spans)
        full = sum(s.right - s.left > FULL * (right - left) for s in spans)
        words = sum(len(s.text.split()) >= COLUMN_WORDS for s in spans)
        if min(full, words) < FULL * len(spans):
            return False
    return True


def _top_down(page_rows: Sequence[Row]) -> tuple[Row, ...]:
    ordered = sorted(page_rows, key=lambda row: -(row.top + row.bottom))
    beside = any(
        share(upper, lower) >= SAME_LINE and (upper.right < lower.left or lower.right < upper.left)
        for upper, lower in pairwise(ordered)
    )
    return tuple(page_rows if beside else ordered)
