"""Characters of a page with their places -> lines of text, with the cells of displayed tables.

Coordinates are as in a PDF: points, y grows upwards. The order in which the page draws its text
is kept (it follows columns, which sorting by height would not); only text that was drawn in
between, such as a footnote, is moved behind what it interrupts.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

CELL_GAP = 0.95
"""Horizontal gap, in line heights, from which two words are two cells of a table."""
WORD_GAP = 0.17
"""Gap, in line heights, from which two letters are two words although no space was drawn."""
CELL_LINES = 6
"""More lines than this, one above the other, are a column of text and no cell."""
SAME_LINE = 0.4
"""Share of the lower one's height in which two pieces of one line overlap at least."""
LINE_PITCH = 1.7
"""Distance of baselines, in line heights, up to which a line goes on from the one above."""
LOOK_BACK = 15
"""Lines that may have been drawn in the middle of a paragraph, such as a footnote."""


class Glyph(NamedTuple):
    r"""A character and its box; "\n" is a line break, U+00AD a hyphen that the break made."""

    char: str
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    baseline: float = 0.0


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line without large gaps."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float = 10.0
    """Height of most of its characters, which stands for the size of the type; never 0."""
    baseline: float = 0.0
    """Height of the line on which its first character stands: the same for all fonts."""

    @property
    def middle(self) -> float:
        """Return the height above the page's lower edge half-way up the span."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class Row:
    """One line of text (one cell of one span), or one row of a table."""

    cells: tuple[tuple[Span, ...], ...]
    """Each cell holds spans one above the other; most hold one."""

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
        """Return the height of the line on which its first characters stand."""
        return self.cells[0][0].baseline


def spans(glyphs: Iterable[Glyph]) -> tuple[Span, ...]:
    """Return the pieces of lines, in the order in which the page draws them.

    >>> [s.text for s in spans([Glyph("a", 0, 0, 5, 10), Glyph("b", 9, 0, 14, 10),
    ...     Glyph("c", 60, 0, 65, 10)])]
    ['a b', 'c']
    """
    return tuple(_span(piece) for piece in _pieces(glyphs) if _drawn(piece))


def rows(page_spans: Sequence[Span]) -> tuple[Row, ...]:
    """Return lines and table rows in reading order.

    A span to the right of the last one on the same line is the row's next cell, whether the page
    was drawn row by row or cell by cell.

    >>> page = [Span("a", 0, 0, 5, 10), Span("c", 60, 0, 65, 10), Span("d", 0, -15, 5, -5)]
    >>> [len(row.cells) for row in rows(page)]
    [2, 1]
    """
    done: list[Row] = []
    cells: list[list[Span]] = []
    for span in _reading_order(page_spans):
        start = _cell_start(cells, span)
        if start is not None:
            done.extend(Row(((line,),)) for line in cells[-1][:start])
            cells = [*cells[:-1], cells[-1][start:], [span]]
        elif cells and _goes_on(cells, span):
            cells[-1].append(span)
        else:
            done.extend(_finish(cells))
            cells = [[span]]
    done.extend(_finish(cells))
    return _top_down(done)


def _pieces(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    """Split at line breaks, at large gaps and where the text jumps back to the left."""
    piece: list[Glyph] = []
    last: Glyph | None = None
    for glyph in glyphs:
        drawn = not glyph.char.isspace()
        if glyph.char == "\n" or (drawn and last and _is_apart(last, glyph)):
            yield piece
            piece, last = [], None
        if glyph.char != "\n":
            piece.append(glyph)
            last = glyph if drawn else last
    yield piece


def _drawn(piece: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters that have a place; spaces may have none."""
    return [glyph for glyph in piece if not glyph.char.isspace()]


def _is_apart(last: Glyph, glyph: Glyph) -> bool:
    """Say whether `glyph` does not belong to the piece that ends in `last`."""
    if unicodedata.combining(glyph.char[0]) or unicodedata.combining(last.char[0]):
        return False
    height = max(last.top - last.bottom, glyph.top - glyph.bottom, 0.1)
    gap = glyph.left - last.right
    if last.char == "\N{SOFT HYPHEN}":
        return gap < 0
    return gap > CELL_GAP * height or (gap < -3 * height and _share(last, glyph) < SAME_LINE)


def _share(a: Glyph | Span, b: Glyph | Span) -> float:
    """Return which part of the lower one's height both have in common."""
    common = min(a.top, b.top) - max(a.bottom, b.bottom)
    return common / max(min(a.top - a.bottom, b.top - b.bottom), 0.1)


