"""Characters of a page with their places -> pieces of lines without large gaps.

Coordinates are as in a PDF: points, y grows upwards. The page's drawing order is kept.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from research_agent.text.indices import index

CELL_GAP = 0.95  # horizontal gap, in line heights, from which two words are two cells of a table
WORD_GAP = 0.17
"""Gap, in line heights, from which two letters are two words although no space was drawn."""
THIN = 0.4  # width of the space in a number, in digits, at most
THIN_SPACE = "\u2009"
SAME_LINE = 0.4  # share of the lower one's height in which two pieces of one line overlap at least
SMALL = 0.9  # size of an index or exponent, as a share of its line's type, at most
RAISED, LOWERED = 0.15, -0.06  # how far its baseline lies off the line's, in sizes of its type
COMMON = 0.1  # share of the letters and digits that the largest type of a line has at least
OVERLAP = 0.25  # how far it may reach into the letter before it, in sizes of type
FAR = 0.75  # how far off its baseline is at most: what is farther is of another line
SAME_WIDTH = 0.03
"""Difference of widths, as a share, up to which characters are as wide."""
MOST_STEP = 1.4
"""Widths from one character to the next, where no space is between them."""
JOINED = 0.3  # gap, in sizes of type, up to which an index follows what it belongs to

_NO_NUMBER = re.compile(rf"(?<!\d){THIN_SPACE}|{THIN_SPACE}(?!\d{{3}}(?!\d))")
_SPACES = re.compile(rf"[^\S{THIN_SPACE}]+")


class Glyph(NamedTuple):
    r"""A character and its box; "\n" is a line break, U+00AD a hyphen that the break made."""

    char: str
    left: float = 0.0
    bottom: float = 0.0
    right: float = 0.0
    top: float = 0.0
    baseline: float = 0.0
    bold: bool = False  # known at the beginning of a line, as long as it is bold
    size: float = 0.0  # of the type, as shown; 0 where it is not known


class Typed(NamedTuple):
    """A piece of a line in a font whose characters are all as wide."""

    width: float
    step: float
    """From one character to the next, in points; 0 where there is but one."""
    text: str
    """With a space for each empty column."""


class Rule(NamedTuple):
    """A straight level line that the page draws."""

    left: float
    right: float
    y: float


class Bar(NamedTuple):
    """A straight upright line that the page draws."""

    x: float
    bottom: float
    top: float


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line without large gaps."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float = 10.0  # height of most of its characters, taken as the size of the type; never 0
    baseline: float = 0.0  # baseline of its first character: the same for all fonts
    bold: int = 0  # length of the beginning of its text in which every letter is bold
    typed: Typed | None = None  # where all characters are as wide

    @property
    def middle(self) -> float:
        """Return the height above the page's lower edge half-way up the span."""
        return (self.top + self.bottom) / 2


def spans(glyphs: Iterable[Glyph], bars: Sequence[Bar] = ()) -> tuple[Span, ...]:
    """Return the pieces of lines, in the order in which the page draws them; `bars` part them.

    >>> [s.text for s in spans([Glyph("a", 0, 0, 5, 10), Glyph("b", 9, 0, 14, 10),
    ...     Glyph("c", 60, 0, 65, 10)])]
    ['a b', 'c']
    """
    return tuple(span for piece in _pieces(glyphs, bars) if (span := _span(piece)))


def share(a: Glyph | Span, b: Glyph | Span) -> float:
    """Return which part of the lower one's height both have in common."""
    common = min(a.top, b.top) - max(a.bottom, b.bottom)
    return common / max(min(a.top - a.bottom, b.top - b.bottom), 0.1)


