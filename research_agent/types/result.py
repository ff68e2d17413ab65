"""The one result every door returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from research_agent.text.alignment import PageSpan
from research_agent.text.quote_search import Quote
from research_agent.types import ModelCall, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.claims import Claim, is_supported
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.conflicts import Conflict, conflicts_of
from research_agent.types.evidence import Evidence, place
from research_agent.types.filtering import FilterStats
from research_agent.types.pruning import UNPRUNED, PruneStats
from research_agent.types.refinement import Refinement
from research_agent.types.refusals import REFUSAL, Refused
from research_agent.types.uncertainty import Uncertainty, Unsure, placed
from research_agent.types.verification import Check, Draft, Round, StopReason

SENTENCE_ENDS = ".!?\u3002\uff01\uff1f"
Unconfirmed = Literal["mark", "drop", "refuse"]
"""What becomes of sentences that are not supported: they are shown with a mark, left out and
told apart, or the whole answer is refused for them."""
NOTHING_CONFIRMED = "Nothing in this answer could be confirmed."
"""How an answer begins of which no sentence is supported."""


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
    status: Literal["answered", "partial", "unconfirmed", "refused"]
    """"partial": a part of the question is not answered. "unconfirmed": no sentence is supported;
    the answer says so first, and names the nearest passage."""
    answer: str
    """With inline markers such as [c1], and a mark such as [unconfirmed] behind a sentence that is
    not supported; exactly REFUSAL where the status is "refused"."""
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    """The chunks that the model has read in all rounds, under their keys, with their text."""
    claims: tuple[Claim, ...]
    """Every sentence of the draft with its verdict, also those left out of the answer."""
    unanswered: tuple[str, ...]
    """What the answer, or a refusal, lacks: what the model says the documents do not hold, and
    sentences that `answer.unconfirmed: drop` leaves out."""
    refusal_reason: Refused
    confidence: RetrievalConfidence
    uncertainty: Uncertainty
    answerable: float | None
    """Probability that the evidence answers the question; None where it was not asked."""
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
    """What every round came to that wrote an answer or refused: its entropy, its supported
    sentences, and why another one followed or none."""
    unsure: tuple[Unsure, ...] = ()
    """What the model was unsure of in the answer, at most three things; with words for each."""
    unsaid: tuple[str, ...] = ()
    """Doubtful sentences of all drafts; a result that is shown has none (`public_result`)."""
    supported: int = 0
    """Sentences of the answer that the evidence supports."""
    unconfirmed: int = 0
    """Those that could not be confirmed; each has a mark."""
    contradicted: int = 0
    """Those that the evidence contradicts; each has a mark."""
    preset: str = ""
    """Which preset's stages acted: "local", "full" or "seed"; empty where none was chosen."""


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
    prune: PruneStats = UNPRUNED,
    unsaid: Sequence[str] = (),
    unconfirmed: Unconfirmed = "mark",
) -> ResearchResult:
    """Put the sentences of the best draft together, marked as they were found."""
    said = _said(best, check, unconfirmed)
    supported = sum(map(is_supported, said))
    left_out = best.missing if said else tuple(filter(None, best.missing))
    if unconfirmed == "drop" and said:
        left_out += tuple(claim.text for claim in best.claims if not is_supported(claim))
    status: Literal["answered", "partial", "unconfirmed", "refused"] = "answered"
    if not supported:
        status = "unconfirmed" if said else "refused"
    elif left_out:
        status = "partial"
    first = f"{nothing_confirmed(evidence)}\n\n" if status == "unconfirmed" else ""
    answer = first + " ".join(map(with_markers, said)) or REFUSAL
    refused = check.refused or best.refused or "unsupported_draft"
    return ResearchResult(
        question=question,
        status=status,
        answer=answer,
        citations=_citations(said, evidence),
        evidence=tuple(evidence),
        claims=best.claims,
        unanswered=left_out,
        refusal_reason="" if said else refused,
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
        warnings=tuple(dict.fromkeys(note for event in trace for note in event.notes)),
        conflicts=conflicts_of(said, evidence),
        prune=prune,
        trend=check.rounds,
        unsure=placed(best.spots, _starts(said, len(first))),
        unsaid=tuple(unsaid),
        supported=supported,
        unconfirmed=sum(claim.verdict == "unconfirmed" for claim in said),
        contradicted=sum(claim.verdict == "contradicted" for claim in said),
    )


def _said(best: Draft, check: Check, unconfirmed: Unconfirmed) -> Sequence[Claim]:
    """Return the sentences that are shown; none of a refusal.

    A draft of which every sentence is contradicted is refused, and so is one that has sentences
    which are not supported where `unconfirmed` is "refuse".
    """
    if check.refused or best.is_contradicted:
        return ()
    good = [claim for claim in best.claims if is_supported(claim)]
    if unconfirmed == "refuse":
        return good if len(good) == len(best.claims) else ()
    return good if unconfirmed == "drop" else best.claims


def nothing_confirmed(evidence: Sequence[Evidence]) -> str:
    """Return how an answer begins of which nothing is supported, with the nearest passage.

    >>> from research_agent.types import Chunk, Hit
    >>> nothing_confirmed([Evidence("c1", Hit(Chunk("x", "guide", "")))])
    'Nothing in this answer could be confirmed. The nearest passage is [c1] guide. The draft:'
    """
    nearest = [f" The nearest passage is [{e.key}] {place(e.hit.chunk)}." for e in evidence[:1]]
    return f"{NOTHING_CONFIRMED}{''.join(nearest)} The draft:"


def _starts(said: Sequence[Claim], at: int) -> Mapping[str, int]:
    """Return where each shown claim begins in the answer, in characters; the first one at `at`."""
    starts = {}
    for claim in said:
        starts[claim.text] = at
        at += len(with_markers(claim)) + 1
    return starts


def _stop_reason(check: Check) -> StopReason:
    """Return why the work ended: "cancelled" where somebody ended it before verify did."""
    match check.reason:
        case "missing" | "unconfirmed" | "uncertain" | "pruned" | "":
            return "cancelled"
        case reason:
            return "cancelled" if check.decision == "again" else reason


def with_markers(claim: Claim) -> str:
    """Return a claim with its keys before the full stop, and a mark unless it is supported.

    >>> with_markers(Claim("It has 1184 bytes.", ("c1", "c3"), verdict="supported"))
    'It has 1184 bytes [c1][c3].'
    >>> with_markers(Claim("It has 5 bytes."))
    'It has 5 bytes [unconfirmed].'
    """
    ends = claim.text[-1:] in SENTENCE_ENDS
    body, end = (claim.text[:-1], claim.text[-1]) if ends else (claim.text, ".")
    marks = "".join(f"[{key}]" for key in dict.fromkeys(claim.keys))
    marks += "" if is_supported(claim) else f"[{claim.verdict}]"
    return f"{body} {marks}{end}"


def _citations(said: Sequence[Claim], evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """Return one citation a used key, in the order of the keys, with its best quote."""
    quotes: dict[str, Quote] = {}
    for claim in said:
        for key, quote in zip(claim.keys, claim.quotes, strict=True):
            if key not in quotes or quote.score > quotes[key].score:
                quotes[key] = quote
    return tuple(_citation(item, quotes[item.key]) for item in evidence if item.key in quotes)


def _citation(item: Evidence, quote: Quote) -> Citation:
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
