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
class EarlierTurn:
    """An earlier question of a conversation; its citations with the numbers that readers see."""

    question: str
    answer: str
    cited: tuple[tuple[str, Cited], ...]


@dataclass(slots=True)
class RunRecord:
    """A run as `see` watched it; empty where nobody watched it."""

    visits: list[tuple[int, TraceEvent]] = field(default_factory=list)
    """Round and trace of each run of a node, in the order in which they ended."""
    probes: list[Probe] = field(default_factory=list)
    """The first search of each round."""
    searches: list[CallResult] = field(default_factory=list)
    """In the order of their calls."""
    answers: dict[int, Answer] = field(default_factory=dict)
    """What the model wrote, by round."""
    draft: Draft = field(default_factory=Draft)
    """The best draft so far."""
    unsaid: tuple[str, ...] = ()
    """Sentences of drafts that searches of later rounds are made of; not to be shown."""
    earlier: tuple[EarlierTurn, ...] = ()

    @property
    def answer(self) -> Answer:
        """What the model wrote in the round whose draft is the best."""
        return self.answers.get(self.draft.round, Answer())

    def see(self, name: str, _round: int, written: Mapping[str, Any]) -> None:
        """Remember what a step wrote."""
        if isinstance(written.get("probe"), Probe) and name == "retrieve":
            self.probes.append(written["probe"])
        round_ = len(self.probes)
        if isinstance(written.get("answer"), Answer):
            self.answers[round_] = written["answer"]
        if isinstance(written.get("best"), Draft):
            self.draft = written["best"]
        if isinstance(written.get("check"), Check):
            self.unsaid = unsaid_after(self.unsaid, written["check"], self.draft)
        found = [one for one in written.get("results", ()) if isinstance(one, CallResult)]
        self.searches = sorted([*self.searches, *found], key=lambda one: one.call.index)
        events = written.get("trace", ()) if name != "search" else ()
        # (the search hands on what its own nodes have told already)
        self.visits += [(round_, one) for one in events if isinstance(one, TraceEvent)]
