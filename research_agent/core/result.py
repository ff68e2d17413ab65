"""The one result every door returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from research_agent.core.alignment import PageSpan
from research_agent.core.answer_language import language_warning
from research_agent.core.calls import Found
from research_agent.core.claims import Claim, is_shown
from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.conflicts import Conflict, conflicts_of
from research_agent.core.doubt_words import Unsure, placed
from research_agent.core.evidence import Evidence, place
from research_agent.core.filtering import FilterStats
from research_agent.core.pruning import UNPRUNED, PruneStats
from research_agent.core.question_words import ENGLISH, QuestionWords
from research_agent.core.refinement import Refinement
from research_agent.core.refusals import REFUSAL, Refused
from research_agent.core.rounds import Round
from research_agent.core.sides import missing_sides
from research_agent.core.support import Support
from research_agent.core.types import ModelCall, TraceEvent
from research_agent.core.uncertainty import Uncertainty
from research_agent.core.verification import Check, Draft, StopReason

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
    page_spans: tuple[PageSpan, ...] = ()
    """Where the quote stands in the texts of the PDF's pages, by the library's characters: several
    parts where something else stands between them. Empty where it is not known."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a question cost; what the reply cache had cost nothing and is counted apart."""

    llm_calls: int
    """Calls to language models, failed ones too; the tries of a call count once."""
    failed_calls: int
    """Those that gave no reply; their tokens and their cost are not known."""
    retries: int
    """Tries beyond the first of every call."""
    reused_calls: int
    """Replies from the reply cache."""
    prompt_tokens: int
    cached_tokens: int
    """Those of the prompt tokens that the server had read before."""
    completion_tokens: int
    cost: float | None
    """Money, in the unit of `models.prices`; None where a model has no price there."""
    elapsed_seconds: float
    node_seconds: Mapping[str, float]
    """Summed over rounds and parallel calls."""
    tool_calls: int = 0
    """Searches and look-ups."""


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
    stop_reason: StopReason
    models: Mapping[str, str]
    """Which model answered for each role that was asked."""
    usage: Usage
    warnings: tuple[str, ...]
    """What went another way than planned, such as a fallback, each once."""
    conflicts: tuple[Conflict, ...] = ()
    """What other documents of the evidence say otherwise, with both places and dates."""
    prune: PruneStats = UNPRUNED
    """What was left out of the evidence, and why."""
    advice: str = ""
    """What was searched and what would help, in one line; empty for a whole answer."""
    trend: tuple[Round, ...] = ()
    """What every round that wrote an answer came to: its entropy, its supported sentences."""
    unsure: tuple[Unsure, ...] = ()
    """What the model was unsure of in the answer, at most three things; with words for each."""
    unsaid: tuple[str, ...] = ()
    """Doubtful sentences of all drafts; a result that is shown has none (`public_result`)."""


def usage_of(trace: Sequence[TraceEvent]) -> Usage:
    """Add up the model calls and the seconds of a trace.

    >>> usage_of([TraceEvent(node="answer", started=1.0, seconds=2.0)]).elapsed_seconds
    2.0
    """
    calls = [call for event in trace for call in event.calls]
    sent = [call for call in calls if not call.reused]
    seconds: dict[str, float] = {}
    for event in trace:
        seconds[event.node] = seconds.get(event.node, 0.0) + event.seconds
    first = min((event.started for event in trace), default=0.0)
    last = max((event.started + event.seconds for event in trace), default=0.0)
    return Usage(
        llm_calls=len(sent),
        failed_calls=sum(bool(call.failed) for call in sent),
        retries=sum(call.tries - 1 for call in sent),
        reused_calls=len(calls) - len(sent),
        prompt_tokens=sum(call.prompt_tokens for call in sent),
        cached_tokens=sum(call.cached_tokens for call in sent),
        completion_tokens=sum(call.completion_tokens for call in sent),
        cost=cost_of(sent),
        elapsed_seconds=last - first,
        node_seconds=seconds,
        tool_calls=sum(len(event.queries) + event.lookups for event in trace),
    )


def cost_of(calls: Sequence[ModelCall]) -> float | None:
    """Return the money that `calls` cost, as far as they gave a reply; None where unknown.

    >>> cost_of([ModelCall("answer", price=0.25), ModelCall("planner", failed="ModelBusyError")])
    0.25
    >>> cost_of([ModelCall("answer", price=0.25), ModelCall("planner")]) is None
    True
    """
    prices = [call.price for call in calls if not call.failed]
    known = [price for price in prices if price is not None]
    return fsum(known) if len(known) == len(prices) else None


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
    words: Sequence[QuestionWords] = (ENGLISH,),
    prune: PruneStats = UNPRUNED,
    unsaid: Sequence[str] = (),
) -> ResearchResult:
    """Put the supported claims together; what is not supported is never part of the answer.

    Claims that do not give what was asked for are no answer, however well they are supported.
    """
    good = [claim for claim in best.claims if is_shown(claim) and not best.lacking]
    left_out = tuple(claim.text for claim in best.claims if not is_shown(claim))
    sides = missing_sides(question, good, words) if good else ()
    left_out += tuple(f"nothing on {thing}" for thing in sides)
    status: Literal["answered", "partial", "refused"] = (
        "refused" if not good else "partial" if left_out else "answered"
    )
    answer = " ".join(with_markers(claim) for claim in good) or REFUSAL
    notes = [note for event in trace for note in event.notes]
    notes += filter(None, [language_warning(question, answer) if good else ""])
    return ResearchResult(
        question=question,
        status=status,
        answer=answer,
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
        stop_reason=_stop_reason(check),
        models={c.role: c.model for event in trace for c in event.calls if not c.failed},
        usage=usage_of(trace),
        warnings=tuple(dict.fromkeys(notes)),
        conflicts=conflicts_of(good, evidence),
        prune=prune,
        trend=check.rounds,
        unsure=placed(best.spots, _starts(good)),
        unsaid=tuple(unsaid),
    )


def _starts(good: Sequence[Claim]) -> Mapping[str, int]:
    """Return where each shown claim begins in the answer, in characters."""
    starts, at = {}, 0
    for claim in good:
        starts[claim.text] = at
        at += len(with_markers(claim)) + 1
    return starts


def _stop_reason(check: Check) -> StopReason:
    """Return why the work ended: "cancelled" where somebody ended it before verify did."""
    match check.reason:
        case "uncertain" | "unsupported" | "lacking" | "pruned" | "":
            return "cancelled"
        case reason:
            return reason


def quoted_line(citation: Citation) -> str:
    """Return where a citation leads, with its quote, in one line."""
    return f'[{citation.key}] {citation.place}: "{" ".join(citation.quote.split())}"'


def with_markers(claim: Claim) -> str:
    """Return a claim with its keys before the full stop.

    >>> with_markers(Claim("It has 1184 bytes.", ("c1", "c3")))
    'It has 1184 bytes [c1][c3].'
    """
    ends = claim.text[-1:] in SENTENCE_ENDS
    body, end = (claim.text[:-1], claim.text[-1]) if ends else (claim.text, ".")
    return f"{body} {''.join(f'[{key}]' for key in dict.fromkeys(claim.keys))}{end}"


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
