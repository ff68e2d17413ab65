"""What a PDF says about itself: title, date and the labels of its pages."""

import re
from datetime import date
from pathlib import PurePath

import pypdfium2

from research_agent.documents.layout.outline import Entry
from research_agent.documents.layout.page_layout import Row

LARGE_TYPE = 1.3
"""Type so many times larger than most of the first page's may be the title."""
TITLE_CHARS = 200
"""A longer "title" is none."""

_NO_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?)", re.IGNORECASE
)
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")


def _metadata(document: pypdfium2.PdfDocument, key: str) -> str:
    try:
        return str(document.get_metadata_value(key))
    except UnicodeError:
        return ""  # not in UTF-16, as it should be


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


def date_of(document: pypdfium2.PdfDocument) -> str:
    """Return the day on which the file says it was made, or changed."""
    for key in ("CreationDate", "ModDate"):
        match = _DATE.match(_metadata(document, key))
        if match:
            try:
                return date(int(match[1]), int(match[2] or 1), int(match[3] or 1)).isoformat()
            except ValueError:
                continue  # month 13 and the like: no date
    return ""
