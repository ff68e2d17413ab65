"""PDF files, read with PDFium: text in reading order, tables, outline, printed page labels."""

import re
from collections.abc import Iterator
from contextlib import suppress
from ctypes import c_double
from datetime import date
from pathlib import PurePath

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.core.documents import Block, ParsedDocument
from research_agent.core.line_joining import vocabulary
from research_agent.core.outline import Entry, row_sections
from research_agent.core.page_blocks import page_blocks
from research_agent.core.page_furniture import Page, without_line_numbers, without_running_heads
from research_agent.core.page_layout import Glyph, Row, rows, spans
from research_agent.errors import DocumentError

LARGE_TYPE = 1.3
"""Type so many times larger than most of the first page's may be the title."""
TITLE_CHARS = 200
"""A longer "title" is none."""

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_HIGH, _LOW = range(0xD800, 0xDC00), range(0xDC00, 0xE000)  # halves of a UTF-16 pair
_SPACES = {0x09: " ", 0x0A: "\n", 0xA0: " "}
_HYPHENS = (0x02, 0xAD, 0xFFFE)  # how PDFium marks a hyphen at the end of a line
_NOTHING = {*range(0x20), 0x7F, 0xFFFF}  # codes without a character
_NO_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?)", re.IGNORECASE
)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


def parse_pdf(data: bytes) -> ParsedDocument:
    """Return the document in a PDF file's bytes.

    A page that cannot be read costs only itself, and a warning. Raises DocumentError where the
    file is encrypted, is no readable PDF, or has no text at all.
    """
    document = _open(data)
    try:
        return _parse(document, truncated=b"%%EOF" not in data[-2048:])
    finally:
        document.close()


def _open(data: bytes) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise DocumentError("encrypted; a password is needed") from error
        raise DocumentError("not a readable PDF") from error
    if not len(document):
        document.close()
        raise DocumentError("not a readable PDF: it has no pages")
    return document


def _parse(document: pypdfium2.PdfDocument, *, truncated: bool) -> ParsedDocument:
    pages, warnings = _pages(document)
    if not any(page.spans for page in pages):
        raise DocumentError("no text in it; it looks scanned: run OCR first")
    pages = [without_line_numbers(page) for page in pages]
    cleaned, printed = without_running_heads(pages)
    lines = [rows(page.spans) for page in cleaned]
    entries = tuple(_entries(document))
    title = _title(document, entries, lines[0])
    if truncated:
        warnings.append("the end of the file is missing; pages may be lost")
    return ParsedDocument(
        blocks=_blocks(lines, entries, title),
        title=title,
        date=_date(document),
        page_labels=_labels(document, printed),
        warnings=tuple(warnings),
    )


def _blocks(
    lines: list[tuple[Row, ...]], entries: tuple[Entry, ...], title: str
) -> tuple[Block, ...]:
    words = vocabulary(span.text for page in lines for row in page for span in row.spans)
    sections = row_sections(entries, lines, title=title)
    return tuple(
        block
        for number, (page, headings) in enumerate(zip(lines, sections, strict=True), start=1)
        for block in page_blocks(page, headings, page=number, words=words)
    )


def _pages(document: pypdfium2.PdfDocument) -> tuple[list[Page], list[str]]:
    """Return each page's spans, and what could not be read."""
    pages: list[Page] = []
    unreadable: list[int] = []
    textless = 0
    for index in range(len(document)):
        try:
            page, objects = _page(document, index)
        except pypdfium2.PdfiumError:
            page, objects = Page((), 0.0), 0
            unreadable.append(index + 1)
        pages.append(page)
        textless += not page.spans and objects > 0
    warnings = [f"page {number} cannot be read" for number in unreadable[:5]]
    if len(unreadable) > len(warnings):
        warnings.append(f"{len(unreadable)} pages cannot be read")
    if textless:
        warnings.append(f"{textless} of {len(pages)} pages have no text (scanned?)")
    return pages, warnings


def _page(document: pypdfium2.PdfDocument, index: int) -> tuple[Page, int]:
    """Return a page's spans, and how many things are drawn on it."""
    page = document[index]
    try:
        text = page.get_textpage()
        try:
            found = spans(_upright(_glyphs(text), page))
        finally:
            text.close()
        return Page(found, page.get_height()), pdfium.FPDFPage_CountObjects(page)
    finally:
        page.close()


