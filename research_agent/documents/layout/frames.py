"""The straight lines of a page -> the cells that they frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from research_agent.documents.layout.pieces import Bar, Rule
from research_agent.documents.layout.spans import Span

TOUCH = 2.0  # points by which lines that meet may miss one another
DOUBLE = 4.0  # points between the two lines of a double one at most
DRAWN = 0.7  # share of a side of a cell that is drawn at least
MOST_PAIRS, MOST_PLACES, MOST_FRAMES = 200_000, 2_000, 50
"""Pairs of a level and an upright line of a page, cells of a table, and tables of a page, the
largest ones; drawings have more."""
APART = 1.0  # points between the two lines of a double one at least


Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a frame, and the columns and rows that it covers."""

    row: int
    column: int
    rows: int
    columns: int
    box: Box


@dataclass(frozen=True, slots=True)
class Frame:
    """The cells of a table, row by row, each from left to right."""

    cells: tuple[Cell, ...]
    box: Box
    heads: int
    """Rows above a double line, where other lines are single: they name the columns."""

    def surrounds(self, span: Span, *, higher: float = 0.0) -> bool:
        """Return whether the middle of a piece of text is in it, and it is `higher` than that."""
        left, bottom, right, top = self.box
        inside = left < (span.left + span.right) / 2 < right and bottom < span.middle < top
        return inside and top - bottom > higher


def frames(rules: Sequence[Rule], bars: Sequence[Bar]) -> tuple[Frame, ...]:
    """Return what level and upright lines frame: at least two rows and two columns of cells.

    Lines that touch are of one table. It may be open at its outer sides, but has two level lines.

    >>> rules = [Rule(0, 40, y) for y in (0, 20, 40)]
    >>> (frame,) = frames(rules, [Bar(x, 0, 40) for x in (0, 20, 40)])
    >>> [(cell.row, cell.column) for cell in frame.cells]
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    if len(rules) * len(bars) > MOST_PAIRS:
        return ()
    found = (_frame(*lines) for lines in _touching(rules, bars))
    return tuple(sorted(filter(None, found), key=_area, reverse=True)[:MOST_FRAMES])


def bars_of(found: Sequence[Frame]) -> tuple[Bar, ...]:
    """Return the upright sides of all cells."""
    boxes = (cell.box for frame in found for cell in frame.cells)
    return tuple({Bar(x, low, high) for left, low, right, high in boxes for x in (left, right)})


def _touching(
    rules: Sequence[Rule], bars: Sequence[Bar]
) -> Iterator[tuple[Sequence[Rule], Sequence[Bar]]]:
    """Yield the lines that touch, directly or by way of others."""
    left, waiting = set(rules), set(bars)
    while left:
        own: tuple[set[Rule], set[Bar]] = ({left.pop()}, set())
        new = set(own[0])
        while new:
            met = {bar for bar in waiting if any(_meet(rule, bar) for rule in new)}
            waiting -= met
            new = {rule for rule in left if any(_meet(rule, bar) for bar in met)} if met else set()
            left -= new
            own[0].update(new)
            own[1].update(met)
        if own[1]:
            yield [*own[0]], [*own[1]]


def _meet(rule: Rule, bar: Bar) -> bool:
    across = rule.left - TOUCH <= bar.x <= rule.right + TOUCH
    return across and bar.bottom - TOUCH <= rule.y <= bar.top + TOUCH


def _frame(rules: Sequence[Rule], bars: Sequence[Bar]) -> Frame | None:
    ends = [min(rule.left for rule in rules), max(rule.right for rule in rules)]
    sides = [min(bar.bottom for bar in bars), max(bar.top for bar in bars)]
    upright, level = [*ends, *(bar.x for bar in bars)], [*sides, *(rule.y for rule in rules)]
    rules = [r for r in rules if _is_near(r.left, upright) and _is_near(r.right, upright)]
    bars = [b for b in bars if _is_near(b.bottom, level) and _is_near(b.top, level)]
    xs = _places([*ends, *(bar.x for bar in bars)])
    ys = _places([*sides, *(rule.y for rule in rules)])[::-1]
    columns, rows = len(xs) - 1, len(ys) - 1
    levels = len(_places([rule.y for rule in rules]))  # (of a diagram's axes only one)
    if min(columns, rows, levels) < 2 or columns * rows > MOST_PLACES:  # noqa: PLR2004 (a table)
        return None
    walls, floors = set[tuple[int, int]](), set[tuple[int, int]]()
    for column in range(1, columns):
        near = [(bar.bottom, bar.top) for bar in bars if abs(bar.x - xs[column]) <= DOUBLE]
        ends_of = enumerate(pairwise(ys))
        walls |= {(row, column) for row, (high, low) in ends_of if _is_drawn(near, (low, high))}
    for row in range(1, rows):
        near = [(rule.left, rule.right) for rule in rules if abs(rule.y - ys[row]) <= DOUBLE]
        floors |= {(row, at) for at, side in enumerate(pairwise(xs)) if _is_drawn(near, side)}
    cells: list[Cell] = []
    left = {(row, column) for row in range(rows) for column in range(columns)}
    for row in range(rows):
        for column in range(columns):
            if (row, column) not in left:
                continue
            across = next((c for c in range(column + 1, columns) if (row, c) in walls), columns)
            down = next((r for r in range(row + 1, rows) if (r, column) in floors), rows)
            own = {(r, c) for r in range(row, down) for c in range(column, across)}
            inner = (walls & {(r, c) for r, c in own if c > column}) | (
                floors & {(r, c) for r, c in own if r > row}
            )
            if inner or not own <= left:
                return None
            left -= own
            place = (xs[column], ys[down], xs[across], ys[row])
            cells.append(Cell(row, column, down - row, across - column, place))
    box = (xs[0], ys[-1], xs[-1], ys[0])
    return Frame(tuple(cells), box, _heads(rules, bars, ys, xs))


def _heads(
    rules: Sequence[Rule], bars: Sequence[Bar], ys: Sequence[float], xs: Sequence[float]
) -> int:
    doubles = [row for row, y in enumerate(ys) if _is_double([r.y for r in rules], y)]
    apart = any(_is_double([bar.x for bar in bars], x) for x in xs[1:-1])
    inner = [row for row in doubles if 0 < row < len(ys) - 1]
    return inner[0] if len(inner) == 1 and not apart else 0


def _is_double(places: Sequence[float], middle: float) -> bool:
    near = [place for place in places if abs(place - middle) <= DOUBLE]
    return max(near, default=0.0) - min(near, default=0.0) > APART


def _is_near(end: float, places: Sequence[float]) -> bool:
    """Return whether the end of a line, such as one below a word, is where another one is."""
    return any(abs(end - place) <= TOUCH for place in places)


def _places(values: Sequence[float]) -> list[float]:
    """Return the middles of groups of values that are next to one another, rising."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= DOUBLE:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [(group[0] + group[-1]) / 2 for group in groups]


def _is_drawn(parts: Sequence[tuple[float, float]], side: tuple[float, float]) -> bool:
    low, high = side
    drawn = sum(max(0.0, min(end, high) - max(start, low)) for start, end in parts)
    return drawn >= DRAWN * (high - low)


def _area(frame: Frame) -> float:
    left, bottom, right, top = frame.box
    return (right - left) * (top - bottom)
