"""The characters and straight lines of a PDF's page, with their places, as the page is shown."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, c_double, c_float, c_int, create_string_buffer
from math import degrees, hypot
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.layout.fractions import with_fractions
from research_agent.documents.layout.frames import Frame, frames
from research_agent.documents.layout.pieces import Bar, Glyph, Rule, whole_lines

THICK = 2.5  # points; what is thicker is an area
LEVEL = 1.0  # points by which the heights of two parts of a line differ at most
SHORT = 3.0  # points; what is shorter is no line
DOT = 12.0  # points; what is larger is no sign of a list
MARK = (0.15, 0.6)  # width of such a sign, in sizes of type; a box to tick is wider
MOST_OBJECTS, MOST_SEGMENTS = 20_000, 2_000  # of a page and of one object: drawings have more

Box = tuple[float, float, float, float]


class Turn(NamedTuple):
    """How a page is turned so that its text is upright, and its size in points then."""

    right: int
    """Degrees to the right: 0, 90, 180 or 270."""
    width: float
    height: float


ANGLES = 40  # characters of a page that are asked for their direction

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_HIGH, _LOW = range(0xD800, 0xDC00), range(0xDC00, 0xE000)  # halves of a UTF-16 pair
_SPACES = {0x09: " ", 0x0A: "\n", 0x20: " ", 0xA0: " "}
_HYPHENS = (0x02, 0xAD, 0xFFFE)  # how PDFium marks a hyphen at the end of a line
_NOTHING = {*range(0x20), 0x7F, 0xFFFF}  # codes without a character
_CHARS: dict[int, str] = {
    **dict.fromkeys(_NOTHING, ""),
    **_LIGATURES,
    **_SPACES,
    **dict.fromkeys(_HYPHENS, "\N{SOFT HYPHEN}"),
}
_SYMBOLS = {ord("k"): "\u2225", ord("0"): "\u2032", ord("6"): "\u2260", ord("7"): "\u21a6"}
"""What PDFium gives the codes of, as it does not know the names of the glyphs: in TeX's font of
symbols "k" draws two bars, "0" a prime, "6" the stroke of a not-equal, "7" the bar of an arrow.
"""
_LARGE = dict(zip(map(ord, "PXQYRZ"), "\u2211\u2211\u220f\u220f\u222b\u222b", strict=True))
"""The same in TeX's font of large signs: sums, products, integrals."""
_OFFICE = {0xF0B7: 0x2022, 0xF0A7: 0x25AA, 0xF076: 0x2756, 0xF0D8: 0x27A2, 0xF0FC: 0x2713}
"""Signs of lists in the symbol fonts of office programs, and the characters that look so."""
_SYMBOL_FONT = re.compile(rb"^(?:[A-Z]{6}\+)?CM(?:B?SY|(EX))\d")
_BOLD = re.compile(rb"bold|black|heavy|demi|-medi\b|cmbx", re.IGNORECASE)  # in a font's name
_FORCE_BOLD = 1 << 18
_NAME = 128


def page_text(text: pypdfium2.PdfTextPage) -> str:
    """Return a page's text as PDFium has it: the n-th character is its n-th one.

    Of the halves of a UTF-16 pair the first one is the whole character and the other one U+0000.
    Letters and digits that TeX's symbol fonts draw as signs are those signs, and so are signs of
    lists in office programs' symbol fonts.
    """
    unicode, raw = pdfium.FPDFText_GetUnicode, text.raw
    given = (unicode(raw, index) for index in range(text.count_chars()))
    codes = [_OFFICE.get(code, code) for code in given]
    font = _Font(text)
    for index, code in enumerate(codes):
        if code in _SYMBOLS or code in _LARGE:
            if found := _SYMBOL_FONT.match(font.name(index)):
                codes[index] = ord((_LARGE if found[1] else _SYMBOLS).get(code, chr(code)))
        elif code in _LOW:
            high = codes[index - 1] if index else 0
            codes[index] = 0
            if high in _HIGH:
                codes[index - 1] = 0x10000 + ((high - _HIGH[0]) << 10) + (code - _LOW[0])
    return "".join(map(chr, codes))


