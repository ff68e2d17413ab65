"""The rows of a table -> its columns, the row that names them, and cells that span several."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from research_agent.documents.layout.joining import join_lines
from research_agent.documents.layout.pieces import Rule
from research_agent.documents.layout.rows import Row
from research_agent.documents.layout.spans import Span

EDGE = 4.0  # points by which the ends of lines of one table differ at most
WIDE = 0.8  # share of a table's width that a line through all of it has at least
DOUBLE = 4.0  # points between the two lines of a double one at most
SPANNING = 0.2  # share of the rows whose cells may reach over the gap between two columns
LOOSE = 3.0
"""Height between two lines, in heights of their rows, from which there is text between tables."""
EMPTY = 10.0  # points between two lines without a row from which they are of two tables
RULED = 0.6  # lines through a table, as a share of its rows, from which each row has its own
MOST = 0.5  # share of the rows between two lines of a table that have several cells at least
UNSURE = 0.4  # share of rows with two cells in one column from which the columns are not certain
HEAD_ROWS = 6  # rows of a head at most
PAIR = 2  # cells of a row of names and values, which need no head

_CAPTION = re.compile(
    r"(?:Table|TABLE|Tab\.|Tabelle|Tableau)\s*[A-Z]?[\d.]*\d(?:\s*[.:\u2013\u2014-]\s+\S|\s+[A-Z])"
)
STEP = re.compile(r"\d{1,3}\s?:(?!\d)|(?:Input|Output|Require|Ensure)\s?:|[\u25b7\u25b9\u22b3]")
"""How a line of an algorithm begins."""
LEADERS = re.compile(r"(?:\.\s*){4,}")
_DOTS = re.compile(r"[. \u2026]+$")
_Cell = tuple[Span, ...]
_Edges = tuple[float, float]  # left and right


def is_caption(text: str) -> bool:
    """Say whether a line starts as the caption of a table does."""
    return _CAPTION.match(text) is not None


def framed(rows: Sequence[Row], rules: Sequence[Rule]) -> Iterator[tuple[int, int]]:
    """Yield where tables start and end (exclusive) that stand between lines of one width."""
    found = []
    for frame in _frames(rules):
        first = last = 0
        for above, below in pairwise(frame):
            inside = [i for i, row in enumerate(rows) if _is_between(row, above, below)]
            if inside and _is_part([rows[index] for index in inside], inside, above.y - below.y):
                first, last = first if last else inside[0], inside[-1] + 1
            elif inside or above.y - below.y > EMPTY:
                found.append((first, last))
                first = last = 0
        found.append((first, last))
    done = 0
    for first, last in sorted(found, key=lambda pair: (pair[0], -pair[1])):
        if first >= done and sum(len(row.cells) > 1 for row in rows[first:last]) > 1:
            yield first, last
            done = last


def _is_part(rows: Sequence[Row], places: Sequence[int], height: float) -> bool:
    cells = sum(len(row.cells) > 1 for row in rows)
    named = any(is_caption(span.text) for row in rows for span in row.spans)
    loose = height > LOOSE * (max(row.top for row in rows) - min(row.bottom for row in rows))
    apart = places[-1] - places[0] != len(places) - 1
    contents = sum(LEADERS.search(row.text) is not None and len(row.cells) <= PAIR for row in rows)
    steps = sum(STEP.match(row.text) is not None for row in rows)
    other = apart or named or loose or steps > 1 or contents > MOST * len(rows)
    return not other and (cells >= MOST * len(rows) or len(rows) == 1)


def _frames(rules: Sequence[Rule]) -> Iterator[Sequence[Rule]]:
    """Yield the lines that share both ends, from top to bottom; at least two a group.

    Those that begin later and end there are between rows that one name spans.
    """
    left = sorted(rules, key=lambda rule: -rule.y)
    while left:
        first = left[0]
        same = [r for r in left if max(abs(r.left - first.left), abs(r.right - first.right)) < EDGE]
        left = [rule for rule in left if rule not in same]
        if same[0].y - same[-1].y > DOUBLE:
            parts = [
                first._replace(y=rule.y)
                for rule in left
                if abs(rule.right - first.right) < EDGE and rule.left > first.left
                if rule.y < same[1].y
            ]
            yield sorted([*same, *parts], key=lambda rule: -rule.y)


def _is_between(row: Row, above: Rule, below: Rule) -> bool:
    middle = (row.top + row.bottom) / 2
    inside = row.left >= above.left - EDGE and row.right <= above.right + EDGE
    return above.y > middle > below.y and inside


class Grid:
    """A table's rows in columns."""

    def __init__(self, rows: Sequence[Row], rules: Sequence[Rule], words: Collection[str]) -> None:
        self._rows = rows = [_without_leaders(row) for row in rows]
        self._words = words
        wide = [index for index, row in enumerate(rows) if len(row.cells) > 1] or [0]
        self.first = wide[0]  # the first row with cells: the head, if any
        left, right = min(rows[i].left for i in wide), max(rows[i].right for i in wide)
        low, high = rows[wide[-1]].bottom - 6, rows[self.first].top + 6
        self._rules = [
            rule
            for rule in rules
            if low < rule.y < high and rule.left < right and rule.right > left
        ]
        self._through = [r.y for r in self._rules if r.right - r.left > WIDE * (right - left)]
        self.head = self._head_rows()  # rows that name the columns; 0 where no line tells
        if self.head and self.first and self._is_name(right - left):
            self.first, self.head = self.first - 1, self.head + 1
        last = self.first + max(self.head, 1)
        body = [row for row in rows[last:] if len(row.cells) > 1]
        self._columns = _columns(body or [rows[self.first]])
        if self.head and len(rows[last - 1].cells) > len(self._columns):
            self._columns = _with_empty(self._columns, rows[last - 1].cells)
        most = max(len(row.cells) for row in rows)
        if not self.head and len(self._columns) < most:
            self._columns = _columns([row for row in rows if len(row.cells) == most])
        self.columns = len(self._columns)
        wide_rows = [row for row in rows[last:] if len(row.cells) > 1]
        mixed = [r for r in wide_rows if len({self._place(c) for c in r.cells}) < len(r.cells)]
        self.unsure = len(mixed) > UNSURE * len(wide_rows)
        """Whether cells of many rows share a column: the columns are not certain."""

    def lines(self) -> Iterator[Sequence[str]]:
        """Yield the cells of each row; one piece of text where it is none of the table's."""
        head_end = self.first + self.head
        for row in self._rows[: self.first]:
            yield [self._text(row.spans)]
        if self.head:
            yield self._names(self._rows[self.first : head_end])
        placed = [self._placed(row) for row in self._rows[head_end:]]
        self._fill(placed, head_end)
        yield from self._between_lines(placed, head_end) if self.head else placed

    def _between_lines(self, placed: Sequence[list[str]], first: int) -> Iterator[list[str]]:
        """Yield the rows; lines of cells that no line parts are one where all but one are alone.

        Where most rows have a line below them, all that stands between two lines is one row.
        """
        rows = self._rows[first:]
        last = len(rows) - is_caption(rows[-1].text)
        inner = {sum(row.top + row.bottom > 2 * y for row in rows) for y in self._through}
        inner -= {0, last, len(rows)}
        if len(inner) < PAIR:
            yield from placed
            return
        each = len(inner) + 1 >= RULED * len(rows)
        for start, end in pairwise([0, *sorted(inner), last]):
            lines = rows[start:end]
            if len(lines) > 1 and (each or sum(len(row.cells) > 1 for row in lines) == 1):
                whole = [self._placed(row, lone=True) for row in lines]
                yield [
                    join_lines([*filter(None, texts)], self._words)
                    for texts in zip(*whole, strict=True)
                ]
            else:
                yield from placed[start:end]
        yield from placed[last:]

    def _is_name(self, width: float) -> bool:
        above, below = self._rows[self.first - 1], self._rows[self.first]
        gap = above.bottom - below.top
        apart = any(below.top - 2 < y < above.bottom + 2 for y in self._through)
        narrow = above.right - above.left < width / 2
        return narrow and gap < 0.6 * above.size and not apart and not is_caption(above.text)

    def _head_rows(self) -> int:
        """Return how many rows stand above the line that closes the head.

        A first line with several rows above it and one below it is that of a total.
        """
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
        pairs = ruled and not bold and closing.count(count) == 1 and len(rows[0].cells) == PAIR
        above = len(wide) - len(body)
        total = closing[0] == count == len(rows) - 1 and above >= PAIR and not bold
        return count if body and not pairs and not total else 0

    def _names(self, rows: Sequence[Row]) -> list[str]:
        names: list[list[str]] = [[] for _ in self._columns]
        for number, row in enumerate(rows, start=1):
            edges = [_edges(cell) for cell in row.cells]
            if len(row.cells) == len(self._columns):
                edges = self._columns
            for cell, (left, right) in zip(
                row.cells, self._reaches(edges, rows[number - 1 :]), strict=True
            ):
                over = [i for i, (a, b) in enumerate(self._columns) if a < right and b > left]
                text = self._text(cell)
                parts = text.split()
                each = number == len(rows) and 1 < len(over) == len(parts)
                for place, column in enumerate(over or [self._place(cell)]):
                    names[column].append(parts[place] if each else text)
        return [" ".join(parts) for parts in names]

    def _reaches(self, edges: Sequence[_Edges], rows: Sequence[Row]) -> Iterator[_Edges]:
        low = rows[0].bottom
        floor = rows[1].bottom if len(rows) > 1 else low
        under = [r for r in self._rules if floor < r.y < low + 4 and r.y not in self._through]
        for index, (left, right) in enumerate(edges):
            rule = next((r for r in under if r.left <= left + 2 and r.right >= right - 2), None)
            if rule is None:
                yield left, right
                continue
            first = (edges[index - 1][1] + left) / 2 if index else rule.left
            last = (right + edges[index + 1][0]) / 2 if index + 1 < len(edges) else rule.right
            yield max(rule.left, min(first, left)), min(rule.right, max(last, right))

    def _placed(self, row: Row, *, lone: bool = False) -> list[str]:
        if len(row.cells) == 1 and not lone:
            return [self._text(row.spans)]
        texts = [""] * len(self._columns)
        for cell in row.cells:
            column = self._place(cell)
            texts[column] = f"{texts[column]} {self._text(cell)}".strip()
        return texts

    def _place(self, cell: _Cell) -> int:
        """Return the column with which a cell has most in common, or to which it is nearest."""
        left, right = _edges(cell)
        common = [min(right, end) - max(left, start) for start, end in self._columns]
        return common.index(max(common))

    def _fill(self, placed: Sequence[list[str]], first: int) -> None:
        """Repeat a name of rows in all that it spans: lines between them leave its column out."""
        group: list[list[str]] = []
        for index, texts in enumerate(placed):
            row = self._rows[first + index]
            above = self._rows[first + index - 1] if index else row
            low, high = (row.top + row.bottom) / 2, (above.top + above.bottom) / 2
            between = [rule for rule in self._rules if low < rule.y < high]
            open_ = between and all(rule.left > self._columns[0][1] for rule in between)
            if not (index and open_ and len(texts) > 1):
                group = []
            group.append(texts)
            names = {texts[0] for texts in group if texts[0]}
            if len(group) > 1 and len(names) == 1:
                for spanned in group:
                    spanned[0] = next(iter(names))

    def _text(self, cell: Sequence[Span]) -> str:
        return join_lines([span.text for span in cell], self._words).removesuffix(" \u2026")


