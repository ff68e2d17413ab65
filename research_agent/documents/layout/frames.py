"""The straight lines of a page -> the cells that they frame, and what is written in them."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise

from research_agent.documents.layout.spans import SAME_LINE, Bar, Rule, Span, share

TOUCH = 2.0  # points by which lines that meet may miss one another
DOUBLE = 4.0  # points between the two lines of a double one at most
DRAWN = 0.7  # share of a side of a cell that is drawn at least
MOST_PAIRS, MOST_PLACES, MOST_FRAMES = 200_000, 2_000, 50
"""Pairs of a level and an upright line of a page, cells of a table, and tables of a page, the
largest ones; drawings have more."""
APART = 1.0  # points between the two lines of a double one at least
GAPS = 0.2  # share of the lines in cells that have gaps as between columns, at most
FILLED = 1 / 3  # share of the cells that hold text at least
LONG = 30  # lines of a cell from which it is a part of the page's layout where it holds most text
OFF = 0.2  # distance of the middles of two lines, in sizes of type, from which they are two
LINES = 3  # lines of two cells that are rows of their own, where none was broken for want of room


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a frame, and the columns and rows that it covers."""

    row: int
    column: int
    rows: int
    columns: int
    box: tuple[float, float, float, float]
    """Left, bottom, right, top."""


@dataclass(frozen=True, slots=True)
class FilledCell:
    """What is written in a cell, and how many columns and rows it covers."""

    lines: tuple[tuple[Span, ...], ...]
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Frame:
    """The cells of a table, row by row, each from left to right."""

    cells: tuple[Cell, ...]
    heads: int = 0
    """Rows above a double line, where other lines are single: they name the columns."""

    def surrounds(self, span: Span, *, higher: float = 0.0) -> bool:
        """Return whether the middle of a piece of text is in it, and it is `higher` than that."""
        low, high = (pick(y for c in self.cells for y in c.box[1::2]) for pick in (min, max))
        left, right = (pick(x for c in self.cells for x in c.box[::2]) for pick in (min, max))
        inside = left < (span.left + span.right) / 2 < right and low < span.middle < high
        return inside and high - low > higher


@dataclass(frozen=True, slots=True)
class Table:
    """What is written in the cells of a frame, row by row."""

    rows: tuple[tuple[FilledCell, ...], ...]
    heads: int


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


def table_in(frame: Frame, spans: Sequence[Span]) -> Table | None:
    """Return what `spans`, in drawing order, write in the cells; None where these are no table.

    They are none where few cells are filled, where one holds most of a page, and where many lines
    within the cells hold several columns. Lines may be rows of their own.
    """
    held = _held(frame, spans)
    full = {cell: list(_lines(own)) for cell, own in held.items() if own}
    several = min(len({cell.row for cell in full}), len({cell.column for cell in full})) > 1
    if not several or len(full) < FILLED * len(frame.cells):
        return None
    lines = [line for own in full.values() for line in own]
    if sum(len(line) > 1 for line in lines) > GAPS * len(lines):
        return None
    longest = max(full, key=lambda cell: len(full[cell]))
    sizes = {cell: sum(len(span.text) for span in own) for cell, own in held.items()}
    if len(full[longest]) > LONG and 2 * sizes[longest] > sum(sizes.values()):
        return None
    rows = [
        [FilledCell(tuple(full.get(c, ())), c.columns, c.rows) for c in row]
        for _, row in groupby(frame.cells, key=lambda cell: cell.row)
    ]
    numbers = _with_rows(full, frame.heads)
    if numbers and any(cell.rows > 1 for cell in frame.cells):
        return None
    parts = ([row] if at not in numbers else _parted(row) for at, row in enumerate(rows))
    return Table(tuple(tuple(row) for part in parts for row in part), frame.heads)