def page_glyphs(
    text: pypdfium2.PdfTextPage, page: pypdfium2.PdfPage, chars: str, turn: Turn
) -> tuple[Sequence[Glyph], tuple[Rule, ...], tuple[Frame, ...]]:
    """Return the characters of a page's text with their boxes, turned so that it is upright.

    `chars` is its `page_text`; the other values are the page's level lines and what its lines
    frame. Spaces have no box.
    """
    glyphs = _glyphs(text, chars, sideways=turn.right % 180 != 0)
    if turn.right:
        glyphs = (_turned(glyph, turn) for glyph in glyphs)
    rules, bars, dots = page_lines(page, turn)
    marked = with_marks(whole_lines(tuple(glyphs)), dots)
    return with_fractions(marked, rules), rules, frames(rules, bars)


def page_turn(text: pypdfium2.PdfTextPage, page: pypdfium2.PdfPage) -> Turn:
    """Return how a page has to be turned: as most of its text, or as it is shown without any."""
    count = text.count_chars()
    seen: Counter[int] = Counter()
    for index in range(0, count, max(1, count // ANGLES)):
        angle = pdfium.FPDFText_GetCharAngle(text.raw, index)
        if angle >= 0 and not pdfium.FPDFText_IsGenerated(text.raw, index):
            seen[round(-degrees(angle) / 90) * 90 % 360] += 1
    right = seen.most_common(1)[0][0] if seen else int(page.get_rotation())
    width, height = page.get_size()
    if (right - page.get_rotation()) % 180:
        width, height = height, width
    return Turn(right, width, height)


def _glyphs(text: pypdfium2.PdfTextPage, chars: str, *, sideways: bool) -> Iterator[Glyph]:
    box, x, y = pdfium.FS_RECTF(), c_double(), c_double()
    place, origin = pdfium.FPDFText_GetLooseCharBox, pdfium.FPDFText_GetCharOrigin
    raw, font = text.raw, _Font(text)
    bold = True  # as long as the line is: asking is slow
    size, line = 0.0, (0.0, 0.0)  # type and place across the line, asked anew where that changes
    for index, code in enumerate(map(ord, chars)):
        char = "" if code in _HIGH else _CHARS.get(code, chars[index])
        if char == "\n":
            bold = True
        if char in {"", " ", "\n"}:
            if char:
                yield Glyph(char)
            continue
        place(raw, index, box)
        left, bottom, right, top = box.left, box.bottom, box.right, box.top
        if line != (across := (left, right) if sideways else (bottom, top)):
            origin(raw, index, x, y)
            size, line = font.size(index), across
        letter = char[0].isalpha()
        bold = bold and (not letter or font.is_bold(index))
        baseline = x.value if sideways else y.value
        yield Glyph(char, left, bottom, right, top, baseline, bold and letter, size)


class _Font:
    def __init__(self, text: pypdfium2.PdfTextPage) -> None:
        self._raw = text.raw
        self._name = create_string_buffer(_NAME)
        self._flags = c_int()
        self._matrix = pdfium.FS_MATRIX()

    def name(self, index: int) -> bytes:
        """Return the name of the font, empty where there is none or it is too long."""
        self._flags.value = 0
        size = pdfium.FPDFText_GetFontInfo(self._raw, index, self._name, _NAME, self._flags)
        return self._name.value if 0 < size <= _NAME else b""

    def size(self, index: int) -> float:
        """Return the size of the type in points, as it is shown."""
        pdfium.FPDFText_GetMatrix(self._raw, index, self._matrix)
        shown = hypot(self._matrix.c, self._matrix.d)
        return float(pdfium.FPDFText_GetFontSize(self._raw, index) * shown)

    def is_bold(self, index: int) -> bool:
        name = self.name(index)
        return bool(self._flags.value & _FORCE_BOLD) or bool(_BOLD.search(name))


def _turned(glyph: Glyph, turn: Turn) -> Glyph:
    left, bottom, right, top = turned(glyph[1:5], turn)
    own = turn.right == 270  # noqa: PLR2004 (degrees)
    base = glyph.baseline if own else turn.height - glyph.baseline
    return glyph._replace(left=left, bottom=bottom, right=right, top=top, baseline=base)


def with_marks(glyphs: Sequence[Glyph], dots: Iterable[Box]) -> Sequence[Glyph]:
    """Return the glyphs; lines that have dots drawn on their left begin with bullets.

    They do where two and more dots are above one another, all of them beside a line.
    """
    lines = [n for n, g in enumerate(glyphs) if g.size and (n == 0 or glyphs[n - 1].char == "\n")]
    columns, marks = defaultdict(list), dict[int, Glyph]()
    for dot in dots:
        columns[round(dot[0], 1), round(dot[2], 1)].append(dot)
    for column in columns.values():
        if 1 < len(column) <= len(lines):
            near = {n: dot for dot in column for n in lines if _is_mark(dot, glyphs[n])}
            for number, (left, _, right, _) in near.items() if len(near) == len(column) else ():
                marks[number] = glyphs[number]._replace(char="\u2022", left=left, right=right)
    signs = ((marks[n], Glyph(" ")) if n in marks else () for n in range(len(glyphs)))
    return [one for sign, glyph in zip(signs, glyphs, strict=True) for one in (*sign, glyph)]


def _is_mark(dot: Box, glyph: Glyph) -> bool:
    left, bottom, right, top = dot
    size, high = glyph.size, (bottom + top) / 2 - glyph.baseline
    near = 0 < glyph.left - right < 1.5 * size and 0 < high < 0.75 * size
    return near and MARK[0] * size < right - left < MARK[1] * size


def page_lines(
    page: pypdfium2.PdfPage, turn: Turn
) -> tuple[tuple[Rule, ...], tuple[Bar, ...], tuple[Box, ...]]:
    """Return the level and the upright lines of a page that is turned, and the dots on it."""
    rules, bars, dots = [], [], []
    for index in range(min(pdfium.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        shape = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(shape) == pdfium.FPDF_PAGEOBJ_PATH:
            for box in _lines(shape):
                left, bottom, right, top = turned(box, turn)
                if top - bottom <= THICK and right - left >= SHORT:
                    rules.append(Rule(left, right, (top + bottom) / 2))
                elif right - left <= THICK and top - bottom >= SHORT:
                    bars.append(Rule(bottom, top, (left + right) / 2))
                elif 0 < right - left <= DOT and abs(right - left - top + bottom) < LEVEL:
                    dots.append((left, bottom, right, top))
    upright = (Bar(line.y, line.left, line.right) for line in _joined(bars))
    return tuple(_joined(rules)), tuple(upright), tuple(dots)


def _joined(rules: Iterable[Rule]) -> Iterator[Rule]:
    last: Rule | None = None
    for rule in sorted(rules, key=lambda rule: (-round(rule.y), rule.left)):
        if last and abs(rule.y - last.y) < LEVEL and rule.left <= last.right + THICK:
            last = last._replace(right=max(last.right, rule.right))
            continue
        if last:
            yield last
        last = rule
    if last:
        yield last


def _lines(shape: pdfium.FPDF_PAGEOBJECT) -> Iterator[Box]:
    edges = [c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(shape, *map(byref, edges)):
        return
    left, bottom, right, top = (edge.value for edge in edges)
    if min(right - left, top - bottom) <= THICK or max(right - left, top - bottom) <= DOT:
        yield left, bottom, right, top
    if min(right - left, top - bottom) <= THICK:
        return
    count, fill, stroke = pdfium.FPDFPath_CountSegments(shape), c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(shape, byref(fill), byref(stroke))
    if not stroke.value or count > MOST_SEGMENTS:
        return
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(shape, byref(matrix))
    x, y, last = c_float(), c_float(), (0.0, 0.0)
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(shape, index)
        pdfium.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO:
            (left, right), (bottom, top) = (sorted(pair) for pair in zip(last, point, strict=True))
            yield left, bottom, right, top
        last = point


def turned(box: Box, turn: Turn) -> Box:
    """Return a box, left, bottom, right and top, on a page that is turned to the right."""
    left, bottom, right, top = box
    to_the_right, width, height = turn
    match to_the_right:
        case 90:
            return bottom, height - right, top, height - left
        case 180:
            return width - right, height - top, width - left, height - bottom
        case 270:
            return width - top, left, width - bottom, right
        case _:
            return box
