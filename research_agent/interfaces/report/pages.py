"""The cited pages: each once, as a picture with the quoted words marked, or the reason why not."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from research_agent.errors import DocumentError, IndexingError
from research_agent.ports import ChunkStore
from research_agent.types.documents import Box, PagePicture, PageRequest, shown_label
from research_agent.types.result import Citation, ResearchResult

Draw = Callable[[PageRequest], PagePicture]
"""Draws a page; raises DocumentError."""

MOST_PAGES = 24
TAG = (38, 24)
"""Width and height of a tag on a picture."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The words of one citation on a page."""

    key: str
    boxes: tuple[Box, ...]
    tag: Box | None = None
    """Where its key is written; None where there is no box."""


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page with the citations on it; without a picture there is a reason."""

    name: str
    """The document and the page, in words."""
    keys: tuple[str, ...]
    picture: PagePicture | None = None
    marks: tuple[Mark, ...] = ()
    reason: str = ""


@dataclass(slots=True)
class _Wanted:
    citation: Citation
    page: int
    spans: list[tuple[str, tuple[int, int]]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        citation = self.citation
        if not citation.source.lower().endswith(".pdf"):
            return citation.doc_id
        single = citation.start_page == citation.end_page == self.page
        label = f" ({shown_label(citation.start_label)})" if single and citation.start_label else ""
        return f"{citation.doc_id}, PDF page {self.page}{label}"


def cited_pages(result: ResearchResult, chunks: ChunkStore, draw: Draw) -> tuple[ShownPage, ...]:
    """Return the cited pages in order; a page is drawn only if its text is the indexed one."""
    shown = list[ShownPage]()
    for wanted in _wanted(result).values():
        drawn = sum(page.picture is not None for page in shown)
        shown.append(_shown(wanted, chunks, draw, drawn=drawn))
    return tuple(shown)


def _wanted(result: ResearchResult) -> Mapping[tuple[str, int], _Wanted]:
    pages: dict[tuple[str, int], _Wanted] = {}
    for citation in result.citations:
        numbers = dict.fromkeys(span.page for span in citation.page_spans)
        for page in numbers or (citation.start_page,):
            wanted = pages.setdefault((citation.source, page), _Wanted(citation, page))
            if citation.key not in wanted.keys:
                wanted.keys.append(citation.key)
            spans = [span for span in citation.page_spans if span.page == page]
            wanted.spans += [(citation.key, (span.start, span.end)) for span in spans]
    return pages


def _shown(wanted: _Wanted, chunks: ChunkStore, draw: Draw, *, drawn: int) -> ShownPage:
    plain = ShownPage(wanted.name, tuple(wanted.keys))
    reason = _reason(wanted.citation)
    if not reason and drawn >= MOST_PAGES:
        reason = f"a report shows {MOST_PAGES} pages at most"
    if reason:
        return replace(plain, reason=reason)
    try:
        indexed = chunks.page_text(wanted.citation.chunk_id, wanted.page)
        if not indexed:
            said = "the index does not have this page's text, so nobody can tell if it is the same"
            return replace(plain, reason=f"{said}; index the document again")
        spans = tuple(span for _, span in wanted.spans)
        picture = draw(PageRequest(wanted.citation.source, wanted.page, spans))
    except (DocumentError, IndexingError) as error:
        return replace(plain, reason=str(error))
    if picture.text != indexed:
        return replace(plain, reason="the page has changed since it was indexed")
    boxes: dict[str, tuple[Box, ...]] = {}
    for (key, _), found in zip(wanted.spans, picture.boxes, strict=False):
        boxes[key] = (*boxes.get(key, ()), *found)
    return replace(plain, picture=picture, marks=tuple(marks(boxes)))


def marks(boxes: Mapping[str, tuple[Box, ...]]) -> Iterator[Mark]:
    """Yield the marks of the keys, each with a tag before its first box that covers no other.

    >>> [mark.tag.top for mark in marks({"c1": (Box(90, 9, 5, 5),), "c2": (Box(90, 9, 5, 5),)})]
    [9, 33]
    """
    taken: list[Box] = []
    for key, found in boxes.items():
        if not found:
            yield Mark(key, ())
            continue
        wide, high = TAG
        tag = Box(max(found[0].left - wide - 6, 2), found[0].top, wide, high)
        while any(abs(tag.left - b.left) < wide and abs(tag.top - b.top) < high for b in taken):
            tag = replace(tag, top=tag.top + high)
        taken.append(tag)
        yield Mark(key, found, tag)


def _reason(citation: Citation) -> str:
    if not citation.source:
        return "the file is not known"
    path, there = Path(citation.source), False
    with suppress(OSError, ValueError):
        there = path.is_file()
    if not there:
        return "the file has vanished since it was indexed"
    return "" if path.suffix.lower() == ".pdf" else "a file of this kind has no pages"