def _glyphs(text: pypdfium2.PdfTextPage) -> Iterator[Glyph]:
    """Yield the page's characters with their boxes; UTF-16 halves come together."""
    box, x, y = pdfium.FS_RECTF(), c_double(), c_double()
    high = 0
    for index in range(text.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text, index)
        if code in _HIGH:
            high = code
            continue
        if code in _LOW:
            code = 0x10000 + ((high - _HIGH[0]) << 10) + (code - _LOW[0]) if high else 0
        high = 0
        char = _char(code)
        if char:
            pdfium.FPDFText_GetLooseCharBox(text, index, box)
            pdfium.FPDFText_GetCharOrigin(text, index, x, y)
            yield Glyph(char, box.left, box.bottom, box.right, box.top, y.value)


def _char(code: int) -> str:
    """Return the character of a PDFium code; "" for one that says nothing."""
    if code in _HYPHENS:
        return "\N{SOFT HYPHEN}"
    if code in _LIGATURES:
        return _LIGATURES[code]
    if code in _SPACES:
        return _SPACES[code]
    return "" if code in _NOTHING else chr(code)


def _upright(glyphs: Iterator[Glyph], page: pypdfium2.PdfPage) -> Iterator[Glyph]:
    """Turn the boxes of a page that is shown turned, so that its lines run from left to right."""
    turn, (width, height) = page.get_rotation(), page.get_size()
    return (_turned(glyph, turn, width, height) for glyph in glyphs)


def _turned(glyph: Glyph, turn: int, width: float, height: float) -> Glyph:
    char, left, bottom, right, top, _ = glyph
    match turn:
        case 90:
            low = height - right
            return Glyph(char, bottom, low, top, height - left, low)
        case 180:
            low = height - top
            return Glyph(char, width - right, low, width - left, height - bottom, low)
        case 270:
            return Glyph(char, width - top, left, width - bottom, right, left)
        case _:
            return glyph


def _entries(document: pypdfium2.PdfDocument) -> Iterator[Entry]:
    """Yield the outline's entries in order; those that lead nowhere are left out."""
    for bookmark in document.get_toc():
        with suppress(pypdfium2.PdfiumError, UnicodeError):  # a damaged entry costs only itself
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = " ".join(bookmark.get_title().split())
            if target is not None and page is not None and title:
                left, top = _place(target)
                yield Entry(bookmark.level, title, page, top, left)


def _place(target: pypdfium2.PdfDest) -> tuple[float | None, float | None]:
    """Return the left edge and the height that a bookmark leads to, where it names them."""
    kind, view = target.get_view()
    if kind == pdfium.PDFDEST_VIEW_XYZ and view[1:]:
        return view[0] or None, view[1] or None
    if kind in (pdfium.PDFDEST_VIEW_FITH, pdfium.PDFDEST_VIEW_FITBH) and view:
        return None, view[0] or None
    return None, None


def _metadata(document: pypdfium2.PdfDocument, key: str) -> str:
    try:
        return str(document.get_metadata_value(key))
    except UnicodeError:
        return ""  # not in UTF-16, as it should be


def _labels(document: pypdfium2.PdfDocument, printed: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is printed on the pages; where that is not seen, the labels the file gives."""
    if 2 * sum(map(bool, printed)) >= len(printed):
        return printed
    return tuple(document.get_page_label(index) for index in range(len(printed)))


def _title(
    document: pypdfium2.PdfDocument, entries: tuple[Entry, ...], first: tuple[Row, ...]
) -> str:
    """Return the title: the file's own, else an outermost heading, else the largest lines."""
    title = " ".join(_metadata(document, "Title").split())
    if title and not _NO_TITLE.fullmatch(title) and not _is_file_name(title):
        return title
    roots = [entry.title for entry in entries if entry.level == 0]
    if len(roots) == 1 and len(entries) > 1:
        return roots[0]
    sizes = sorted(row.size for row in first)
    if not sizes or sizes[-1] < LARGE_TYPE * sizes[len(sizes) // 2]:
        return ""
    large = " ".join(row.text for row in first if row.size > 0.95 * sizes[-1])
    return large if len(large) <= TITLE_CHARS else ""


def _is_file_name(title: str) -> bool:
    """Say whether a title is a path, as some programs put it there."""
    return " " not in title and (bool(PurePath(title).suffix) or "/" in title or "\\" in title)


def _date(document: pypdfium2.PdfDocument) -> str:
    """Return the day on which the file says it was made, or changed."""
    for key in ("CreationDate", "ModDate"):
        match = _DATE.match(_metadata(document, key))
        if match:
            try:
                return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
            except ValueError:
                continue  # month 13 and the like: no date
    return ""
