"""A PDF's bytes -> the document in it."""

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import PurePath

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.adapters.pdf.fields import page_fields, with_fields
from research_agent.documents.adapters.pdf.glyphs import page_glyphs, page_text, page_turn
from research_agent.documents.layout import page_furniture
from research_agent.documents.layout.blocks import page_blocks
from research_agent.documents.layout.frames import bars_of
from research_agent.documents.layout.joining import vocabulary
from research_agent.documents.layout.listings import has_listings
from research_agent.documents.layout.outline import Entry, row_sections
from research_agent.documents.layout.rows import Row, rows
from research_agent.documents.layout.spans import spans
from research_agent.documents.layout.tables import with_heads
from research_agent.errors import DocumentError
from research_agent.text.credits import doi_in
from research_agent.types.documents import (
    BLANK,
    SCANNED,
    TEXTLESS,
    ParsedDocument,
    ParseQuality,
    page_ranges,
)

LARGE_TYPE = 1.3
"""Factor by which type is larger than most of the first page's, where it may be the title's."""
TITLE_CHARS = 200  # a longer "title" is none
TAIL = 2048  # bytes at the end in which a whole file has its mark of the end

_NO_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?)", re.IGNORECASE
)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


def parse_pdf(data: bytes, *, scans: bool = False) -> ParsedDocument:
    """Return the document in a PDF file's bytes; with `scans`, OCR will read pages without text.

    A page that cannot be read costs only itself, and a warning. Raises DocumentError where the
    file is encrypted, is no readable PDF, or has no text at all.
    """
    with closing(open_pdf(data)) as document:
        return _parse(document, data, scans=scans)


