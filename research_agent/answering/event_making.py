"""What the graph's steps write, as events: a pure function of what is written and was before."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from research_agent.answering.draft_redaction import hidden_in, unsaid_after, without_draft
from research_agent.answering.event_gate import gated_event
from research_agent.answering.step_lines import step_line
from research_agent.errors import ResearchAgentError, StoppedError
from research_agent.types import Hit, Probe, TraceEvent
from research_agent.types.calls import CallPlan, CallResult
from research_agent.types.claims import Claim, is_supported
from research_agent.types.events import (
    SHOWN_HITS,
    Calls,
    Checked,
    ChunksPruned,
    Citations,
    Confidence,
    Decisions,
    DraftWritten,
    Event,
    EvidenceChosen,
    EvidencePlace,
    Finished,
    HitPlace,
    Hits,
    PlannedCall,
    Queries,
    SentenceChecked,
    Spent,
    StepFinished,
    StepStarted,
    Stopped,
    Warned,
)
from research_agent.types.evidence import Evidence, place
from research_agent.types.pruning import Pruned
from research_agent.types.refinement import Refinement
from research_agent.types.result import ResearchResult, usage_of
from research_agent.types.verification import Answer, Check, Draft

Written = Mapping[str, Any]
"""What a node returned, by field; LangGraph types it as Any."""
INNER = "search"
"""The node that is a graph of its own: what its nodes wrote was told when they ended."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a question so far: events are made from it and from what comes next."""

    drafts: bool = False
    """Drafts and unsupported sentences are told."""
    round: int = 0
    trace: tuple[TraceEvent, ...] = ()
    """Of all steps that have ended."""
    inner: int = 0
    """How long the trace was when the search began."""
    hidden: tuple[str, ...] = ()
    """Sentences of drafts that no event may repeat."""
    evidence: tuple[Evidence, ...] = ()

    def with_trace(self, events: Iterable[TraceEvent]) -> "Known":
        """Return the same with further `events`."""
        return replace(self, trace=(*self.trace, *events))


def started(known: Known, step: str) -> tuple[Known, tuple[Event, ...]]:
    """Return what is known, and the events, after `step` has begun.

    >>> started(Known(), "retrieve")[1]
    (StepStarted(event='step_started', at=0.0, round=1, step='retrieve'),)
    """
    if step == "retrieve":
        known = replace(known, round=known.round + 1)
    if step == INNER:
        known = replace(known, inner=len(known.trace))
    return known, (StepStarted(step=step, round=known.round),)


def finished(known: Known, step: str, written: Written) -> tuple[Known, tuple[Event, ...]]:
    """Return what is known, and the events, after `step` has ended and `written` something.

    Drafts are hidden (`known.drafts`): in the queries that are made of their doubtful sentences
    too. A step that nobody knows, of another graph, has its two events alone.
    """
    told = _trace(written) if step != INNER else ()
    read = tuple(written.get("evidence") or known.evidence)
    seen = replace(known.with_trace(told), hidden=_hidden(known, written), evidence=read)
    shown = written if known.drafts else hidden_in(written, seen.hidden)
    ended = StepFinished(
        step=step,
        round=seen.round,
        seconds=_seconds(seen.trace[seen.inner :] if step == INNER else told),
        summary=step_line(step, shown),
    )
    made = MAKERS[step](shown, seen) if step in MAKERS else ()
    events = (ended, *_warnings(known, seen), *made, *_costs(told, seen))
    return seen, tuple(gated_event(replace(one, round=seen.round), read) for one in events)


def stopped_by(error: BaseException, known: Known) -> Stopped:
    """Return the event for a question that ended with `error`.

    >>> stopped_by(StoppedError("the question was stopped"), Known()).reason
    'cancelled'
    """
    if isinstance(error, StoppedError | KeyboardInterrupt):
        return Stopped(reason="cancelled", round=known.round, usage=usage_of(known.trace))
    return Stopped(
        reason="error",
        round=known.round,
        error=type(error).__name__,
        message=str(error),
        hint=error.hint if isinstance(error, ResearchAgentError) else "",
        usage=usage_of(known.trace),
    )


def _trace(written: Written) -> tuple[TraceEvent, ...]:
    return tuple(event for event in written.get("trace", ()) if isinstance(event, TraceEvent))


def _hidden(known: Known, written: Written) -> tuple[str, ...]:
    """Return the sentences that may not be told, with those of a draft that was just checked."""
    check, draft = written.get("check"), written.get("best")
    return unsaid_after(
        known.hidden,
        check if isinstance(check, Check) else Check(),
        draft if isinstance(draft, Draft) else Draft(),
    )


def _seconds(events: Sequence[TraceEvent]) -> float:
    """Return the time from the first event's beginning to the last one's end."""
    ends = [event.started + event.seconds for event in events]
    return max(ends) - min(event.started for event in events) if ends else 0.0


def _warnings(before: Known, now: Known) -> Iterable[Event]:
    """Yield the notes that are new."""
    known = {note for event in before.trace for note in event.notes}
    new = (n for e in now.trace[len(before.trace) :] for n in e.notes if n not in known)
    for note in dict.fromkeys(new):
        yield Warned(text=note if now.drafts else without_draft(note, now.hidden))


