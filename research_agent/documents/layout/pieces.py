"""Characters of a page with their places -> pieces of lines without large gaps, as characters.

Coordinates are as in a PDF: points, y grows upwards. The page's drawing order is kept, but for
pieces that are drawn apart from the rest of their line.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from statistics import median
from typing import NamedTuple, Protocol

CELL_GAP = 0.95  # horizontal gap, in line heights, from which two words are two cells of a table
WORD_GAP = 0.17
"""Gap, in line heights, from which two letters are two words although no space was drawn."""
SAME_LINE = 0.4  # share of the lower one's height in which two pieces of one line overlap at least
TOUCH, OVER = 0.4, 0.1
"""Gap and overlap, in line heights, up to which pieces that are drawn apart go on as one."""
MOST_PIECES = 3000  # a page with more is a drawing, whose pieces stay in the order of drawing
AWAY = 2.0  # how far off, in line heights, the page goes on before the rest of a line is drawn
SAME_BASELINE = 0.02
"""How far their baselines differ at most, in sizes of type."""
SMALL = 0.9  # size of an index or exponent, as a share of its line's type, at most
RAISED, LOWERED = 0.15, -0.06  # how far its baseline lies off the line's, in sizes of its type
FAR = 0.75  # how far off its baseline is at most: what is farther is of another line
JOINED = 0.3  # gap, in sizes of type, up to which an index follows what it belongs to


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


class _Box(NamedTuple):
    """Where a piece is."""

    left: float
    bottom: float
    right: float
    top: float
    size: float  # median height of its characters
    type: float  # size of its largest type
    baseline: float  # of that
    first: Glyph
    last: Glyph

    @property
    def middle(self) -> float:
        """The height above the page's lower edge half-way up."""
        return (self.top + self.bottom) / 2


class Extent(Protocol):
    """What has a lower and an upper edge."""

    @property
    def bottom(self) -> float:
        """The lower edge."""

    @property
    def top(self) -> float:
        """The upper edge."""


def share(a: Extent, b: Extent) -> float:
    """Return which part of the lower one's height both have in common."""
    common = min(a.top, b.top) - max(a.bottom, b.bottom)
    return common / max(min(a.top - a.bottom, b.top - b.bottom), 0.1)


def pieces(glyphs: Iterable[Glyph], bars: Sequence[Bar] = ()) -> list[list[Glyph]]:
    """Return the characters of each piece; `bars` part them."""
    ordered = sorted(bars)
    found = [piece for piece in _pieces(glyphs, ordered) if drawn(piece)]
    return _strays_placed(found, ordered) if len(found) <= MOST_PIECES else found


def _pieces(glyphs: Iterable[Glyph], bars: Sequence[Bar]) -> Iterator[list[Glyph]]:
    """Split at line breaks (not at indices), large gaps, bars, and where the text jumps back."""
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
        before = bool(piece) and glyph.right < piece[0].left
        before = before and not (leftward or _is_accent(glyph) or _runs_left(glyph))
        apart = broken or before or (last is not None and _is_apart(last, glyph, reach))
        indexed = apart and base and last and _is_index(base, last, glyph, reach)
        if last and ((apart and not indexed) or _is_between(bars, last, glyph)):
            yield piece
            piece, base, reach, leftward = [], None, glyph.right, False
        if broken and piece and glyph.left - reach > WORD_GAP * glyph.size:
            piece.append(Glyph(" "))
        piece.append(glyph)
        if base is None or glyph.size >= SMALL * base.size:
            base = glyph
        leftward = leftward or _runs_left(glyph)
        reach = max(reach, glyph.right) if len(piece) > 1 else glyph.right
        last, broken = glyph, False
    yield piece


def whole_lines(glyphs: Sequence[Glyph]) -> Sequence[Glyph]:
    """Return the glyphs without breaks within lines, where most breaks of a page are within words.

    PDFium takes a page with little text for one that is written downwards, and breaks its lines
    after each letter.
    """
    breaks = [n for n in range(1, len(glyphs) - 1) if glyphs[n].char == "\n"]
    gaps = {n: _gap(glyphs[n - 1], glyphs[n + 1]) for n in breaks}
    within = [gap for gap in gaps.values() if gap is not None and gap <= WORD_GAP]
    if 2 * len(within) <= sum(glyph.char == "\n" for glyph in glyphs):
        return glyphs
    spaces = {n: [Glyph(" ")] * (gap > WORD_GAP) for n, gap in gaps.items() if gap is not None}
    return [one for n, glyph in enumerate(glyphs) for one in spaces.get(n, [glyph])]


