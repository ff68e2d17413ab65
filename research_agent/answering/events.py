"""Make events from the updates that the graph's steps write and the state before them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from research_agent.answering.draft_redaction import hidden_in, unsaid_after, without_draft
from research_agent.answering.output_gate import gated_event
from research_agent.errors import ResearchAgentError, StoppedError
from research_agent.types import Hit, Probe, TraceEvent
from research_agent.types import events as kinds
from research_agent.types.calls import CallPlan, CallResult, Found
from research_agent.types.claims import is_supported
from research_agent.types.evidence import Evidence, place
from research_agent.types.pruning import Pruned, PruneStats
from research_agent.types.refinement import Refinement
from research_agent.types.result import ResearchResult, usage_of
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.verification import Answer, Check, Draft

Written = Mapping[str, Any]
"""What a node returned, by field; LangGraph types it as Any."""
Told = tuple[str, Sequence[kinds.Event]]
"""What a step has done: in one line for people, and as events of its own kinds."""
LONGEST = 70
INNER = "search"
"""The node that is a graph of its own; its nodes have written their events themselves."""


@dataclass(frozen=True, slots=True)
class Known:
    """State of a question before a step's update; events are made from both."""

    drafts: bool = False
    """Events hold drafts and unsupported sentences."""
    round: int = 0
    trace: tuple[TraceEvent, ...] = ()
    """Of all steps that have ended."""
    inner: int = 0
    """How long the trace was when the search began."""
    hidden: tuple[str, ...] = ()
    """Sentences of drafts that no event may repeat."""
    evidence: tuple[Evidence, ...] = ()


def started(known: Known, step: str) -> tuple[Known, tuple[kinds.Event, ...]]:
    """Return what is known, and the events, after `step` has begun."""
    if step == "retrieve":
        known = replace(known, round=known.round + 1)
    if step == INNER:
        known = replace(known, inner=len(known.trace))
    return known, (kinds.StepStarted(step=step, round=known.round),)


def finished(known: Known, step: str, written: Written) -> tuple[Known, tuple[kinds.Event, ...]]:
    """Return what is known, and the events, after `step` has ended and `written` something.

    Unless `known.drafts`, drafts are hidden, also in the queries that are made of them.
    """
    new = [one for one in written.get("trace", ()) if isinstance(one, TraceEvent)]
    new = new if step != INNER else []
    seen = replace(
        known,
        trace=(*known.trace, *new),
        hidden=unsaid_after(
            known.hidden, written.get("check") or Check(), written.get("best") or Draft()
        ),
        evidence=tuple(written.get("evidence") or known.evidence),
    )
    shown = written if known.drafts else hidden_in(written, seen.hidden)
    summary, made = TELLERS[step](shown, seen) if step in TELLERS else ("", ())
    ran = seen.trace[seen.inner :] if step == INNER else new
    ends = [one.started + one.seconds for one in ran]
    seconds = max(ends) - min(one.started for one in ran) if ran else 0.0
    events: list[kinds.Event] = [kinds.StepFinished(step=step, seconds=seconds, summary=summary)]
    old = {note for one in known.trace for note in one.notes}
    notes = dict.fromkeys(note for one in new for note in one.notes if note not in old)
    shown_notes = notes if known.drafts else [without_draft(one, seen.hidden) for one in notes]
    events += [kinds.Warned(text=note) for note in shown_notes]
    events += made
    if any(one.calls for one in new):
        events.append(kinds.Spent(usage=usage_of(seen.trace)))
    return seen, tuple(gated_event(replace(one, round=seen.round), seen.evidence) for one in events)


def stopped_by(error: BaseException, known: Known) -> kinds.Stopped:
    """Return the event for a question that ended with `error`."""
    if isinstance(error, StoppedError | KeyboardInterrupt):
        return kinds.Stopped(reason="cancelled", round=known.round, usage=usage_of(known.trace))
    return kinds.Stopped(
        reason="error",
        round=known.round,
        error=type(error).__name__,
        message=str(error),
        hint=error.hint if isinstance(error, ResearchAgentError) else "",
        usage=usage_of(known.trace),
    )


def _retrieved(written: Written, _: Known) -> Told:
    probe: Probe = written["probe"]
    event = kinds.Hits(
        step="retrieve",
        query=probe.query,
        hits=_places(probe.hits),
        total=len(probe.hits),
        problem="the search failed" if probe.failed else "",
    )
    if probe.failed:
        return f'the search for "{short(probe.query)}" failed', [event]
    best = max((h.similarity for h in probe.hits if h.similarity is not None), default=0.0)
    found = f"{len(probe.hits)} chunks, best similarity {best:.2f}"
    return f'searched "{short(probe.query)}": {found}', [event]


def _assessed(written: Written, _: Known) -> Told:
    confidence: RetrievalConfidence = written["confidence"]
    return confidence.reason, [kinds.Confidence(confidence=confidence)]


def _refined(written: Written, _: Known) -> Told:
    found: Refinement = written["refinement"]
    event = kinds.Queries(
        kind=found.kind,
        queries=found.queries,
        reason=found.reason,
        author=found.author,
        verdicts=found.verdicts,
    )
    if found.kind == "keep":
        return f"kept the question ({found.reason})", [event]
    new = "; ".join(f'"{short(query)}"' for query in found.queries[1:])
    return f"{found.kind}: {new} ({found.reason})", [event]


