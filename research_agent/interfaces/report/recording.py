"""What a report shows of a run that its result does not hold: every step, every search, tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        """Begin with nothing."""
        self._visits: list[Visit] = []
        self._probes: list[Probe] = []
        self._searches: list[CallResult] = []
        self._answers: dict[int, Answer] = {}
        self._draft = Draft()
        self._unsaid: tuple[str, ...] = ()

    def record(self) -> RunRecord:
        """Return what was seen so far."""
        answer = self._answers.get(self._draft.round, Answer())
        searches = sorted(self._searches, key=lambda result: result.call.index)
        return RunRecord(
            tuple(self._visits),
            tuple(self._probes),
            tuple(searches),
            answer,
            self._draft,
            self._unsaid,
        )

    def see(self, name: str, _round: int, written: Mapping[str, Any]) -> None:
        """Remember what a step wrote."""
        if isinstance(written.get("probe"), Probe) and name == "retrieve":
            self._probes.append(written["probe"])
        if isinstance(written.get("answer"), Answer):
            self._answers[len(self._probes)] = written["answer"]
        if isinstance(written.get("best"), Draft):
            self._draft = written["best"]
        if isinstance(written.get("check"), Check):
            self._unsaid = unsaid_after(self._unsaid, written["check"], self._draft)
        self._searches += [r for r in written.get("results", ()) if isinstance(r, CallResult)]
        events = written.get("trace", ())
        if name != "search":  # (it hands on what its own nodes have told already)
            self._visits += [
                Visit(len(self._probes), event) for event in events if isinstance(event, TraceEvent)
            ]