def _span(piece: Sequence[Glyph]) -> Span:
    """Return the span of some characters, with the spaces that were left to the eye."""
    text: list[str] = []
    last: Glyph | None = None
    for glyph in piece:
        if last and not glyph.char.isspace() and text[-1] != " " and _is_new_word(last, glyph):
            text.append(" ")
        text.append(" " if glyph.char.isspace() else glyph.char)
        last = last if glyph.char.isspace() else glyph
    drawn = _drawn(piece)
    return Span(
        " ".join("".join(text).split()),
        min(glyph.left for glyph in drawn),
        min(glyph.bottom for glyph in drawn),
        max(glyph.right for glyph in drawn),
        max(glyph.top for glyph in drawn),
        max(median(glyph.top - glyph.bottom for glyph in drawn), 0.1),
        drawn[0].baseline,
    )


def _is_new_word(last: Glyph, glyph: Glyph) -> bool:
    """Say whether the gap between two characters of a word is a word's end."""
    height = max(last.top - last.bottom, glyph.top - glyph.bottom)
    plain = last.char.isascii() and glyph.char.isascii() and glyph.char.isalnum()
    return plain and glyph.left - last.right > WORD_GAP * height


def _top_down(page_rows: Sequence[Row]) -> tuple[Row, ...]:
    """Sort by height a page of one column, on which some programs draw tables last."""
    ordered = sorted(page_rows, key=lambda row: -(row.top + row.bottom))
    boxes = [Span("", row.left, row.bottom, row.right, row.top) for row in ordered]
    beside = any(
        _share(upper, lower) >= SAME_LINE and (upper.right < lower.left or lower.right < upper.left)
        for upper, lower in pairwise(boxes)
    )
    return tuple(page_rows if beside else ordered)


def _reading_order(page_spans: Sequence[Span]) -> list[Span]:
    """Move what was drawn in the middle of a paragraph, such as a footnote, behind it."""
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
    """Return from where on the spans interrupt the paragraph in which `span` goes on."""
    start = len(ordered)
    for index in range(len(ordered) - 2, max(-1, len(ordered) - LOOK_BACK), -1):
        before, after = ordered[index], ordered[index + 1]
        if before.bottom - after.top > 2 * LINE_PITCH * before.size:
            start = index + 1
        if start < len(ordered) and _follows(before, span):
            return start
    return len(ordered)


def _follows(before: Span, span: Span) -> bool:
    """Say whether `span` goes on in the line of `before` or in the next one."""
    if _share(before, span) >= SAME_LINE:
        return -1 <= span.left - before.right <= 3 * CELL_GAP * before.size
    return _is_below(before, span)


def _is_below(above: Span, span: Span) -> bool:
    """Say whether `span` is the next line of the same column."""
    pitch = above.bottom - span.bottom
    near = SAME_LINE * above.size < pitch <= LINE_PITCH * max(above.size, span.size)
    return near and span.left < above.right and span.right > above.left


def _goes_on(cells: Sequence[Sequence[Span]], span: Span) -> bool:
    """Say whether `span` is the next line of the last cell."""
    if not _is_below(cells[-1][-1], span):
        return False
    if len(cells) == 1:
        return True
    within = span.left > max(above.right for above in cells[-2])
    return within and len(cells[-1]) < CELL_LINES


def _cell_start(cells: Sequence[Sequence[Span]], span: Span) -> int | None:
    """Return with which line the last cell starts if `span` is the next cell, else None.

    Only while a row has one cell it may start later: the lines above it are text of their own.
    """
    if not cells or cells[-1][-1].right > span.left + 1:
        return None
    last = cells[-1]
    if _share(last[-1], span) >= SAME_LINE:
        centred = len(last) > 1 and _share(last[-2], span) >= SAME_LINE
        fits = centred and last[-2].right <= span.left + 1
        return len(last) - (2 if fits else 1) if len(cells) == 1 else 0
    start = len(last) - 1 if len(cells) == 1 else 0
    while start and len(last) - start < CELL_LINES and last[start - 1].right <= span.left + 1:
        start -= 1
    row = [line for cell in cells[:-1] for line in cell] + list(last[start:])
    low, high = min(line.bottom for line in row), max(line.top for line in row)
    slack = span.size / 2  # cells that are centred between two lines
    return start if low - slack <= span.middle <= high + slack else None


def _finish(cells: Sequence[Sequence[Span]]) -> tuple[Row, ...]:
    """Return one row of several cells, or a row for each line of a single column."""
    if len(cells) == 1:
        return tuple(Row(((span,),)) for span in cells[0])
    return (Row(tuple(tuple(cell) for cell in cells)),) if cells else ()