def _gap(last: Glyph, glyph: Glyph) -> float | None:
    """Return the gap to a character that follows on the same line, in sizes of type, or None."""
    size = last.size
    if not size or not glyph.size or abs(glyph.baseline - last.baseline) > SAME_BASELINE * size:
        return None
    gap = (glyph.left - last.right) / size
    return gap if gap >= -TOUCH else None


def _is_between(bars: Sequence[Bar], last: Glyph, glyph: Glyph) -> bool:
    """Return whether one of `bars`, ordered, is in the gap between two characters."""
    if not bars:
        return False
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


def _strays_placed(found: Sequence[list[Glyph]], bars: Sequence[Bar]) -> list[list[Glyph]]:
    """Return the pieces; one that was drawn apart from the rest of its line is joined to it.

    Formulas and marks of notes are often drawn long before or after the words around them. Such a
    piece goes on from another one, with at most a space between.
    """
    boxes = [_box(piece) for piece in found]
    starts = sorted((box.left, at) for at, box in enumerate(boxes))
    after, joined = dict[int, int](), set[int]()
    for at, box in enumerate(boxes):
        low, high = box.right - OVER * box.size, box.right + TOUCH * box.size
        near = range(bisect_left(starts, (low,)), bisect_right(starts, (high, len(starts))))
        for other in (starts[number][1] for number in near):
            new = other not in joined and other not in (at, at + 1)
            if new and _goes_on(boxes, at, other, bars):
                after[at] = other
                joined.add(other)
                break
    placed = dict(enumerate(found))
    for start in after.keys() - joined:
        chain = [start]
        while chain[-1] in after:
            chain.append(after[chain[-1]])
        piece = list[Glyph]()
        for at in chain:
            gap = boxes[at].left - max((glyph.right for glyph in piece), default=boxes[at].left)
            piece += [Glyph(" ")] * (gap > WORD_GAP * boxes[at].size) + placed.pop(at)
        placed[max(chain, key=lambda at: _beside(boxes, chain, at))] = piece
    return [piece for _, piece in sorted(placed.items(), key=itemgetter(0))]


def _goes_on(boxes: Sequence[_Box], at: int, other: int, bars: Sequence[Bar]) -> bool:
    """Return whether `other` is on the baseline of `at`, or an index of it, and was drawn apart.

    Between the two something else is drawn, far above or below.
    """
    box, following = boxes[at], boxes[other]
    if share(box, following) < SAME_LINE or _runs_left(box.last):
        return False
    between = boxes[min(at, other) + 1 : max(at, other)]
    if all(abs(one.middle - box.middle) <= AWAY * box.size for one in between):
        return False
    if _is_between(bars, box.last, following.first):
        return False
    off = following.baseline - box.baseline
    if following.type <= SMALL * box.type:
        near = abs(off) < FAR * box.type
        return near and not LOWERED * box.type < off < RAISED * box.type
    return following.type * SMALL < box.type and abs(off) <= SAME_BASELINE * box.type


def _beside(boxes: Sequence[_Box], chain: Sequence[int], at: int) -> tuple[int, float]:
    """Return how many of a chain are drawn beside one of it, and how near it is to the others."""
    beside = [one for one in (at - 1, at + 1) if 0 <= one < len(boxes)]
    others = [abs(boxes[one].middle - boxes[at].middle) for one in beside if one not in chain]
    return len(beside) - len(others), -min(others, default=0.0)


def drawn(piece: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters that are seen."""
    return [glyph for glyph in piece if not glyph.char.isspace()]


def edges(own: Sequence[Glyph]) -> tuple[float, float, float, float, float]:
    """Return the left, lower, right and upper edge of characters, and their median height."""
    return (
        min(glyph.left for glyph in own),
        min(glyph.bottom for glyph in own),
        max(glyph.right for glyph in own),
        max(glyph.top for glyph in own),
        max(median(glyph.top - glyph.bottom for glyph in own), 0.1),
    )


def _box(piece: Sequence[Glyph]) -> _Box:
    own = drawn(piece)
    largest = max((round(one.size or one.top - one.bottom, 1), one.baseline) for one in own)
    return _Box(*edges(own), *largest, own[0], own[-1])
