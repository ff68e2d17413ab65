"""What a step of the graph has done, in one line for people."""

from collections.abc import Callable, Mapping
from typing import Any

from research_agent.types import Probe
from research_agent.types.calls import CallPlan, Found
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.evidence import Evidence
from research_agent.types.pruning import Pruned
from research_agent.types.refinement import Refinement
from research_agent.types.verification import Answer, Check, Draft


def step_line(step: str, written: Mapping[str, Any]) -> str:
    """Return what a step that wrote `written` has done; empty where there is nothing to say.

    >>> step_line("retrieve", {"probe": Probe("a key", failed=True)})
    'the search for "a key" failed'
    >>> step_line("report", {})
    ''
    """
    return LINES[step](written) if step in LINES else ""


def _retrieved(written: Mapping[str, Any]) -> str:
    probe: Probe = written["probe"]
    if probe.failed:
        return f'the search for "{short(probe.query)}" failed'
    best = max((h.similarity for h in probe.hits if h.similarity is not None), default=0.0)
    return f'searched "{short(probe.query)}": {len(probe.hits)} chunks, best similarity {best:.2f}'


def _assessed(written: Mapping[str, Any]) -> str:
    confidence: RetrievalConfidence = written["confidence"]
    return confidence.reason


def _refined(written: Mapping[str, Any]) -> str:
    refinement: Refinement = written["refinement"]
    if refinement.kind == "keep":
        return f"kept the question ({refinement.reason})"
    new = "; ".join(f'"{short(query)}"' for query in refinement.queries[1:])
    return f"{refinement.kind}: {new} ({refinement.reason})"


def _planned(written: Mapping[str, Any]) -> str:
    plan: CallPlan = written["plan"]
    wrong = sum(bool(call.problem) for call in plan.calls)
    searches = sum(call.runs and bool(call.query) for call in plan.calls)
    looks = sum(call.runs for call in plan.calls) - searches
    more = f", {looks} look-ups" * bool(looks) + f", {wrong} wrong calls" * bool(wrong)
    return f"{searches} searches{more} planned by the {plan.author}"


def _collected(written: Mapping[str, Any]) -> str:
    found: Found = written["found"]
    stats = found.stats
    how = f"{stats.mode}, {stats.undecided} not judged" if stats.fallback else stats.mode
    more = f" and {stats.expanded} by reference" if stats.expanded else ""
    kept = f"kept {stats.kept} of {stats.original} chunks{more}"
    return f"{kept} (filter: {how}), {found.reason}"


def _selected(written: Mapping[str, Any]) -> str:
    evidence: tuple[Evidence, ...] = written["evidence"]
    chunks = (item.hit.chunk for item in evidence)
    pages = dict.fromkeys(f"{chunk.doc_id} p{chunk.start_page}" for chunk in chunks)
    where = f": {', '.join(pages)}" if pages else ""
    return f"{len(evidence)} chunks{where}{_pruned(written)}"


def _pruned(written: Mapping[str, Any]) -> str:
    """Return what was left out of the evidence so far, or brought back; empty where nothing was."""
    stats = written.get("pruned", Pruned()).stats
    if stats.reinstated:
        return f"; {stats.reinstated} that were pruned are back"
    judged_by = "" if stats.source == "none" else f" by {stats.source}"
    return f"; pruned {stats.original - stats.kept} of {stats.original}{judged_by}" * bool(
        stats.original
    )


def _answered(written: Mapping[str, Any]) -> str:
    answer: Answer = written["answer"]
    if answer.failed:
        return f"not written ({answer.failed})"
    sure = "" if answer.answerable is None else f", answerable {answer.answerable:.2f}"
    verdict = f"refused ({answer.refused})" if answer.refused else f"{len(answer.text)} characters"
    return verdict + sure


def _verified(written: Mapping[str, Any]) -> str:
    check: Check = written["check"]
    draft: Draft = written["best"]
    entropy = draft.uncertainty.mean_entropy
    sure = "uncertainty unknown" if entropy is None else f"mean entropy {entropy:.2f} nats"
    if draft.uncertainty.source == "disagreement":
        sure = f"two answers differ by {draft.uncertainty.value or 0.0:.2f}"
    ending = "searching again" if check.decision == "again" else "done"
    if check.reason == "pruned":
        ending = "chunks that were left out come back"
    supported = f"{draft.supported} of {len(draft.claims)} sentences supported"
    return f"{supported}, {sure}: {check.reason}, {ending}"


LINES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "retrieve": _retrieved,
    "assess": _assessed,
    "refine": _refined,
    "plan_calls": _planned,
    "collect": _collected,
    "select_evidence": _selected,
    "answer": _answered,
    "verify": _verified,
}


def short(text: str, length: int = 70) -> str:
    """Return `text` on one line, cut at `length` characters.

    >>> short("one two three", 8)
    'one two…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
