"""The last step: the quotes of a result have their places on the pages of their files."""

from collections.abc import Sequence

import pytest

from research_agent.answering.report import report
from research_agent.errors import IndexDamagedError
from research_agent.text.alignment import PageSpan
from research_agent.text.quote_search import Quote
from research_agent.types import Chunk, Hit
from research_agent.types.calls import Found
from research_agent.types.claims import Claim
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.evidence import Evidence
from research_agent.types.refinement import Refinement
from research_agent.types.result import ResearchResult
from research_agent.types.verification import Check, Draft
from tests.fakes import MemoryChunks

TEXT = "Keys are new. All keys of the scheme are sampled anew."
QUOTE = "All keys of the scheme are sampled anew."


class Pages(MemoryChunks):
    """A store of one chunk and the texts of its document's pages."""

    def __init__(self, chunk: Chunk, **pages: str) -> None:
        super().__init__([chunk])
        self.pages = {int(name[1:]): text for name, text in pages.items()}

    def page_text(self, chunk_id: str, page: int) -> str:
        assert chunk_id in self.known
        return self.pages.get(page, "")


class Damaged(MemoryChunks):
    """A store whose file is damaged."""

    def page_text(self, chunk_id: str, page: int) -> str:
        raise IndexDamagedError(f"{chunk_id} of page {page} is damaged.", hint="rebuild it")


def reported(chunk: Chunk, chunks: MemoryChunks, quote: str = QUOTE) -> ResearchResult:
    start = chunk.text.index(quote)
    found = Quote(1.0, quote, start, start + len(quote))
    claim = Claim("Keys are sampled anew.", ("c1",), (found,), "supported")
    return report(
        "How are keys made?",
        best=Draft(claims=(claim,)),
        check=Check("stop", "confident"),
        evidence=(Evidence("c1", Hit(chunk)),),
        confidence=RetrievalConfidence(),
        refinement=Refinement(),
        found=Found(),
        rounds=1,
        trace=(),
        chunks=chunks,
    )


def spans(chunk: Chunk, quote: str = QUOTE, **pages: str) -> Sequence[PageSpan]:
    (citation,) = reported(chunk, Pages(chunk, **pages), quote).citations
    return citation.page_spans


def test_places_over_a_page_break() -> None:
    """The parts of a quote that goes on over a page's end, and no running head."""
    chunk = Chunk("x", "guide", TEXT, 2, 3)
    pages = {
        "p2": "Keys are new.\r\nAll keys of the\r\n2",
        "p3": "Guide\r\nscheme are sam-\r\npled anew.",
    }
    parts = [pages[f"p{span.page}"][span.start : span.end] for span in spans(chunk, **pages)]

    assert ["All keys of the", "scheme are sam-\r\npled anew."] == parts


def test_head_of_a_table_on_the_page_before() -> None:
    """A part of a table repeats its head, which stands where the table begins."""
    chunk = Chunk("x", "guide", "name | key\nC | 1568", 3, 3, kind="table")
    pages = {"p2": "name key\r\nA 800", "p3": "C 1568\r\nD 9"}

    assert (PageSpan(2, 0, 8), PageSpan(3, 0, 6)) == spans(chunk, chunk.text, **pages)
    assert (PageSpan(3, 0, 6),) == spans(chunk, "C | 1568", **pages)


def test_formats_without_pages_and_texts_that_changed() -> None:
    """There is no place; the quote is that of the chunk all the same."""
    chunk = Chunk("x", "guide", TEXT)

    assert () == spans(chunk)
    assert () == spans(chunk, p1="Something else stands here by now.")


def test_a_damaged_index_costs_the_places_alone() -> None:
    """The answer and its quotes are there, and a warning."""
    chunk = Chunk("x", "guide", TEXT)
    result = reported(chunk, Damaged([chunk]))

    assert (QUOTE, ()) == (result.citations[0].quote, result.citations[0].page_spans)
    assert (
        "report: x of page 1 is damaged. The quotes have no places on their pages.",
    ) == result.warnings


@pytest.mark.parametrize("chunk_id", ["x", "gone"])
def test_a_chunk_that_is_gone(chunk_id: str) -> None:
    """The index may have changed since; then there is no text to look into."""
    chunk = Chunk(chunk_id, "guide", TEXT)
    (citation,) = reported(chunk, MemoryChunks([Chunk("x", "guide", TEXT)])).citations

    assert (chunk_id == "x") == bool(citation.page_spans)
