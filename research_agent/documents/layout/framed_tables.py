"""What is written in the cells that a page's lines frame -> a table."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise

from research_agent.documents.layout.frames import TOUCH, Cell, Frame
from research_agent.documents.layout.pieces import SAME_LINE, share
from research_agent.documents.layout.spans import Span

GAPS = 0.2  # share of the lines in cells that have gaps as between columns, at most
FILLED = 1 / 3  # share of the cells that hold text at least
LONG = 30  # lines of a cell from which it is a part of the page's layout where it holds most text
OFF = 0.2  # distance of the middles of two lines, in sizes of type, from which they are two
LINES = 3  # lines of two cells that are rows of their own, where none was broken for want of room

Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class FilledCell:
    """What is written in a cell, and how many columns and rows it covers."""

    lines: tuple[Line, ...]
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Table:
    """What is written in the cells of a frame, row by row."""

    rows: tuple[tuple[FilledCell, ...], ...]
    heads: int


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
    covering = [len(cell.lines) == 1 and _is_between(cell.lines[0], places) for cell in row]
    for number, place in enumerate(places):
        yield [
            replace(cell, rows=len(places))
            if covers
            else replace(cell, lines=tuple(x for x in cell.lines if _nearest(x, places) is place))
            for cell, covers in zip(row, covering, strict=True)
            if not (covers and number)
        ]


def _is_between(line: Line, places: Sequence[Line]) -> bool:
    return all(abs(line[0].middle - of[0].middle) > OFF * of[0].size for of in places)


def _nearest(line: Line, places: Sequence[Line]) -> Line:
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


def _lines(spans: Sequence[Span]) -> Iterator[Line]:
    """Yield the lines from top to bottom, each as it is drawn."""
    lines: list[list[Span]] = []
    for span in spans:
        same = next((line for line in lines if share(line[0], span) >= SAME_LINE), None)
        if same is None:
            lines.append([span])
        else:
            same.append(span)
    yield from map(tuple, sorted(lines, key=lambda line: -line[0].middle))


def _with_rows(full: Mapping[Cell, Sequence[Line]], heads: int) -> set[int]:
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


def _are_rows(lines: Sequence[Line], cell: Cell) -> bool:
    """Return whether most lines end although the next line's first word would have fitted."""
    room = cell.box[2] - cell.box[0] - 2 * TOUCH
    early = 0
    for above, below in pairwise(lines):
        first = below[0]
        word = len(first.text.split(" ", 1)[0]) + 1
        width = (first.right - first.left) * word / len(first.text)
        early += above[-1].right - above[0].left + width < room
    return len(lines) >= LINES and 2 * early > len(lines) - 1
