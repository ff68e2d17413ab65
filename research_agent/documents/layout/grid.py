"""The rows of a table -> its columns, the row that names them, and cells that span several."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from research_agent.documents.layout.rows import Row, join_lines
from research_agent.documents.layout.spans import Rule, Span

EDGE = 4.0  # points by which the ends of lines of one table differ at most
WIDE = 0.8  # share of a table's width that a line through all of it has at least
DOUBLE = 4.0  # points between the two lines of a double one at most
SPANNING = 0.12  # share of the rows whose cells may reach over the gap between two columns
MOST = 0.5  # share of the rows between two lines of a table that have several cells at least
HEAD_ROWS = 6  # rows of a head at most

_CAPTION = re.compile(
    r"(?:Table|TABLE|Tab\.|Tabelle|Tableau)\s*[A-Z]?[\d.]*\d(?:\s*[.:\u2013\u2014-]\s+\S|\s+[A-Z])"
)
_Cell = tuple[Span, ...]


def is_caption(text: str) -> bool:
    """Say whether a line starts as the caption of a table does."""
    return _CAPTION.match(text) is not None


def framed(rows: Sequence[Row], rules: Sequence[Rule]) -> Iterator[tuple[int, int]]:
    """Yield where tables start and end (exclusive) that stand between lines of one width."""
    done = 0
    for frame in _frames(rules):
        first = last = None
        for above, below in pairwise(frame):
            inside = [i for i, row in enumerate(rows) if _is_between(row, above, below)]
            cells = sum(len(rows[index].cells) > 1 for index in inside)
            good = inside and inside[-1] - inside[0] == len(inside) - 1
            named = any(is_caption(span.text) for index in inside for span in rows[index].spans)
            few = cells <= MOST * len(inside) and len(inside) > 1
            if inside and (not good or named or few):
                if first is not None and last is not None:
                    break
                first = last = None
            elif inside:
                first, last = inside[0] if first is None else first, inside[-1] + 1
        if first is None or last is None or first < done:
            continue
        if sum(len(row.cells) > 1 for row in rows[first:last]) > 1:
            yield first, last
            done = last


def _frames(rules: Sequence[Rule]) -> Iterator[Sequence[Rule]]:
    """Yield the lines that share both ends, from top to bottom; at least two a group."""
    left = sorted(rules, key=lambda rule: -rule.y)
    while left:
        first = left[0]
        same = [r for r in left if max(abs(r.left - first.left), abs(r.right - first.right)) < EDGE]
        left = [rule for rule in left if rule not in same]
        if same[0].y - same[-1].y > DOUBLE:
            yield same


def _is_between(row: Row, above: Rule, below: Rule) -> bool:
    middle = (row.top + row.bottom) / 2
    inside = row.left >= above.left - EDGE and row.right <= above.right + EDGE
    return above.y > middle > below.y and inside


class Grid:
    """A table's rows in columns."""

    def __init__(self, rows: Sequence[Row], rules: Sequence[Rule], words: Collection[str]) -> None:
        """Find head and columns of the rows of a table, its caption among them."""
        self._rows, self._words = rows, words
        wide = [index for index, row in enumerate(rows) if len(row.cells) > 1]
        self.first = wide[0]
        """The first row with cells: the head, if any."""
        left, right = min(rows[i].left for i in wide), max(rows[i].right for i in wide)
        low, high = rows[wide[-1]].bottom - 6, rows[self.first].top + 6
        self._rules = [
            rule
            for rule in rules
            if low < rule.y < high and rule.left < right and rule.right > left
        ]
        self._through = [r.y for r in self._rules if r.right - r.left > WIDE * (right - left)]
        self.head = self._head_rows()
        """Rows that name the columns; 0 where no line tells."""
        if self.head and self.first and self._is_name(right - left):
            self.first, self.head = self.first - 1, self.head + 1
        last = self.first + max(self.head, 1)
        body = [row for row in rows[last:] if len(row.cells) > 1]
        self._columns = _columns(body or [rows[self.first]])
        if self.head:
            self._columns = _with_empty(self._columns, rows[last - 1].cells)
        most = max(len(row.cells) for row in rows)
        if not self.head and len(self._columns) < most:
            self._columns = _columns([row for row in rows if len(row.cells) == most])
        self.columns = len(self._columns)

    def lines(self) -> Iterator[Sequence[str]]:
        """Yield the cells of each row; one piece of text where it is none of the table's."""
        head_end = self.first + self.head
        for row in self._rows[: self.first]:
            yield [self._text(row.spans)]
        if self.head:
            yield self._names(self._rows[self.first : head_end])
        placed = [self._placed(row) for row in self._rows[head_end:]]
        self._fill(placed, head_end)
        yield from placed

    def _is_name(self, width: float) -> bool:
        """Say whether the row above the first one with cells is a part of the head."""
        above, below = self._rows[self.first - 1], self._rows[self.first]
        gap = above.bottom - below.top
        apart = any(below.top - 2 < y < above.bottom + 2 for y in self._through)
        narrow = above.right - above.left < width / 2
        return narrow and gap < 0.6 * above.size and not apart and not is_caption(above.text)

    def _head_rows(self) -> int:
        """Return how many rows stand above the line that closes the head."""
        rows = self._rows[self.first :]
        closing = [
            sum((row.top + row.bottom) / 2 > y for row in rows)
            for y in sorted(self._through, reverse=True)
        ]
        count = next((count for count in closing if count), 0)
        if not 0 < count <= min(HEAD_ROWS, len(rows) - 1):
            return 0
        wide = [index for index, row in enumerate(rows) if len(row.cells) > 1]
        body = [index for index in wide if index >= count]
        bold = all(span.bold for row in rows[:count] for span in row.spans)
        inner = {closed for closed in closing if count < closed <= wide[-1]}
        ruled = len(inner) >= max(len(body) - 1, 1)
        if not body or (ruled and not bold and closing.count(count) == 1 and len(rows[0].cells) == 2):
            return 0
        return count

    def _names(self, rows: Sequence[Row]) -> list[str]:
        names: list[list[str]] = [[] for _ in self._columns]
        for number, row in enumerate(rows, start=1):
            for cell in row.cells:
                left, right = self._reach(cell, rows[number:])
                over = [i for i, (a, b) in enumerate(self._columns) if a < right and b > left]
                text = self._text(cell)
                parts = text.split()
                each = number == len(rows) and 1 < len(over) == len(parts)
                for place, column in enumerate(over or [self._place(cell)]):
                    names[column].append(parts[place] if each else text)
        return [" ".join(parts) for parts in names]

    def _reach(self, cell: _Cell, below: Sequence[Row]) -> tuple[float, float]:
        """Return the edges of a head's cell, those of the line under it where it spans columns."""
        left, right = min(span.left for span in cell), max(span.right for span in cell)
        low = min(span.bottom for span in cell)
        floor = min((row.bottom for row in below), default=low - 4)
        for rule in self._rules:
            if floor < rule.y < low + 4 and rule.left <= left + 2 and rule.right >= right - 2:
                if below and rule.y not in self._through:
                    return rule.left, rule.right
        return left, right

    def _placed(self, row: Row) -> list[str]:
        if len(row.cells) == 1 and (is_caption(row.text) or len(self._rows) > 1):
            return [self._text(row.spans)]
        texts = [""] * len(self._columns)
        for cell in row.cells:
            column = self._place(cell)
            texts[column] = f"{texts[column]} {self._text(cell)}".strip()
        return texts

    def _place(self, cell: _Cell) -> int:
        """Return the column with which a cell has most in common, or to which it is nearest."""
        left, right = min(span.left for span in cell), max(span.right for span in cell)
        common = [min(right, end) - max(left, start) for start, end in self._columns]
        return common.index(max(common))

    def _fill(self, placed: Sequence[list[str]], first: int) -> None:
        """Repeat a name of rows in all that it spans: lines between them leave its column out."""
        group: list[list[str]] = []
        for index, texts in enumerate(placed):
            row = self._rows[first + index]
            above = self._rows[first + index - 1] if index else row
            between = [r for r in self._rules if row.top - 4 < r.y < above.bottom + 4]
            open_ = between and all(rule.left > self._columns[0][1] for rule in between)
            if not (index and open_ and len(texts) > 1):
                group = []
            group.append(texts)
            named = [texts[0] for texts in group if texts[0]]
            if len(group) > 1 and len(named) == 1:
                for texts in group:
                    texts[0] = named[0]

    def _text(self, cell: Sequence[Span]) -> str:
        return join_lines([span.text for span in cell], self._words)


def _with_empty(
    columns: Sequence[tuple[float, float]], names: Sequence[_Cell]
) -> list[tuple[float, float]]:
    """Return the columns and those that have a name, and nothing or little below it."""
    found = list(columns)
    for cell in names:
        left, right = min(span.left for span in cell), max(span.right for span in cell)
        if all(right <= start or left >= end for start, end in found):
            found.append((left, right))
    return sorted(found)


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the edges of the columns: gaps that few cells reach over part them."""
    cells = [
        (min(span.left for span in cell), max(span.right for span in cell))
        for row in rows
        for cell in row.cells
    ]
    few = int(SPANNING * len(rows))
    ends = sorted([(left, 1) for left, _ in cells] + [(right, -1) for _, right in cells])
    columns: list[tuple[float, float]] = []
    depth, start = 0, None
    for at, step in ends:
        depth += step
        if start is None and depth > few:
            start = at
        elif start is not None and depth <= few:
            columns.append((start, at))
            start = None
    return columns
