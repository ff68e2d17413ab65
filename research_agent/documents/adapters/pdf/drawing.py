"""A page of a PDF -> a picture, and the boxes of some of its characters."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing
from ctypes import byref, c_int
from io import BytesIO
from typing import TYPE_CHECKING

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.adapters.pdf.glyphs import page_text
from research_agent.documents.adapters.pdf.parsing import open_pdf
from research_agent.errors import DocumentError
from research_agent.types.documents import Box, PagePicture

if TYPE_CHECKING:
    from PIL.Image import Image

WIDTH = 1000  # pixels of a picture from left to right
HEIGHT = 1600  # pixels from top to bottom at most
COLOURS = 64
GREYS = 16
QUALITY = 80
FINE = 16  # parts of a pixel that boxes are measured in


def draw_page(data: bytes, number: int, spans: Sequence[tuple[int, int]]) -> PagePicture:
    """Return page `number` (from 1) with a box a line for each span; raises DocumentError."""
    try:
        with closing(open_pdf(data)) as document:
            if not 1 <= number <= len(document):
                raise DocumentError(f"it has no page {number} any more")
            with closing(document[number - 1]) as page:
                return _drawn(page, spans)
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"page {number} cannot be drawn") from error


def _drawn(page: pypdfium2.PdfPage, spans: Sequence[tuple[int, int]]) -> PagePicture:
    width, height = page.get_size()
    if min(width, height) <= 0:
        raise DocumentError("the page has no size")
    scale = min(WIDTH / width, HEIGHT / height)
    if min(width, height) * scale < 1:
        raise DocumentError("the page is too narrow to be drawn")
    with closing(page.render(scale=scale)) as bitmap:
        image = bitmap.to_pil().convert("RGB")
    kind, encoded = _encoded(image)
    boxes = []
    with closing(page.get_textpage()) as text:
        chars = page_text(text)
        for span in spans:
            first, end = (min(max(place, 0), len(chars)) for place in span)
            found = list(_boxes(page, text, (first, end), image.size))
            boxes.append(box_a_line(found))
    picture = b64encode(encoded).decode("ascii")
    return PagePicture(kind, picture, image.width, image.height, chars, tuple(boxes))


def _encoded(image: "Image") -> tuple[str, bytes]:
    bands = [band.tobytes() for band in image.split()]
    grey = bands[0] == bands[1] == bands[2]
    plain = image.convert("L") if grey else image
    few = plain.quantize(GREYS if grey else COLOURS)
    png, jpeg = BytesIO(), BytesIO()
    few.save(png, "png", optimize=True)
    plain.save(jpeg, "jpeg", quality=QUALITY, optimize=True)
    smaller = png.tell() <= jpeg.tell()
    return ("png", png.getvalue()) if smaller else ("jpeg", jpeg.getvalue())


def _boxes(
    page: pypdfium2.PdfPage,
    text: pypdfium2.PdfTextPage,
    span: tuple[int, int],
    size: tuple[int, int],
) -> Iterator[Box]:
    start, end = span
    for index in range(text.count_rects(start, end - start) if end > start else 0):
        left, bottom, right, top = text.get_rect(index)
        xs, ys = zip(_pixel(page, size, left, top), _pixel(page, size, right, bottom), strict=True)
        yield Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def _pixel(
    page: pypdfium2.PdfPage, size: tuple[int, int], x: float, y: float
) -> tuple[float, float]:
    column, row = c_int(), c_int()
    whole = (size[0] * FINE, size[1] * FINE)
    pdfium.FPDF_PageToDevice(page.raw, 0, 0, *whole, 0, x, y, byref(column), byref(row))
    return column.value / FINE, row.value / FINE


def box_a_line(boxes: Sequence[Box]) -> tuple[Box, ...]:
    """Return boxes that follow one another, those of one line as one.

    >>> box_a_line([Box(10, 10, 20, 8), Box(31, 11, 9, 6), Box(10, 30, 5, 8)])
    (Box(left=10, top=10, width=30, height=8), Box(left=10, top=30, width=5, height=8))
    """
    lines: list[Box] = []
    for box in boxes:
        if lines and _same_line(lines[-1], box):
            lines[-1] = _around(lines[-1], box)
        else:
            lines.append(box)
    return tuple(lines)


def _same_line(one: Box, other: Box) -> bool:
    shared = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
    upright = one.width + other.width > max(one.height, other.height)
    return upright and shared > min(one.height, other.height) / 2


def _around(one: Box, other: Box) -> Box:
    left, top = min(one.left, other.left), min(one.top, other.top)
    right = max(one.left + one.width, other.left + other.width)
    bottom = max(one.top + one.height, other.top + other.height)
    return Box(left, top, right - left, bottom - top)