def _pieces(glyphs: Iterable[Glyph], bars: Sequence[Bar]) -> Iterator[list[Glyph]]:
    """Split at line breaks (not at indices), large gaps, bars, and where the text jumps back."""
    ordered = sorted(bars)
    piece: list[Glyph] = []
    leftward = False  # the piece has letters of a script that runs to the left
    last: Glyph | None = None
    base: Glyph | None = None  # the last one that is no index
    reach = 0.0  # how far the piece goes to the right
    broken = False
    for glyph in _as_read(glyphs):
        if glyph.char.isspace():
            broken = broken or glyph.char == "\n"
            if glyph.char != "\n" and not broken:
                piece.append(glyph)
            continue
        indexed = base is not None and last is not None and _is_index(base, last, glyph, reach)
        may_go = leftward or _is_accent(glyph) or _runs_left(glyph)
        before = bool(piece) and glyph.right < piece[0].left and not may_go
        apart = broken or before or (last is not None and _is_apart(last, glyph, reach))
        if last and ((apart and not indexed) or _is_between(ordered, last, glyph)):
            yield piece
            piece, base, reach, leftward = [], None, glyph.right, False
        if broken and piece and glyph.left - reach > WORD_GAP * glyph.size:
            piece.append(Glyph(" "))
        piece.append(glyph)
        if base is None or glyph.size >= SMALL * base.size:
            base = glyph
        leftward = leftward or _runs_left(glyph)
        last, reach, broken = glyph, max(reach, glyph.right) if piece[1:] else glyph.right, False
    yield piece


def _is_between(bars: Sequence[Bar], last: Glyph, glyph: Glyph) -> bool:
    """Return whether one of `bars`, ordered, is in the gap between two characters."""
    low, high = max(
        (last.right, glyph.left), (glyph.right, last.left), key=lambda gap: gap[1] - gap[0]
    )
    if high - low <= WORD_GAP * (glyph.top - glyph.bottom):
        return False
    first = bisect_left(bars, low, key=attrgetter("x"))
    end = bisect_right(bars, high, key=attrgetter("x"))
    middle = (last.top + last.bottom) / 2
    return any(bar.bottom < middle < bar.top for bar in bars[first:end])


def _is_index(base: Glyph, last: Glyph, glyph: Glyph, reach: float) -> bool:
    size = max(base.size, glyph.size)
    if min(base.size, last.size, glyph.size) > SMALL * size or not size:
        return False
    off = abs(glyph.baseline - base.baseline)
    if glyph.size > SMALL * size:
        return off < JOINED * size and -JOINED < (glyph.left - reach) / size < CELL_GAP
    near = any(
        abs(glyph.left - right) <= JOINED * size for right in (base.right, last.right, reach)
    )
    return near and off < FAR * size


def _as_read(glyphs: Iterable[Glyph]) -> Iterator[Glyph]:
    """Yield the glyphs; a word of a script that runs to the left begins on the right."""
    for leftward, run in groupby(glyphs, key=_runs_left):
        word = list(run)
        turned = leftward and all(one.left <= other.left for one, other in pairwise(word))
        yield from sorted(word, key=lambda glyph: -glyph.left) if turned else word


def _runs_left(glyph: Glyph) -> bool:
    char = glyph.char[0]
    return not char.isascii() and unicodedata.bidirectional(char) in {"R", "AL", "AN"}


def _is_accent(glyph: Glyph) -> bool:
    return unicodedata.combining(glyph.char[0]) != 0


def _is_apart(last: Glyph, glyph: Glyph, reach: float) -> bool:
    gap, height = glyph.left - last.right, glyph.top - glyph.bottom
    if last.char != "\N{SOFT HYPHEN}" and -3 * height <= gap <= CELL_GAP * height:
        return False
    if _is_accent(glyph) or _is_accent(last):
        return False
    height = max(last.top - last.bottom, height, 0.1)
    if last.char == "\N{SOFT HYPHEN}":
        return gap < 0
    wide = glyph.left - max(reach, last.right) > CELL_GAP * height
    return wide or (gap < -3 * height and share(last, glyph) < SAME_LINE)


def _span(piece: Sequence[Glyph]) -> Span | None:
    drawn = [glyph for glyph in piece if not glyph.char.isspace()]
    if not drawn:
        return None
    lead = list(takewhile(lambda glyph: glyph.bold or not glyph.char.isalpha(), piece))
    return Span(
        _text(piece),
        min(glyph.left for glyph in drawn),
        min(glyph.bottom for glyph in drawn),
        max(glyph.right for glyph in drawn),
        max(glyph.top for glyph in drawn),
        max(median(glyph.top - glyph.bottom for glyph in drawn), 0.1),
        drawn[0].baseline,
        len(_text(lead)) if any(glyph.bold for glyph in lead) else 0,
        _typed(drawn),
    )


