"""What a PDF says about itself: title, date, labels of its pages, bookmarks; and how it is damaged.

The library mends damage without a word, so what may be missing is told from the bytes.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import PurePath

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.layout.outline import Entry
from research_agent.documents.layout.rows import Row

LARGE_TYPE = 1.3
"""Factor by which type is larger than most of the first page's, where it may be the title's."""
TITLE_CHARS = 200  # a longer "title" is none
CUT = "the end of the file is missing"
TAIL = 2048  # bytes at the end in which a whole file says where its table of objects is

_NO_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?)", re.IGNORECASE
)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")
_START = re.compile(rb"startxref\s+(\d{1,12})\s*(?:%%EOF\s*)?$")
_TABLE = re.compile(rb"\s*(?:xref\b|\d+\s+\d+\s+obj\b)")
_COUNT = re.compile(rb"/Type\s*/Pages\b[^<>]{0,4000}?/Count\s+(\d{1,7})\b")
_COUNT_FIRST = re.compile(rb"/Count\s+(\d{1,7})\b[^<>]{0,4000}?/Type\s*/Pages\b")
_LINEAR = re.compile(rb"/Linearized\b[^<>]{0,400}?/N\s+(\d{1,7})\b")


def bookmarks(document: pypdfium2.PdfDocument) -> Iterator[Entry]:
    """Yield the outline's entries in order; one that leads nowhere has no page."""
    for bookmark in document.get_toc():
        with suppress(pypdfium2.PdfiumError, UnicodeError):  # a damaged entry costs only itself
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = " ".join(bookmark.get_title().split())
            left, top = _place(target) if target is not None else (None, None)
            if title:
                yield Entry(bookmark.level, title, page, top, left)


def _place(target: pypdfium2.PdfDest) -> tuple[float | None, float | None]:
    """Return the left edge and the height that a bookmark leads to, where it names them."""
    kind, view = target.get_view()
    if kind == pdfium.PDFDEST_VIEW_XYZ and view[1:]:
        return view[0] or None, view[1] or None
    if kind in (pdfium.PDFDEST_VIEW_FITH, pdfium.PDFDEST_VIEW_FITBH) and view:
        return None, view[0] or None
    return None, None


def page_labels(document: pypdfium2.PdfDocument, printed: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is printed on the pages; where that is not seen, the labels the file gives."""
    if 2 * sum(map(bool, printed)) >= len(printed):
        return printed
    return tuple(document.get_page_label(index) for index in range(len(printed)))


def title_of(
    document: pypdfium2.PdfDocument, entries: tuple[Entry, ...], first: tuple[Row, ...]
) -> str:
    """Return the title: the file's own, else an outermost heading, else the largest lines."""
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


def date_of(document: pypdfium2.PdfDocument) -> str:
    """Return the day on which the file says it was made, or changed."""
    for key in ("CreationDate", "ModDate"):
        if match := _DATE.match(_metadata(document, key)):
            with suppress(ValueError):  # month 13 and the like: no date
                return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
    return ""


def _metadata(document: pypdfium2.PdfDocument, key: str) -> str:
    try:
        return str(document.get_metadata_value(key))
    except UnicodeError:
        return ""  # not in UTF-16, as it should be


def damage(data: bytes) -> str:
    """Return how a file is damaged as a whole; empty where its parts are where it says."""
    end = data[-TAIL:].rstrip(b"\0\r\n\t ")
    if b"%%EOF" not in end:
        return CUT
    start = _START.search(end[: end.rfind(b"%%EOF") + 5])
    shift = max(data[:TAIL].find(b"%PDF-"), 0)
    places = (int(start[1]), int(start[1]) + shift) if start else ()
    if any(_TABLE.match(data, place) for place in places):
        return ""
    return "its table of objects is damaged"


def named_pages(data: bytes) -> int:
    """Return how many pages a file says it has, as far as that is not compressed; else 0."""
    found = (*_COUNT.findall(data), *_COUNT_FIRST.findall(data), *_LINEAR.findall(data[:TAIL]))
    return max(map(int, found), default=0)
