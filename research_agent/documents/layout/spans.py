"""Pieces of lines -> spans: their text, with indices and spaces, and their places.

Coordinates are as in a PDF: points, y grows upwards.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from statistics import median
from typing import NamedTuple

from research_agent.documents.layout.pieces import (
    LOWERED,
    RAISED,
    SMALL,
    WORD_GAP,
    Bar,
    Glyph,
    drawn,
    edges,
    pieces,
)
from research_agent.text.indices import index

THIN = 0.4  # width of the space in a number, in digits, at most
THIN_SPACE = "\u2009"
COMMON = 0.1  # share of the letters and digits that the largest type of a line has at least
OVERLAP = 0.25  # how far it may reach into the letter before it, in sizes of type
SAME_WIDTH = 0.03
"""Difference of widths, as a share, up to which characters are as wide."""
MOST_STEP = 1.4
"""Widths from one character to the next, where no space is between them."""

_NO_NUMBER = re.compile(rf"(?<!\d){THIN_SPACE}|{THIN_SPACE}(?!\d{{3}}(?!\d))")
_SPACES = re.compile(rf"[^\S{THIN_SPACE}]+")


class Typed(NamedTuple):
    """A piece of a line in a font whose characters are all as wide."""

    width: float
    step: float
    """From one character to the next, in points; 0 where there is but one."""
    text: str
    """With a space for each empty column."""


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
    """Return the pieces of lines, about in the order in which they are drawn; `bars` part them.

    >>> [s.text for s in spans([Glyph("a", 0, 0, 5, 10), Glyph("b", 9, 0, 14, 10),
    ...     Glyph("c", 60, 0, 65, 10)])]
    ['a b', 'c']
    """
    return tuple(map(_span, pieces(glyphs, bars)))


def _span(piece: Sequence[Glyph]) -> Span:
    own = drawn(piece)
    lead = list(takewhile(lambda glyph: glyph.bold or not glyph.char.isalpha(), piece))
    return Span(
        _text(piece),
        *edges(own),
        own[0].baseline,
        len(_text(lead)) if any(glyph.bold for glyph in lead) else 0,
        _typed(own),
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