def _planned(written: Written, _: Known) -> Told:
    plan: CallPlan = written["plan"]
    wrong = sum(bool(call.problem) for call in plan.calls)
    searches = sum(call.runs and bool(call.query) for call in plan.calls)
    looks = sum(call.runs for call in plan.calls) - searches
    more = f", {looks} look-ups" * bool(looks) + f", {wrong} wrong calls" * bool(wrong)
    calls = [
        kinds.PlannedCall(
            index=one.index, tool=one.name, arguments=one.arguments, problem=one.problem
        )
        for one in plan.calls
    ]
    event = kinds.Calls(turn=plan.turn, author=plan.author, calls=tuple(calls))
    return f"{searches} searches{more} planned by the {plan.author}", [event]


def _called(written: Written, _: Known) -> Told:
    """Yield each call's hits and the filter's decisions on them."""
    events: list[kinds.Event] = []
    results: Sequence[CallResult] = written["results"]
    for result in results:
        call, stats = result.call, result.stats
        hits = kinds.Hits(
            step="run_call",
            tool=call.name,
            query=call.query,
            hits=_places(result.hits),
            total=len(result.hits),
            problem=call.problem,
        )
        events.append(hits)
        if result.searched:
            decisions = kinds.Decisions(
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
            events.append(decisions)
    return "", events


def _collected(written: Written, _: Known) -> Told:
    found: Found = written["found"]
    stats = found.stats
    how = f"{stats.mode}, {stats.undecided} not judged" if stats.fallback else stats.mode
    more = f" and {stats.expanded} by reference" if stats.expanded else ""
    kept = f"kept {stats.kept} of {stats.original} chunks{more}"
    return f"{kept} (filter: {how}), {found.reason}", ()


def _selected(written: Written, _: Known) -> Told:
    evidence: Sequence[Evidence] = written["evidence"]
    stats: PruneStats = written.get("pruned", Pruned()).stats
    chosen = kinds.EvidenceChosen(
        evidence=tuple(
            kinds.EvidencePlace(
                key=item.key,
                chunk_id=item.hit.chunk.chunk_id,
                doc_id=item.hit.chunk.doc_id,
                place=place(item.hit.chunk),
            )
            for item in evidence
        )
    )
    chunks = (item.hit.chunk for item in evidence)
    pages = dict.fromkeys(f"{chunk.doc_id} p{chunk.start_page}" for chunk in chunks)
    line = f"{len(evidence)} chunks" + (f": {', '.join(pages)}" if pages else "")
    if stats.reinstated:
        line += f"; {stats.reinstated} that were pruned are back"
    elif stats.original:
        by = "" if stats.source == "none" else f" by {stats.source}"
        line += f"; pruned {stats.original - stats.kept} of {stats.original}{by}"
    return line, [*([kinds.ChunksPruned(stats=stats)] if stats.decisions else []), chosen]


def _answered(written: Written, now: Known) -> Told:
    answer: Answer = written["answer"]
    shown = now.drafts and bool(answer.text)
    events = [kinds.DraftWritten(text=answer.text, answerable=answer.answerable)] if shown else []
    if answer.failed:
        return f"not written ({answer.failed})", events
    sure = "" if answer.answerable is None else f", answerable {answer.answerable:.2f}"
    verdict = f"refused ({answer.refused})" if answer.refused else f"{len(answer.text)} characters"
    return verdict + sure, events


def _verified(written: Written, now: Known) -> Told:
    """Yield the sentences of a new best draft, and the check's decision.

    The words of an unsupported one come with the result only: a further round may rewrite it.
    """
    check: Check = written["check"]
    draft: Draft = written["best"]
    events: list[kinds.Event] = []
    final = check.decision == "stop" and not check.refused
    for index, claim in enumerate(draft.claims if draft.round == now.round else ()):
        shown = is_supported(claim) or now.drafts or final
        sentence = kinds.SentenceChecked(
            index=index,
            verdict=claim.verdict,
            text=claim.text if shown else "",
            keys=claim.keys,
            problem=claim.problem if shown else "",
            rekeyed=claim.rekeyed,
            rewritten=claim.rewritten,
            mean_entropy=claim.mean_entropy,
        )
        events.append(sentence)
    entropy = draft.uncertainty.mean_entropy
    checked = kinds.Checked(
        decision=check.decision,
        reason=check.reason,
        refused=check.refused,
        sentences=len(draft.claims),
        shown=draft.supported,
        mean_entropy=entropy,
    )
    sure = "uncertainty unknown" if entropy is None else f"mean entropy {entropy:.2f} nats"
    if draft.uncertainty.source == "disagreement":
        sure = f"two answers differ by {draft.uncertainty.value or 0.0:.2f}"
    ending = "searching again" if check.decision == "again" else "done"
    if check.reason == "pruned":
        ending = "chunks that were left out come back"
    supported = f"{draft.supported} of {len(draft.claims)} sentences supported"
    return f"{supported}, {sure}: {check.reason}, {ending}", [*events, checked]


def _reported(written: Written, _: Known) -> Told:
    result: ResearchResult = written["result"]
    return "", [kinds.Citations(citations=result.citations), kinds.Finished(result=result)]


def _places(hits: Sequence[Hit]) -> tuple[kinds.HitPlace, ...]:
    return tuple(
        kinds.HitPlace(
            chunk_id=hit.chunk.chunk_id,
            doc_id=hit.chunk.doc_id,
            place=place(hit.chunk),
            kind=hit.chunk.kind,
            score=hit.score,
            similarity=hit.similarity,
        )
        for hit in hits[: kinds.SHOWN_HITS]
    )


def short(text: str) -> str:
    """Return `text` on one line, cut at 70 characters."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


TELLERS: Mapping[str, Callable[[Written, Known], Told]] = {
    "retrieve": _retrieved,
    "assess": _assessed,
    "refine": _refined,
    "plan_calls": _planned,
    "run_call": _called,
    "collect": _collected,
    "select_evidence": _selected,
    "answer": _answered,
    "verify": _verified,
    "report": _reported,
}
