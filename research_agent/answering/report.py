"""Report: what the steps have written becomes the one result that every door returns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from research_agent.answering.output_gate import gated_draft, gated_result
from research_agent.answering.refusal_hint import advice_of
from research_agent.context import StepContext
from research_agent.errors import IndexingError
from research_agent.ports import ChunkStore, Ports
from research_agent.text.alignment import PageSpan, page_spans
from research_agent.text.content_words import content_words
from research_agent.text.quote_search import Quote, headings, unit_spans
from research_agent.text.tables import head_of
from research_agent.types import REFUSAL, Chunk, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.claims import Claim, is_supported
from research_agent.types.evidence import Evidence, place
from research_agent.types.pruning import Pruned
from research_agent.types.records import DocumentOutline
from research_agent.types.refinement import Refinement
from research_agent.types.result import (
    Citation,
    Conflict,
    ResearchResult,
    Unconfirmed,
    in_lines,
    leads,
    usage_of,
    with_markers,
)
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.scope import Scope, undated_warnings
from research_agent.types.uncertainty import placed
from research_agent.types.verification import Check, Draft, StopReason

NOTHING_CONFIRMED = "Nothing in this answer could be confirmed."
"""How an answer begins of which no sentence is supported."""
GAVE_WAY = (
    "the model's tool calls or verdicts could not be read twice: search and filter went on as in "
    "the preset local"
)
"""The warning where the preset "auto" did not keep to "full"."""


class Researched(Protocol):
    """What the steps of a question have written; the research graph's state has it."""

    question: str
    scope: Scope
    best: Draft
    check: Check
    evidence: tuple[Evidence, ...]
    confidence: RetrievalConfidence
    refinement: Refinement
    found: Found
    rounds: int
    trace: tuple[TraceEvent, ...]
    pruned: Pruned
    unsaid: tuple[str, ...]


def report(state: Researched, context: StepContext) -> ResearchResult:
    """Return the gated result, with advice where it is no whole answer.

    Where the pages' texts cannot be read, quotes have no places on them.
    """
    ports, settings = context.ports, context.settings
    best = gated_draft(state.best, state.evidence)
    result = gated_result(result_of(state, best, settings.answer.unconfirmed))
    documents = _known(ports)
    undated = undated_warnings(state.scope, lambda: documents)
    warnings = (*result.warnings, *([GAVE_WAY] if settings.laid.gave_way else []), *undated)
    if settings.budget.cost:  # (0: no limit)
        warnings += _without_price(state.trace)
    result = replace(result, preset=settings.laid.name, warnings=warnings)
    if result.status != "answered":
        result = replace(result, advice=advice_of(result, documents, state.scope))
    result = replace(result, citations=_credited(result.citations, documents))
    cited = {item.key: item.hit.chunk for item in state.evidence}
    try:
        citations = [with_spans(one, cited[one.key], ports.chunks) for one in result.citations]
    except IndexingError as error:
        warning = f"report: {error} The quotes have no places on their pages."
        return replace(result, warnings=(*result.warnings, warning))
    return replace(result, citations=tuple(citations))


def result_of(state: Researched, best: Draft, unconfirmed: Unconfirmed = "mark") -> ResearchResult:
    """Put the sentences of the best draft together, marked as they were found."""
    check, evidence = state.check, state.evidence
    shown = _said(best, check, unconfirmed)
    supported = sum(map(is_supported, shown))
    left_out = best.missing if shown else tuple(filter(None, best.missing))
    if unconfirmed == "drop" and shown:
        left_out += tuple(claim.text for claim in best.claims if not is_supported(claim))
    status: Literal["answered", "partial", "unconfirmed", "refused"] = "answered"
    if not supported:
        status = "unconfirmed" if shown else "refused"
    elif left_out:
        status = "partial"
    citations = _citations(shown, evidence)
    first = f"{_nothing_confirmed(evidence, citations)}\n\n" if status == "unconfirmed" else ""
    refused = check.refused or best.refused or "unsupported_draft"
    calls = [call for event in state.trace for call in event.calls]
    return ResearchResult(
        question=state.question,
        status=status,
        answer=first + in_lines(shown) or REFUSAL,
        citations=citations,
        evidence=evidence,
        claims=best.claims,
        unanswered=left_out,
        refusal_reason="" if shown else refused,
        confidence=state.confidence,
        uncertainty=best.uncertainty,
        answerable=best.answerable,
        rounds=state.rounds,
        queries=tuple(dict.fromkeys(query for event in state.trace for query in event.queries)),
        refinement=state.refinement,
        filter_stats=state.found.stats,
        stop_reason=_stop_reason(check),
        models={call.role: call.model for call in calls if not call.failed},
        usage=usage_of(state.trace),
        warnings=tuple(dict.fromkeys(note for event in state.trace for note in event.notes)),
        conflicts=conflicts_of(shown, evidence),
        prune=state.pruned.stats,
        trend=check.rounds,
        unsure=placed(best.spots, _starts(shown, len(first))),
        unsaid=state.unsaid,
        supported=supported,
        unconfirmed=sum(claim.verdict == "unconfirmed" for claim in shown),
        contradicted=sum(claim.verdict == "contradicted" for claim in shown),
    )


def _without_price(trace: Sequence[TraceEvent]) -> tuple[str, ...]:
    """Return a warning for each model whose calls a limit of money does not count."""
    calls = [call for event in trace for call in event.calls if not (call.reused or call.failed)]
    models = dict.fromkeys(call.model for call in calls if call.price is None)
    return tuple(
        f"budget.cost: models.prices has no price for {model!r}; its calls are not counted"
        for model in models
    )


