"""The fields of a PDF's form -> what is written or ticked in them, with its place on the page."""

from collections.abc import Iterator, Sequence
from ctypes import create_string_buffer

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.adapters.pdf.glyphs import Turn, turned
from research_agent.documents.layout.pieces import share
from research_agent.documents.layout.spans import Span

MOST_FIELDS = 2_000  # of a page
MOST_BYTES = 200_000  # of a value
BESIDE = 0.2  # share of the height of a name and of its field that both have at least
LINE = 12.0  # points from line to line of a value
PASSWORD = 1 << 13  # a flag of a text field
TICKED, EMPTY = "\u2612", "\u2610"

_BOXES = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_WRITTEN = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)


Field = tuple[Span, ...]
"""The lines of a field."""


def page_fields(
    document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, turn: Turn
) -> tuple[Field, ...]:
    """Return what is written in each of a page's fields, and a sign for each box to tick.

    Fields that nobody sees, and those of passwords, are left out.
    """
    if document.formenv is None:
        return ()
    return tuple(filter(None, _fields(document.formenv.raw, page, turn)))


def with_fields(found: Sequence[Span], fields: Sequence[Field]) -> tuple[Span, ...]:
    """Return the pieces of lines of a page, each field before or after the nearest one.

    >>> name, city = (Span(text, 0, y, 40, y + 10) for text, y in (("Name", 30), ("City", 0)))
    >>> [span.text for span in with_fields([name, city], [(Span("Ada", 50, 30, 90, 40),)])]
    ['Name', 'Ada', 'City']
    """
    ordered = list(found)
    for lines in fields:
        field = lines[0]
        beside = [
            (max(field.left - span.right, span.left - field.right), at + (span.left < field.left))
            for at, span in enumerate(ordered)
            if share(span, field) >= BESIDE
        ]
        above = [
            (abs(span.bottom - field.top), at + 1)
            for at, span in enumerate(ordered)
            if span.middle > field.middle
        ]
        nearest, at = min(beside or above or [(0.0, 0)])
        at = at if beside else max((n for off, n in above if off <= nearest + LINE), default=0)
        ordered[at:at] = lines
    return tuple(ordered)


def _fields(form: pdfium.FPDF_FORMHANDLE, page: pypdfium2.PdfPage, turn: Turn) -> Iterator[Field]:
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), MOST_FIELDS)):
        field = pdfium.FPDFPage_GetAnnot(page, index)
        try:
            hidden = pdfium.FPDFAnnot_GetFlags(field) & pdfium.FPDF_ANNOT_FLAG_HIDDEN
            if pdfium.FPDFAnnot_GetSubtype(field) == pdfium.FPDF_ANNOT_WIDGET and not hidden:
                yield tuple(_lines(form, field, turn))
        finally:
            pdfium.FPDFPage_CloseAnnot(field)


def _lines(
    form: pdfium.FPDF_FORMHANDLE, field: pdfium.FPDF_ANNOTATION, turn: Turn
) -> Iterator[Span]:
    kind, box = pdfium.FPDFAnnot_GetFormFieldType(form, field), pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(field, box):
        return
    lines: Sequence[str] = ()
    if kind in _BOXES:
        lines = [TICKED if pdfium.FPDFAnnot_IsChecked(form, field) else EMPTY]
    elif kind in _WRITTEN and not pdfium.FPDFAnnot_GetFormFieldFlags(form, field) & PASSWORD:
        lines = _value(form, field).splitlines()
    place = (box.left, box.bottom, box.right, box.top)
    left, bottom, right, top = turned(place, turn)
    height = min(top - bottom, LINE) if len(lines) < 2 else LINE  # noqa: PLR2004 (one line)
    high = (top + bottom + height) / 2 if len(lines) == 1 else top
    for number, line in enumerate(filter(str.strip, lines)):
        low = high - (number + 1) * height
        yield Span(" ".join(line.split()), left, low, right, low + height, max(height, 1.0), low)


def _value(form: pdfium.FPDF_FORMHANDLE, field: pdfium.FPDF_ANNOTATION) -> str:
    size = pdfium.FPDFAnnot_GetFormFieldValue(form, field, None, 0)
    if not 2 < size <= MOST_BYTES:  # noqa: PLR2004 (the two bytes of the end)
        return ""
    text = create_string_buffer(size)
    pdfium.FPDFAnnot_GetFormFieldValue(
        form, field, pdfium.cast(text, pdfium.POINTER(pdfium.FPDF_WCHAR)), size
    )
    return text.raw[:-2].decode("utf-16-le", "replace")
