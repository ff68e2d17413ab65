"""The straight lines that a PDF's page draws, such as those of tables and fractions."""

from collections.abc import Iterable, Iterator
from ctypes import byref, c_float, c_int

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.layout.spans import Rule

THICK = 2.5  # points; what is thicker is an area
LEVEL = 1.0  # points by which the heights of two parts of a line differ at most
SHORT = 3.0  # points; what is shorter is no line
MOST_OBJECTS, MOST_SEGMENTS = 20_000, 2_000  # of a page and of one object: drawings have more

Box = tuple[float, float, float, float]


def page_rules(page: pypdfium2.PdfPage, turn: int, width: float, height: float) -> tuple[Rule, ...]:
    """Return the lines that are level when the page is turned by `turn` degrees to the right.

    `width` and `height` are the page's then.
    """
    rules = []
    for index in range(min(pdfium.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        shape = pdfium.FPDFPage_GetObject(page, index)
        if pdfium.FPDFPageObj_GetType(shape) == pdfium.FPDF_PAGEOBJ_PATH:
            for box in _lines(shape):
                left, bottom, right, top = turned(box, turn, width, height)
                if top - bottom <= THICK and right - left >= SHORT:
                    rules.append(Rule(left, right, (top + bottom) / 2))
    return tuple(_joined(rules))


def _joined(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield the lines, those that touch one another at one height as one."""
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
    """Yield the box of a path that is one line, else those of its straight strokes."""
    edges = [c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(shape, *map(byref, edges)):
        return
    left, bottom, right, top = (edge.value for edge in edges)
    if min(right - left, top - bottom) <= THICK:
        yield left, bottom, right, top
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


def turned(box: Box, turn: int, width: float, height: float) -> Box:
    """Return a box, left, bottom, right and top, on a page that is turned to the right."""
    left, bottom, right, top = box
    match turn:
        case 90:
            return bottom, height - right, top, height - left
        case 180:
            return width - right, height - top, width - left, height - bottom
        case 270:
            return width - top, left, width - bottom, right
        case _:
            return box