def _typed(drawn: Sequence[Glyph]) -> Typed | None:
    width = drawn[0].right - drawn[0].left
    if width <= 0 or any(abs(one.right - one.left - width) > SAME_WIDTH * width for one in drawn):
        return None
    steps = [after.left - before.left for before, after in pairwise(drawn)]
    near = [step for step in steps if width / 2 < step < MOST_STEP * width]
    step = median(near) if near else 0.0
    text = ""
    for glyph in drawn:
        text = text.ljust(round((glyph.left - drawn[0].left) / (step or width)))
        text += glyph.char.replace("\N{SOFT HYPHEN}", "-")
    return Typed(width, step, text)


def _text(piece: Sequence[Glyph]) -> str:
    """Return the text, with spaces for gaps, thin ones in numbers; indices as `x_i`, `10^12`."""
    text = _written(piece)
    if THIN_SPACE not in text:
        return " ".join(text.split())
    return _SPACES.sub(" ", _NO_NUMBER.sub(" ", text)).strip()


def _written(piece: Sequence[Glyph]) -> str:
    sides = _sides(piece)
    text: list[str] = []
    last: Glyph | None = None
    for side, numbers in groupby(range(len(piece)), key=lambda at: sides[at]):
        run = list(numbers)
        if side:
            end = run[-1] + 1
            closed = end < len(piece) and piece[end].char[0].isalnum()
            small = _written([piece[at] for at in run])
            if last and text[-1] == " " and not _is_new_word(last, piece[run[0]]):
                text.pop()
            text.append(index(side, small, closed=closed) if text else f"{small} ")
            last = None
            continue
        for glyph in (piece[at] for at in run):
            if glyph.char.isspace():
                text.append(" ")
                continue
            if last and text[-1] != " " and _is_new_word(last, glyph):
                text.append(" ")
            digits = last and last.char.isdecimal() and glyph.char.isdecimal()
            if last and digits and glyph.left - last.right < THIN * (last.right - last.left):
                text[-1] = THIN_SPACE if text[-1] == " " else text[-1]
            text.append(glyph.char)
            last = glyph
    return "".join(text)


def _sides(piece: Sequence[Glyph]) -> list[str]:
    """Return for each character "^" above its line, "_" below it, and "" on it."""
    sizes = Counter(round(glyph.size, 1) for glyph in piece if glyph.char[0].isalnum())
    most = COMMON * sizes.total()
    size = max((size for size, count in sizes.items() if count >= most), default=0.0)
    if not any(0 < glyph.size <= SMALL * size for glyph in piece):
        return [""] * len(piece)
    own = (glyph.baseline for glyph in piece if abs(glyph.size - size) <= (1 - SMALL) * size)
    line = Counter(round(baseline, 1) for baseline in own).most_common(1)[0][0]
    sides: list[str] = []
    base: Glyph | None = None
    for glyph in piece:
        off = (glyph.baseline - line) / size
        over = base is not None and not sides[-1] and glyph.left < base.right - OVERLAP * size
        nested = bool(base and sides[-1] and 0 < glyph.size <= SMALL * base.size)
        if nested:
            sides.append(sides[-1])
        elif glyph.char.isspace() or glyph.size > SMALL * size or over or LOWERED < off < RAISED:
            sides.append("")
        else:
            sides.append("^" if off > 0 else "_")
        base = base if glyph.char.isspace() else glyph
    for at in range(1, len(piece) - 1):  # a space within an index
        if piece[at].char.isspace() and sides[at - 1] == sides[at + 1]:
            sides[at] = sides[at - 1]
    return sides


def _is_new_word(last: Glyph, glyph: Glyph) -> bool:
    gap, height = glyph.left - last.right, glyph.top - glyph.bottom
    if gap <= WORD_GAP * height:
        return False
    plain = last.char.isascii() and glyph.char.isascii() and glyph.char.isalnum()
    return plain and gap > WORD_GAP * (last.top - last.bottom)
