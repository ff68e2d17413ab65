"""The same gate for what is told while a question is being answered."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from research_agent.answering.output_gate import gated
from research_agent.types.events import (
    Calls,
    DraftWritten,
    Event,
    PlannedCall,
    Queries,
    SentenceChecked,
    StepFinished,
    Warned,
)
from research_agent.types.evidence import Evidence, source_of

_TEXTS: Mapping[type[Event], tuple[str, ...]] = {
    StepFinished: ("summary",),
    Queries: ("reason",),
    DraftWritten: ("text",),
    SentenceChecked: ("text", "problem"),
    Warned: ("text",),
}
"""Where an event of a kind has words of a model."""


def gated_event(event: Event, evidence: Sequence[Evidence]) -> Event:
    """Return an event as it may be shown: a sentence against the chunks that it cites.

    A draft that is not checked yet is held against all of the evidence; queries and notes are
    against none, and a result is gated where it is made.
    """
    names = _TEXTS.get(type(event), ())
    sources = _sources(event, evidence)
    shown: dict[str, Any] = {name: gated(getattr(event, name), sources) for name in names}
    if isinstance(event, Queries):
        shown["queries"] = tuple(map(gated, event.queries))
        shown["verdicts"] = tuple(replace(one, query=gated(one.query)) for one in event.verdicts)
    if isinstance(event, Calls):
        shown["calls"] = tuple(map(_call, event.calls))
    return replace(event, **shown) if shown else event


def _sources(event: Event, evidence: Sequence[Evidence]) -> list[str]:
    match event:
        case DraftWritten():
            return [source_of(item.hit.chunk) for item in evidence]
        case SentenceChecked(keys=keys):
            return [source_of(item.hit.chunk) for item in evidence if item.key in keys]
    return []


def _call(call: PlannedCall) -> PlannedCall:
    given = {
        name: gated(value) if isinstance(value, str) else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=given, problem=gated(call.problem))