def open_pdf(data: bytes) -> pypdfium2.PdfDocument:
    """Return a PDF that has pages, to be closed; raises DocumentError for anything else."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise DocumentError("encrypted; a password is needed") from error
        raise DocumentError("not a readable PDF") from error
    document.init_forms()  # (does nothing where there are none)
    if not len(document):
        document.close()
        raise DocumentError("not a readable PDF: it has no pages")
    return document


def _parse(document: pypdfium2.PdfDocument, data: bytes, *, scans: bool) -> ParsedDocument:
    pages, quality, warnings, textless = _pages(document)
    if not any(page.spans for page in pages) and not (scans and textless):
        raise DocumentError(SCANNED if textless or quality.unreadable else BLANK)
    if textless and not scans:
        which = f"page{'s' if textless[1:] else ''} {page_ranges(textless)}"
        warnings.append(f"{len(textless)} of {len(pages)} pages {TEXTLESS}: {which}")
    if b"%%EOF" not in data[-TAIL:]:  # the library mends such a file without a word
        empty = sum(not page.spans for page in pages) - quality.textless - quality.unreadable
        lost = f"{empty} of {len(pages)} pages are empty" if empty else "pages may be lost"
        warnings.append(f"the end of the file is missing; {lost}")
    numbered = page_furniture.without_line_numbers(pages)
    cleaned, printed = page_furniture.without_running_heads(numbered)
    lines = [rows(page.spans, page.rules, page.frames) for page in cleaned]
    words = vocabulary(span.text for page in lines for row in page for span in row.spans)
    outline = tuple(_bookmarks(document))
    title = _title(document, outline, lines[0])
    sections = row_sections(outline, lines, title=title)
    read = partial(page_blocks, words=words, listings=has_listings(lines))
    blocks = with_heads(
        read(page, headings, page=number, rules=sheet.rules)
        for number, (page, headings, sheet) in enumerate(
            zip(lines, sections, cleaned, strict=True), start=1
        )
    )
    counts = [sum(len(page.spans) for page in step) for step in (pages, numbered, cleaned)]
    return ParsedDocument(
        blocks=tuple(blocks),
        title=title,
        page_texts=tuple(page.text for page in pages),
        date=_date(document),
        page_labels=_page_labels(document, printed),
        warnings=tuple(warnings),
        textless_pages=tuple(textless) if scans else (),
        quality=replace(
            quality,
            line_numbers=counts[0] - counts[1],
            running_heads=counts[1] - counts[2],
            authors=" ".join(_metadata(document, "Author").split()),
            doi=_doi(document),
        ),
    )


def _pages(
    document: pypdfium2.PdfDocument,
) -> tuple[list[page_furniture.Page], ParseQuality, list[str], list[int]]:
    pages: list[page_furniture.Page] = []
    unreadable: list[int] = []
    textless: list[int] = []
    for index in range(len(document)):
        try:
            page, objects = _page(document, index)
        except pypdfium2.PdfiumError:
            page, objects = page_furniture.Page((), 0.0), 0
            unreadable.append(index + 1)
        pages.append(page)
        if not page.spans and objects > 0:
            textless.append(index + 1)
    warnings = [f"page {number} cannot be read" for number in unreadable[:5]]
    if len(unreadable) > len(warnings):
        warnings.append(f"{len(unreadable)} pages cannot be read")
    quality = ParseQuality(pages=len(pages), textless=len(textless), unreadable=len(unreadable))
    return pages, quality, warnings, textless


def _page(document: pypdfium2.PdfDocument, index: int) -> tuple[page_furniture.Page, int]:
    with closing(document[index]) as page:
        with closing(page.get_textpage()) as text:
            chars = page_text(text)
            turn = page_turn(text, page)
            glyphs, rules, framed = page_glyphs(text, page, chars, turn)
            fields = page_fields(document, page, turn)
            found = with_fields(spans(glyphs, bars_of(framed)), fields)
        chars = "\n".join((chars, *(line.text for field in fields for line in field)))
        made = page_furniture.Page(found, turn.height, chars, rules, framed)
        return made, pdfium.FPDFPage_CountObjects(page)


def _bookmarks(document: pypdfium2.PdfDocument) -> Iterator[Entry]:
    for bookmark in document.get_toc():
        with suppress(pypdfium2.PdfiumError, UnicodeError):  # a damaged entry costs only itself
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = " ".join(bookmark.get_title().split())
            left, top = _place(target) if target is not None else (None, None)
            if title:
                yield Entry(bookmark.level, title, page, top, left)


def _place(target: pypdfium2.PdfDest) -> tuple[float | None, float | None]:
    kind, view = target.get_view()
    if kind == pdfium.PDFDEST_VIEW_XYZ and view[1:]:
        return view[0] or None, view[1] or None
    if kind in (pdfium.PDFDEST_VIEW_FITH, pdfium.PDFDEST_VIEW_FITBH) and view:
        return None, view[0] or None
    return None, None


def _page_labels(document: pypdfium2.PdfDocument, printed: tuple[str, ...]) -> tuple[str, ...]:
    if 2 * sum(map(bool, printed)) >= len(printed):
        return printed
    return tuple(document.get_page_label(index) for index in range(len(printed)))


def _title(
    document: pypdfium2.PdfDocument, entries: tuple[Entry, ...], first: tuple[Row, ...]
) -> str:
    title = " ".join(_metadata(document, "Title").split())
    path = " " not in title and (bool(PurePath(title).suffix) or "/" in title or "\\" in title)
    if title and not path and not _NO_TITLE.fullmatch(title):
        return title
    roots = [entry.title for entry in entries if entry.level == 0]
    if len(roots) == 1 and len(entries) > 1:
        return roots[0]
    sizes = sorted(row.size for row in first)
    if not sizes or sizes[-1] < LARGE_TYPE * sizes[len(sizes) // 2]:
        return ""
    large = " ".join(row.text for row in first if row.size > 0.95 * sizes[-1])
    return large if len(large) <= TITLE_CHARS else ""


def _date(document: pypdfium2.PdfDocument) -> str:
    for key in ("CreationDate", "ModDate"):
        if match := _DATE.match(_metadata(document, key)):
            with suppress(ValueError):  # month 13 and the like: no date
                return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
    return ""


def _doi(document: pypdfium2.PdfDocument) -> str:
    properties = (_metadata(document, key) for key in ("doi", "DOI", "WPS-ARTICLEDOI", "Subject"))
    return next(filter(None, map(doi_in, properties)), "")


def _metadata(document: pypdfium2.PdfDocument, key: str) -> str:
    try:
        return str(document.get_metadata_value(key))
    except UnicodeError:
        return ""  # not in UTF-16, as it should be
