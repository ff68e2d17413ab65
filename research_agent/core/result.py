"""The one result every door returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.core.calls import Found
from research_agent.core.claims import Claim, is_shown
from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.evidence import Evidence, place
from research_agent.core.filtering import FilterStats
from research_agent.core.refinement import Refinement
from research_agent.core.support import Support
from research_agent.core.types import TraceEvent
from research_agent.core.verification import REFUSAL, Check, Draft, Refused, Uncertainty

SENTENCE_ENDS = ".!?\u3002\uff01\uff1f"


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a claim can be looked up; `quote` stands word for word in the chunk."""

    key: str
    place: str
    """Where it stands, in words: document, page, printed page, section."""
    doc_id: str
    title: str
    date: str
    source: str
    """The file's path."""
    start_page: int
    end_page: int
    start_label: str
    """The page as it is printed; empty where nothing is printed."""
    end_label: str
    section: tuple[str, ...]
    chunk_id: str
    quote: str
    quote_start: int
    """Where the quote begins in the chunk's text, in characters."""
    quote_end: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost."""

    llm_calls: int
    prompt_tokens: int
    cached_tokens: int
    """Those of the prompt tokens that the server had read before."""
    completion_tokens: int
    elapsed_seconds: float
    node_seconds: Mapping[str, float]
    """Summed over rounds and parallel calls."""


@dataclass(frozen=True, slots=True)
class ResearchResult:
    """An answer that can be checked, or a refusal."""

    question: str
    status: Literal["answered", "partial", "refused"]
    answer: str
    """With inline markers such as [c1]; exactly REFUSAL where the status is "refused"."""
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    """The chunks that the model has read in all rounds, under their keys, with their text."""
    claims: tuple[Claim, ...]
    """Every sentence of the draft with its verdict, also those left out of the answer."""
    unanswered: tuple[str, ...]
    """Sentences that nothing supports; they are not part of the answer."""
    refusal_reason: Refused
    confidence: RetrievalConfidence
    uncertainty: Uncertainty
    answerable: float | None
    """The model's probability that the evidence answers the question; None where not asked."""
    rounds: int
    queries: tuple[str, ...]
    refinement: Refinement
    filter_stats: FilterStats
    stop_reason: str
    models: Mapping[str, str]
    """Which model answered for each role that was asked."""
    usage: Usage
    warnings: tuple[str, ...]


def usage_of(trace: Sequence[TraceEvent]) -> Usage:
    """Add up the model calls and the seconds of a trace.

    >>> usage_of([TraceEvent(node="answer", started=1.0, seconds=2.0)]).elapsed_seconds
    2.0
    """
    calls = [call for event in trace for call in event.calls]
    seconds: dict[str, float] = {}
    for event in trace:
        seconds[event.node] = seconds.get(event.node, 0.0) + event.seconds
    first = min((event.started for event in trace), default=0.0)
    last = max((event.started + event.seconds for event in trace), default=0.0)
    return Usage(
        len(calls),
        sum(call.prompt_tokens for call in calls),
        sum(call.cached_tokens for call in calls),
        sum(call.completion_tokens for call in calls),
        last - first,
        seconds,
    )


def research_result(  # noqa: PLR0913 (every part of the state that a caller sees)
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
) -> ResearchResult:
    """Put the supported claims together; what is not supported is never part of the answer."""
    good = [claim for claim in best.claims if is_shown(claim)]
    left_out = tuple(claim.text for claim in best.claims if not is_shown(claim))
    status: Literal["answered", "partial", "refused"] = (
        "refused" if not good else "partial" if left_out else "answered"
    )
    return ResearchResult(
        question=question,
        status=status,
        answer=" ".join(with_markers(claim) for claim in good) or REFUSAL,
        citations=_citations(good, evidence),
        evidence=tuple(evidence),
        claims=best.claims,
        unanswered=left_out,
        refusal_reason=check.refused if not good else "",
        confidence=confidence,
        uncertainty=best.uncertainty,
        answerable=best.answerable,
        rounds=rounds,
        queries=tuple(dict.fromkeys(query for event in trace for query in event.queries)),
        refinement=refinement,
        filter_stats=found.stats,
        stop_reason=check.reason,
        models={call.role: call.model for event in trace for call in event.calls},
        usage=usage_of(trace),
        warnings=tuple(note for event in trace for note in event.notes),
    )


def with_markers(claim: Claim) -> str:
    """Return a claim with its keys before the full stop.

    >>> with_markers(Claim("It has 1184 bytes.", ("c1", "c3")))
    'It has 1184 bytes [c1][c3].'
    """
    ends = claim.text[-1:] in SENTENCE_ENDS
    body, end = (claim.text[:-1], claim.text[-1]) if ends else (claim.text, ".")
    return f"{body} {''.join(f'[{key}]' for key in claim.keys)}{end}"


def _citations(good: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """Return one citation a used key, in the order of the keys, with its best quote."""
    quotes: dict[str, Support] = {}
    for claim in good:
        for key, quote in zip(claim.keys, claim.quotes, strict=True):
            if key not in quotes or quote.score > quotes[key].score:
                quotes[key] = quote
    return tuple(_citation(item, quotes[item.key]) for item in evidence if item.key in quotes)


def _citation(item: Evidence, quote: Support) -> Citation:
    chunk = item.hit.chunk
    return Citation(
        item.key,
        place(chunk),
        chunk.doc_id,
        chunk.title,
        chunk.date,
        chunk.source,
        chunk.start_page,
        chunk.end_page,
        chunk.start_label,
        chunk.end_label,
        chunk.section,
        chunk.chunk_id,
        quote.quote,
        quote.start,
        quote.end,
    )