def _costs(told: Sequence[TraceEvent], now: Known) -> Iterable[Event]:
    """Yield what was spent so far, where something was."""
    if any(event.calls for event in told):
        yield Spent(usage=usage_of(now.trace))


def _retrieved(written: Written, _: Known) -> Iterable[Event]:
    probe: Probe = written["probe"]
    yield Hits(
        step="retrieve",
        query=probe.query,
        hits=_places(probe.hits),
        total=len(probe.hits),
        problem="the search failed" if probe.failed else "",
    )


def _assessed(written: Written, _: Known) -> Iterable[Event]:
    yield Confidence(confidence=written["confidence"])


def _refined(written: Written, _: Known) -> Iterable[Event]:
    refinement: Refinement = written["refinement"]
    yield Queries(
        kind=refinement.kind,
        queries=refinement.queries,
        reason=refinement.reason,
        author=refinement.author,
        verdicts=refinement.verdicts,
    )


def _planned(written: Written, _: Known) -> Iterable[Event]:
    plan: CallPlan = written["plan"]
    calls = (
        PlannedCall(
            index=call.index, tool=call.name, arguments=call.arguments, problem=call.problem
        )
        for call in plan.calls
    )
    yield Calls(turn=plan.turn, author=plan.author, calls=tuple(calls))


def _called(written: Written, _: Known) -> Iterable[Event]:
    """Yield what each call found, and what the filter made of it."""
    results: Sequence[CallResult] = written["results"]
    for result in results:
        call, stats = result.call, result.stats
        yield Hits(
            step="run_call",
            tool=call.name,
            query=call.query,
            hits=_places(result.hits),
            total=len(result.hits),
            problem=call.problem,
        )
        if result.searched:
            yield Decisions(
                query=call.query,
                mode=stats.mode,
                original=stats.original,
                kept=stats.kept,
                expanded=stats.expanded,
                decisions=stats.decisions,
                fallback=stats.fallback,
                fallback_type=stats.fallback_type,
                dangling_before=stats.dangling_before,
                dangling_after=stats.dangling_after,
            )


def _selected(written: Written, _: Known) -> Iterable[Event]:
    evidence: Sequence[Evidence] = written["evidence"]
    pruned: Pruned = written.get("pruned", Pruned())
    if pruned.stats.decisions:
        yield ChunksPruned(stats=pruned.stats)
    chunks = ((item.key, item.hit.chunk) for item in evidence)
    yield EvidenceChosen(
        evidence=tuple(
            EvidencePlace(key=key, chunk_id=c.chunk_id, doc_id=c.doc_id, place=place(c))
            for key, c in chunks
        )
    )


def _answered(written: Written, now: Known) -> Iterable[Event]:
    answer: Answer = written["answer"]
    if now.drafts and answer.text:
        yield DraftWritten(text=answer.text, answerable=answer.answerable)


def _verified(written: Written, now: Known) -> Iterable[Event]:
    """Yield the draft's sentences, where it is the best so far, and what follows from them."""
    check: Check = written["check"]
    draft: Draft = written["best"]
    if draft.round == now.round:
        final = check.decision == "stop" and not check.refused
        yield from _sentences(draft.claims, drafts=now.drafts or final)
    yield Checked(
        decision=check.decision,
        reason=check.reason,
        refused=check.refused,
        sentences=len(draft.claims),
        shown=draft.supported,
        mean_entropy=draft.uncertainty.mean_entropy,
    )


def _sentences(claims: Sequence[Claim], *, drafts: bool) -> Iterable[Event]:
    """Yield the sentences of a draft; what is not supported is told with its words only at the end.

    A further round may write it otherwise.
    """
    for index, claim in enumerate(claims):
        told = is_supported(claim) or drafts
        yield SentenceChecked(
            index=index,
            verdict=claim.verdict,
            text=claim.text if told else "",
            keys=claim.keys,
            problem=claim.problem if told else "",
            rekeyed=claim.rekeyed,
            rewritten=claim.rewritten,
            mean_entropy=claim.mean_entropy,
        )


def _reported(written: Written, _: Known) -> Iterable[Event]:
    result: ResearchResult = written["result"]
    yield Citations(citations=result.citations)
    yield Finished(result=result)


def _places(hits: Sequence[Hit]) -> tuple[HitPlace, ...]:
    return tuple(
        HitPlace(
            chunk_id=hit.chunk.chunk_id,
            doc_id=hit.chunk.doc_id,
            place=place(hit.chunk),
            kind=hit.chunk.kind,
            score=hit.score,
            similarity=hit.similarity,
        )
        for hit in hits[:SHOWN_HITS]
    )


MAKERS: Mapping[str, Callable[[Written, Known], Iterable[Event]]] = {
    "retrieve": _retrieved,
    "assess": _assessed,
    "refine": _refined,
    "plan_calls": _planned,
    "run_call": _called,
    "select_evidence": _selected,
    "answer": _answered,
    "verify": _verified,
    "report": _reported,
}
"""The events of each step's own kind, by its name."""
