"""The step that ends a question: the result, with the place of each quote on its page."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from research_agent.answering.output_gate import gated_draft, gated_result
from research_agent.answering.refusal_hint import advice_of
from research_agent.errors import IndexingError
from research_agent.ports import ChunkStore, no_documents
from research_agent.settings import Laid
from research_agent.text.alignment import PageSpan, page_spans
from research_agent.types import Chunk, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.corpus import DocumentOutline
from research_agent.types.evidence import Evidence
from research_agent.types.pruning import UNPRUNED, PruneStats
from research_agent.types.refinement import Refinement
from research_agent.types.result import Citation, ResearchResult, Unconfirmed, research_result
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.types.verification import Check, Draft

NO_PRESET = Laid()
GAVE_WAY = (
    "the model's tool calls or verdicts could not be read twice: search and filter went on as in "
    "the preset local"
)
"""What is said where "auto" did not keep to "full"."""


def report(  # noqa: PLR0913 (every part of the state that a caller sees)
    question: str,
    *,
    best: Draft,
    check: Check,
    evidence: Sequence[Evidence],
    confidence: RetrievalConfidence,
    refinement: Refinement,
    found: Found,
    rounds: int,
    trace: Sequence[TraceEvent],
    chunks: ChunkStore,
    prune: PruneStats = UNPRUNED,
    documents: Callable[[], Sequence[DocumentOutline]] = no_documents,
    scope: Scope = EVERYTHING,
    unsaid: Sequence[str] = (),
    unconfirmed: Unconfirmed = "mark",
    laid: Laid = NO_PRESET,
) -> ResearchResult:
    """Return the result, with advice where it is no whole answer.

    What the model wrote is gated: addresses, images and tags that no cited chunk has are shown as
    text. Where the pages' texts cannot be read, quotes have no places on them.
    """
    result = research_result(
        question,
        best=gated_draft(best, evidence),
        check=check,
        evidence=evidence,
        confidence=confidence,
        refinement=refinement,
        found=found,
        rounds=rounds,
        trace=trace,
        prune=prune,
        unsaid=unsaid,
        unconfirmed=unconfirmed,
    )
    warnings = (*result.warnings, GAVE_WAY) if laid.gave_way else result.warnings
    result = replace(gated_result(result), preset=laid.name, warnings=warnings)
    if result.status != "answered":
        result = replace(result, advice=advice_of(result, _searchable(documents, scope)))
    cited = {item.key: item.hit.chunk for item in evidence}
    try:
        placed = tuple(_placed(item, cited[item.key], chunks) for item in result.citations)
    except IndexingError as error:
        warning = f"report: {error} The quotes have no places on their pages."
        return replace(result, warnings=(*result.warnings, warning))
    return replace(result, citations=placed)


def _searchable(
    documents: Callable[[], Sequence[DocumentOutline]], scope: Scope
) -> Sequence[DocumentOutline]:
    """Return the documents that were searched; none where the index cannot be read."""
    try:
        known = documents()
    except IndexingError:
        return ()
    return [one for one in known if scope.admits_document(one.doc_id, one.source, one.date)]


def _placed(citation: Citation, chunk: Chunk, chunks: ChunkStore) -> Citation:
    """Return a citation with the place of its quote, as far as its file has pages."""
    spans = _spans(citation, chunk, chunks, range(chunk.start_page, chunk.end_page + 1))
    if not spans and chunk.start_page > 1:  # (a table's head may stand on the page before)
        spans = _spans(citation, chunk, chunks, range(chunk.start_page - 1, chunk.end_page + 1))
    return replace(citation, page_spans=spans)


def _spans(
    citation: Citation, chunk: Chunk, chunks: ChunkStore, numbers: range
) -> tuple[PageSpan, ...]:
    texts = {number: chunks.page_text(chunk.chunk_id, number) for number in numbers}
    return page_spans(
        citation.quote,
        {number: text for number, text in texts.items() if text},
        before=chunk.text[: citation.quote_start],
        after=chunk.text[citation.quote_end :],
    )
