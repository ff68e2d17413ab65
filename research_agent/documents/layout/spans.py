"""Characters of a page with their places -> pieces of lines without large gaps.

Coordinates are as in a PDF: points, y grows upwards. The page's drawing order is kept.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import median
from typing import NamedTuple

CELL_GAP = 0.95  # horizontal gap, in line heights, from which two words are two cells of a table
WORD_GAP = 0.17
"""Gap, in line heights, from which two letters are two words although no space was drawn."""
THIN = 0.4  # width of the space in a number, in digits, at most
THIN_SPACE = "\u2009"
SAME_LINE = 0.4  # share of the lower one's height in which two pieces of one line overlap at least

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

    @property
    def middle(self) -> float:
        """Return the height above the page's lower edge half-way up the span."""
        return (self.top + self.bottom) / 2


def spans(glyphs: Iterable[Glyph]) -> tuple[Span, ...]:
    """Return the pieces of lines, in the order in which the page draws them.

    >>> [s.text for s in spans([Glyph("a", 0, 0, 5, 10), Glyph("b", 9, 0, 14, 10),
    ...     Glyph("c", 60, 0, 65, 10)])]
    ['a b', 'c']
    """
    return tuple(span for piece in _pieces(glyphs) if (span := _span(piece)))


def share(a: Glyph | Span, b: Glyph | Span) -> float:
    """Return which part of the lower one's height both have in common."""
    common = min(a.top, b.top) - max(a.bottom, b.bottom)
    return common / max(min(a.top - a.bottom, b.top - b.bottom), 0.1)


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


def _is_apart(last: Glyph, glyph: Glyph) -> bool:
    """Say whether `glyph` does not belong to the piece that ends in `last`."""
    gap, height = glyph.left - last.right, glyph.top - glyph.bottom
    if last.char != "\N{SOFT HYPHEN}" and -3 * height <= gap <= CELL_GAP * height:
        return False
    if unicodedata.combining(glyph.char[0]) or unicodedata.combining(last.char[0]):
        return False
    height = max(last.top - last.bottom, height, 0.1)
    if last.char == "\N{SOFT HYPHEN}":
        return gap < 0
    return gap > CELL_GAP * height or (gap < -3 * height and share(last, glyph) < SAME_LINE)


def _span(piece: Sequence[Glyph]) -> Span | None:
    """Return the span of some characters; None for spaces alone, which may have no place."""
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
    )


def _text(piece: Sequence[Glyph]) -> str:
    """Return the characters, with the spaces that were left to the eye; those of numbers thin."""
    text: list[str] = []
    last: Glyph | None = None
    for glyph in piece:
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
    if THIN_SPACE not in text:
        return " ".join("".join(text).split())
    return _SPACES.sub(" ", _NO_NUMBER.sub(" ", "".join(text))).strip()


def _is_new_word(last: Glyph, glyph: Glyph) -> bool:
    """Say whether the gap between two characters of a word is a word's end."""
    gap, height = glyph.left - last.right, glyph.top - glyph.bottom
    if gap <= WORD_GAP * height:
        return False
    plain = last.char.isascii() and glyph.char.isascii() and glyph.char.isalnum()
    return plain and gap > WORD_GAP * (last.top - last.bottom)