def _without_leaders(row: Row) -> Row:
    """Return a row without the cells that are dots alone, which lead from a name to its values."""
    later = (c for c in row.cells[1:] if not _DOTS.fullmatch(" ".join(s.text for s in c)))
    cells = (row.cells[0], *later)
    if len(cells) == len(row.cells):
        return row
    *lines, last = cells[0]
    first = (*lines, replace(last, text=_DOTS.sub("", last.text)))
    return Row((first, *cells[1:]))


def _edges(cell: _Cell) -> _Edges:
    return min(span.left for span in cell), max(span.right for span in cell)


def _with_empty(columns: Sequence[_Edges], names: Sequence[_Cell]) -> list[_Edges]:
    found = list(columns)
    for cell in names:
        left, right = _edges(cell)
        if all(right <= start or left >= end for start, end in found):
            found.append((left, right))
    return sorted(found)


def _columns(rows: Sequence[Row]) -> list[_Edges]:
    """Return the edges of the columns: gaps that few cells reach over part them."""
    cells = [_edges(cell) for row in rows for cell in row.cells]
    few = int(SPANNING * len(rows))
    ends = sorted([(left, 1) for left, _ in cells] + [(right, -1) for _, right in cells])
    columns: list[_Edges] = []
    depth, start = 0, None
    for at, step in ends:
        depth += step
        if start is None and depth > few:
            start = at
        elif start is not None and depth <= few:
            columns.append((start, at))
            start = None
    return columns