def _parted(row: Sequence[FilledCell]) -> Iterator[list[FilledCell]]:
    """Yield a row of cells for each line of the cell that has most of them.

    A cell with one line, between two of them, covers all of these rows.
    """
    places = max((cell.lines for cell in row), key=len)
    whole = [
        len(cell.lines) == 1
        and all(abs(cell.lines[0][0].middle - of[0].middle) > OFF * of[0].size for of in places)
        for cell in row
    ]
    for number, place in enumerate(places):
        yield [
            replace(cell, rows=len(places)) if all_of else replace(cell, lines=own)
            for cell, all_of in zip(row, whole, strict=True)
            if not (all_of and number)
            for own in [tuple(line for line in cell.lines if _nearest(line, places) is place)]
        ]


def _nearest(line: Sequence[Span], places: Sequence[tuple[Span, ...]]) -> tuple[Span, ...]:
    return min(places, key=lambda of: abs(of[0].middle - line[0].middle))


def _held(frame: Frame, spans: Sequence[Span]) -> dict[Cell, list[Span]]:
    """Return the spans whose middle is in a cell, by cell."""
    xs = sorted({x for cell in frame.cells for x in cell.box[::2]})
    ys = sorted({y for cell in frame.cells for y in cell.box[1::2]})
    cells = {
        (x, y): cell
        for cell in frame.cells
        for x in range(*(bisect_left(xs, edge) for edge in cell.box[::2]))
        for y in range(*(bisect_left(ys, edge) for edge in cell.box[1::2]))
    }
    held: dict[Cell, list[Span]] = {cell: [] for cell in frame.cells}
    for span in spans:
        middle = (span.left + span.right) / 2
        place = bisect_left(xs, middle) - 1, bisect_left(ys, span.middle) - 1
        if place in cells:
            held[cells[place]].append(span)
    return held


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
            box = (xs[column], ys[down], xs[across], ys[row])
            cells.append(Cell(row, column, down - row, across - column, box))
    return Frame(tuple(cells), _heads(rules, bars, ys, xs))


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
    return sum((c.box[2] - c.box[0]) * (c.box[3] - c.box[1]) for c in frame.cells)


def _lines(spans: Sequence[Span]) -> Iterator[tuple[Span, ...]]:
    """Yield the lines from top to bottom, each as it is drawn."""
    lines: list[list[Span]] = []
    for span in spans:
        same = next((line for line in lines if share(line[0], span) >= SAME_LINE), None)
        if same is None:
            lines.append([span])
        else:
            same.append(span)
    yield from map(tuple, sorted(lines, key=lambda line: -line[0].middle))


def _with_rows(full: Mapping[Cell, Sequence[Sequence[Span]]], heads: int) -> set[int]:
    """Return the rows in whose cells lines are rows of their own.

    They are where the lines of two cells beside one another were not broken for want of room; and
    all rows where most lines are in rows of several lines, below the head, in each of which most
    cells have as many.
    """
    broken = {cell: lines for cell, lines in full.items() if _are_rows(lines, cell)}
    found = set[int]()
    for one, other in combinations(broken, 2):
        lines = broken[one]
        beside = sum(any(share(a[0], b[0]) >= SAME_LINE for b in broken[other]) for a in lines)
        if one.column != other.column and beside >= LINES:
            found |= {one.row, other.row}
    counts = {
        number: [len(full[cell]) for cell in row]
        for number, row in groupby(full, key=lambda cell: cell.row)
        if number >= max(heads, 1)
    }
    several = {number: row for number, row in counts.items() if max(row) > 1}
    same = all(row.count(max(row)) > max(1, len(row) / 2) for row in several.values())
    most = 2 * sum(map(max, several.values())) > sum(map(max, counts.values()))
    long = max(map(max, several.values()), default=0) >= LINES
    return {*found, *several} if same and most and (len(several) >= LINES or long) else found


def _are_rows(lines: Sequence[Sequence[Span]], cell: Cell) -> bool:
    """Return whether most lines end although the next line's first word would have fitted."""
    room = cell.box[2] - cell.box[0] - 2 * TOUCH
    early = 0
    for above, below in pairwise(lines):
        first = below[0]
        word = len(first.text.split(" ", 1)[0]) + 1
        width = (first.right - first.left) * word / len(first.text)
        early += above[-1].right - above[0].left + width < room
    return len(lines) >= LINES and 2 * early > len(lines) - 1
