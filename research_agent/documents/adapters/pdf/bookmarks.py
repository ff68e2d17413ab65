"""The outline of a PDF: its bookmarks."""

from collections.abc import Iterator
from contextlib import suppress

import pypdfium2
import pypdfium2.raw as pdfium

from research_agent.documents.layout.outline import Entry


def entries(document: pypdfium2.PdfDocument) -> Iterator[Entry]:
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
