"""A PDF's bytes -> the document in it."""

from collections.abc import Sequence
from dataclasses import replace

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.adapters.pdf.about import (
    CUT,
    bookmarks,
    damage,
    date_of,
    named_pages,
    page_labels,
    title_of,
)
from research_agent.documents.adapters.pdf.glyphs import page_glyphs, page_text
from research_agent.documents.layout.blocks import page_blocks
from research_agent.documents.layout.line_joining import vocabulary
from research_agent.documents.layout.outline import row_sections
from research_agent.documents.layout.page_furniture import (
    Page,
    without_line_numbers,
    without_running_heads,
)
from research_agent.documents.layout.rows import rows
from research_agent.documents.layout.spans import spans
from research_agent.documents.layout.tables import with_heads
from research_agent.errors import DocumentError
from research_agent.types.documents import SCANNED, ParsedDocument, ParseQuality


def parse_pdf(data: bytes) -> ParsedDocument:
    """Return the document in a PDF file's bytes.

    A page that cannot be read costs only itself, and a warning. Raises DocumentError where the
    file is encrypted, is no readable PDF, or has no text at all.
    """
    document = open_pdf(data)
    try:
        return _parse(document, data)
    finally:
        document.close()


def open_pdf(data: bytes) -> pypdfium2.PdfDocument:
    """Return a PDF that has pages, to be closed; raises DocumentError for anything else."""
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


def _parse(document: pypdfium2.PdfDocument, data: bytes) -> ParsedDocument:
    pages, quality, warnings = _pages(document)
    if not any(page.spans for page in pages):
        raise DocumentError(SCANNED)
    numbered = [without_line_numbers(page) for page in pages]
    cleaned, printed = without_running_heads(numbered)
    lines = [rows(page.spans) for page in cleaned]
    words = vocabulary(span.text for page in lines for row in page for span in row.spans)
    outline = tuple(bookmarks(document))
    title = title_of(document, outline, lines[0])
    sections = row_sections(outline, lines, title=title)
    blocks = with_heads(
        page_blocks(page, headings, page=number, words=words)
        for number, (page, headings) in enumerate(zip(lines, sections, strict=True), start=1)
    )
    counts = [sum(len(page.spans) for page in step) for step in (pages, numbered, cleaned)]
    return ParsedDocument(
        blocks=tuple(blocks),
        title=title,
        page_texts=tuple(page.text for page in pages),
        date=date_of(document),
        page_labels=page_labels(document, printed),
        warnings=(*warnings, *_damage(data, pages, quality)),
        quality=replace(
            quality, line_numbers=counts[0] - counts[1], running_heads=counts[1] - counts[2]
        ),
    )


def _damage(data: bytes, pages: Sequence[Page], quality: ParseQuality) -> list[str]:
    """Say what is missing from a file that the library has mended without a word."""
    harm, named = damage(data), named_pages(data)
    empty = sum(not page.spans for page in pages) - quality.textless - quality.unreadable
    lost = [f"{named - len(pages)} of {named} pages are missing"] if named > len(pages) else []
    lost += [f"{empty} of {len(pages)} pages are empty"] if empty and harm else []
    if harm == CUT:
        return [f"{harm}; {'; '.join(lost) or 'pages may be lost'}"]
    return [f"{harm or 'the file is incomplete'}; {'; '.join(lost)}"] if lost else []


def _pages(document: pypdfium2.PdfDocument) -> tuple[list[Page], ParseQuality, list[str]]:
    """Return each page's spans, and what could not be read, in numbers and in words."""
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
    quality = ParseQuality(pages=len(pages), textless=textless, unreadable=len(unreadable))
    return pages, quality, warnings


def _page(document: pypdfium2.PdfDocument, index: int) -> tuple[Page, int]:
    """Return a page's spans, and how many things are drawn on it."""
    page = document[index]
    try:
        text = page.get_textpage()
        try:
            chars = page_text(text)
            glyphs, height = page_glyphs(text, page, chars)
            found = spans(glyphs)
        finally:
            text.close()
        return Page(found, height, chars), pdfium.FPDFPage_CountObjects(page)
    finally:
        page.close()
