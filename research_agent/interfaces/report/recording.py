"""What a report shows of a run that its result does not hold: every step, every search, tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from research_agent.answering.draft_redaction import unsaid_after
from research_agent.types import Probe, TraceEvent
from research_agent.types.calls import CallResult
from research_agent.types.conversation import Cited
from research_agent.types.verification import Answer, Check, Draft


@dataclass(frozen=True, slots=True)
class Visit:
    """One run of one node."""

    round: int
    event: TraceEvent


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """An earlier question of a conversation."""

    question: str
    answer: str
    """With numbers in the place of keys."""
    cited: tuple[tuple[str, Cited], ...]
    """The citations with their numbers."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it was watched; all empty where nobody watched it."""

    visits: tuple[Visit, ...] = ()
    """In the order in which the nodes ended."""
    probes: tuple[Probe, ...] = ()
    """The first search of each round."""
    searches: tuple[CallResult, ...] = ()
    answer: Answer = field(default_factory=Answer)
    """What the model wrote in the round whose draft is the best."""
    draft: Draft = field(default_factory=Draft)
    unsaid: tuple[str, ...] = ()
    """Sentences of drafts that searches of later rounds are made of; not to be shown."""
    earlier: tuple[EarlierTurn, ...] = ()
    """What was asked before in the same conversation, where the report is to hold that too."""


UNWATCHED = RunRecord()
"""What is known of a run that nobody watched."""


class Recorder:
    """Watches a run go by."""

    def __init__(self) -> None:
        self._seen, self._probes = RunRecord(), list[Probe]()
        self._answers: dict[int, Answer] = {}

    def record(self) -> RunRecord:
        """Return what was seen so far."""
        seen = self._seen
        answer = self._answers.get(seen.draft.round, Answer())
        searches = sorted(seen.searches, key=lambda result: result.call.index)
        return replace(seen, probes=tuple(self._probes), answer=answer, searches=tuple(searches))

    def see(self, name: str, _round: int, written: Mapping[str, Any]) -> None:
        """Remember what a step wrote."""
        if isinstance(written.get("probe"), Probe) and name == "retrieve":
            self._probes.append(written["probe"])
        if isinstance(written.get("answer"), Answer):
            self._answers[len(self._probes)] = written["answer"]
        seen = self._seen
        if isinstance(written.get("best"), Draft):
            seen = replace(seen, draft=written["best"])
        if isinstance(written.get("check"), Check):
            seen = replace(seen, unsaid=unsaid_after(seen.unsaid, written["check"], seen.draft))
        found = [one for one in written.get("results", ()) if isinstance(one, CallResult)]
        events = written.get("trace", ()) if name != "search" else ()
        # (the search hands on what its own nodes have told already)
        told = [Visit(len(self._probes), one) for one in events if isinstance(one, TraceEvent)]
        visits, searches = (*seen.visits, *told), (*seen.searches, *found)
        self._seen = replace(seen, visits=visits, searches=searches)