def _said(best: Draft, check: Check, unconfirmed: Unconfirmed) -> Sequence[Claim]:
    """Return the sentences that are shown; none of a refusal, or where all are contradicted."""
    if check.refused or best.is_contradicted:
        return ()
    good = [claim for claim in best.claims if is_supported(claim)]
    if unconfirmed == "refuse":
        return good if len(good) == len(best.claims) else ()
    return good if unconfirmed == "drop" else best.claims


def _nothing_confirmed(evidence: Sequence[Evidence], citations: Sequence[Citation]) -> str:
    """Return the notice, which names the nearest passage; its key only where it is cited."""
    nearest = ""
    for item in evidence[:1]:
        key = f"[{item.key}] " if item.key in {one.key for one in citations} else ""
        nearest = f" The nearest passage is {key}{place(item.hit.chunk)}."
    return f"{NOTHING_CONFIRMED}{nearest} The draft:"


def _starts(shown: Sequence[Claim], at: int) -> Mapping[str, int]:
    starts = {}
    for lead, claim in zip(leads(shown), shown, strict=True):
        starts[claim.text] = at + len(lead)
        at += len(lead) + len(with_markers(claim))
    return starts


def _stop_reason(check: Check) -> StopReason:
    """Return why the work ended: "cancelled" where somebody ended it before verify did."""
    match check.reason:
        case "missing" | "unconfirmed" | "uncertain" | "pruned" | "":
            return "cancelled"
        case reason:
            return "cancelled" if check.decision == "again" else reason


def _citations(shown: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    quotes: dict[str, Quote] = {}
    for claim in shown:
        for key, quote in zip(claim.keys, claim.quotes, strict=True):
            if key not in quotes or quote.score > quotes[key].score:
                quotes[key] = quote
    return tuple(_citation(item, quotes[item.key]) for item in evidence if item.key in quotes)


def _citation(item: Evidence, quote: Quote) -> Citation:
    chunk = item.hit.chunk
    return Citation(
        key=item.key,
        place=place(chunk),
        doc_id=chunk.doc_id,
        title=chunk.title,
        date=chunk.date,
        source=chunk.source,
        start_page=chunk.start_page,
        end_page=chunk.end_page,
        start_label=chunk.start_label,
        end_label=chunk.end_label,
        section=chunk.section,
        chunk_id=chunk.chunk_id,
        quote=quote.quote,
        quote_start=quote.start,
        quote_end=quote.end,
    )


def _known(ports: Ports) -> Sequence[DocumentOutline]:
    try:
        return ports.documents()
    except IndexingError:
        return ()


def _credited(
    citations: Sequence[Citation], documents: Sequence[DocumentOutline]
) -> tuple[Citation, ...]:
    known = {one.doc_id: one for one in documents}
    return tuple(
        replace(one, authors=known[one.doc_id].authors, doi=known[one.doc_id].doi)
        if one.doc_id in known
        else one
        for one in citations
    )


def with_spans(citation: Citation, chunk: Chunk, chunks: ChunkStore) -> Citation:
    """Return a citation with the place of its quote, as far as its file has pages."""
    spans = _spans(citation, chunk, chunks, range(chunk.start_page, chunk.end_page + 1))
    if not spans and chunk.start_page > 1:  # (a table's head may be on the page before)
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


ALIKE = 0.8
"""Share of the words, numbers apart, that two rows or sentences have in common."""
LEAST_WORDS = 3
"""Words besides the numbers that both have."""


def conflicts_of(claims: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Conflict, ...]:
    """Return what other documents of the evidence say otherwise, each document once a claim.

    That is a row or sentence with nearly the same words, of whose values exactly one differs; rows
    need the same head, the sentence of the answer has to say the value, and what it names from the
    headings above has to be in both places: they may be about two things of a kind.
    """
    found: dict[tuple[str, str], Conflict] = {}
    cited = {item.key: item for item in evidence}
    for claim in filter(is_supported, claims):
        for key, quote in zip(claim.keys, claim.quotes, strict=True):
            for other in evidence:
                if other.hit.chunk.doc_id == cited[key].hit.chunk.doc_id:
                    continue
                for conflict in _between(claim, cited[key], quote.quote, other):
                    found.setdefault((claim.text, conflict.other_doc_id), conflict)
    return tuple(found.values())


def _between(claim: Claim, own: Evidence, quote: str, other: Evidence) -> Iterator[Conflict]:
    here, there = own.hit.chunk, other.hit.chunk
    mine = _parts(quote)
    named = content_words(claim.text) & content_words(headings(here)) - content_words(quote)
    stated = _parts(claim.text)[1]
    if len(mine[0]) < LEAST_WORDS or not mine[1] or here.kind != there.kind:
        return
    if here.kind == "table" and content_words(head_of(here.text)) != content_words(
        head_of(there.text)
    ):
        return
    above = content_words(headings(there))
    for start, end in unit_spans(there):
        text = there.text[start:end]
        theirs = _parts(text)
        alike = len(mine[0] & theirs[0]) >= ALIKE * len(mine[0] | theirs[0])
        same_thing = named <= above.union(*theirs)
        gone, new = mine[1] - theirs[1], theirs[1] - mine[1]
        if alike and same_thing and len(gone) == len(new) == 1 and gone <= stated:
            yield Conflict(
                claim=claim.text,
                value=next(iter(gone)),
                key=own.key,
                doc_id=here.doc_id,
                date=here.date,
                other_value=next(iter(new)),
                other_key=other.key,
                other_doc_id=there.doc_id,
                other_date=there.date,
                other_quote=" ".join(text.split()),
            )


def _parts(text: str) -> tuple[frozenset[str], frozenset[str]]:
    words = content_words(text)
    numbers = frozenset(w for w in words if w[0].isdigit() and not any(map(str.isalpha, w)))
    return words - numbers, numbers
