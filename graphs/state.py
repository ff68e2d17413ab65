"""The graphs' states: what each node reads and may write.

Checkpoints turn tuples into lists and edits in Studio arrive as JSON. So where a question begins,
and on a thread, every value is validated (`strict`); else values of ours are taken as they are.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
)
from typing_extensions import TypedDict

from research_agent.planning.tool_calls.ranking import awaited
from research_agent.text.replies import check_question
from research_agent.types import Probe, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.calls import CallPlan, CallResult, Found, ToolCall
from research_agent.types.evidence import Evidence, unread
from research_agent.types.pruning import Pruned
from research_agent.types.refinement import Refinement
from research_agent.types.result import ResearchResult
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.types.verification import Answer, Check, Draft

T = TypeVar("T")
EVENTS = TypeAdapter(list[TraceEvent], config=ConfigDict(revalidate_instances="always"))
RESULTS = TypeAdapter(list[CallResult])


def append(left: Sequence[T], right: Sequence[T]) -> list[T]:
    """Keep what is there and add what is new."""
    return [*left, *right]


def by_call_index(left: Sequence[CallResult], right: Sequence[CallResult]) -> list[CallResult]:
    """Keep results in the order of their calls, not of their arrival; they may come as JSON."""
    return sorted(RESULTS.validate_python([*left, *right]), key=lambda result: result.call.index)


def continued(left: Sequence[TraceEvent], right: Sequence[TraceEvent]) -> list[TraceEvent]:
    """Add events to a log; a log that begins with it takes its place. They may come as JSON.

    A graph that runs as a node hands back the log it was given, with its own events behind.
    """
    log, new = EVENTS.validate_python(left), EVENTS.validate_python(right)
    return new if new[: len(log)] == log else [*log, *new]


RESULT = TypeAdapter(ResearchResult)
"""JSON and JSON Schema of the result, for every door."""
Trace = Annotated[tuple[TraceEvent, ...], continued]


S = TypeVar("S", bound="State")


class State(BaseModel):
    """The base of every state."""

    model_config = ConfigDict(extra="forbid")


@cache
def strict(reads: type[S]) -> type[S]:
    """Return a state that also validates what is within values of ours."""
    walked = ConfigDict(revalidate_instances="always")
    return type(reads.__name__, (reads,), {"model_config": walked, "__module__": __name__})


@cache
def as_values(reads: type[S]) -> Any:  # noqa: ANN401 (a TypedDict that is made here)
    """Return the fields of a state as plain values, for nodes that validate what they read.

    LangGraph would validate it between nodes, before a new question or an edit can put it right.
    """
    return TypedDict(reads.__name__, get_type_hints(reads, include_extras=True))  # type: ignore[operator]


def defaults(reads: type[State]) -> dict[str, object]:
    """Return the fields of a state that have a default, with it."""
    fields = reads.model_fields.items()
    return {
        name: field.get_default(call_default_factory=True)
        for name, field in fields
        if not field.is_required()
    }


def whole_input(reads: type[State]) -> Callable[[object], object]:
    """Return what gives an input its defaults; a thread would keep values of an earlier run."""

    def whole(value: object) -> object:
        return defaults(reads) | dict(value) if isinstance(value, dict | reads) else value

    return whole


def unreadable_in(state: State) -> int:
    """Return how many replies of a model could not be read so far: as was sent, or by the trace."""
    if isinstance(state, CallInput):
        return state.unreadable
    trace: Sequence[TraceEvent] = getattr(state, "trace", ())
    return sum([event.unreadable for event in trace])


class ResearchInput(State):
    """What a caller gives: this is all Studio or a parent graph has to know."""

    question: Annotated[
        str,
        BeforeValidator(check_question),
        Field(description="What to find out from the indexed documents."),
    ]
    scope: Annotated[
        Scope, Field(description="Which part of the documents may be read; empty: all of them.")
    ] = EVERYTHING
    known: Annotated[
        tuple[str, ...],
        Field(description="Ids of chunks from earlier answers, to be considered again."),
    ] = ()


class ResearchOutput(State):
    """What a caller gets."""

    model_config = ConfigDict(extra="forbid", revalidate_instances="always")
    result: ResearchResult


class ResearchState(ResearchInput):
    """The working state of one question; never outlives it. The comment names the writer."""

    probe: Probe = Probe()  # retrieve: the query, and all that both indexes found
    rounds: int = 0  # retrieve
    confidence: RetrievalConfidence = RetrievalConfidence()  # assess
    refinement: Refinement = Refinement()  # refine
    found: Found = Found()  # search
    evidence: tuple[Evidence, ...] = ()  # select_evidence: hits under keys c1..cN
    pruned: Pruned = Pruned()  # select_evidence: what was left out, and why
    answer: Answer = Answer()  # answer
    check: Check = Check()  # verify: what follows, and why
    best: Draft = Draft()  # verify: the best round so far
    unsaid: tuple[str, ...] = ()  # bound verify: what no event may repeat
    result: ResearchResult | None = None  # report
    trace: Trace = ()  # every node; the only shared field


class ResearchUpdate(TypedDict, total=False):
    """What a node of the research graph may return."""

    probe: Probe
    rounds: int
    confidence: RetrievalConfidence
    refinement: Refinement
    evidence: tuple[Evidence, ...]
    pruned: Pruned
    answer: Answer
    check: Check
    best: Draft
    result: ResearchResult
    trace: list[TraceEvent]


class SearchInput(State):
    """What the search takes from the research graph."""

    question: str
    probe: Probe
    refinement: Refinement
    scope: Scope = EVERYTHING
    known: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()  # what the rounds before have read
    answer: Answer = Answer()  # of the round before
    check: Check = Check()  # of the round before
    trace: Trace = ()  # what the question has cost so far; the search gets what is left

    @property
    def missing(self) -> tuple[str, ...]:
        """What the round before did not find, or could not confirm."""
        return tuple(dict.fromkeys(filter(None, (*self.answer.missing, *self.check.doubts))))


class SearchOutput(State):
    """What the search gives back; the trace begins with the one it was given."""

    found: Found
    trace: Trace = ()


class SearchState(SearchInput):
    """The working state of one search."""

    plan: CallPlan = CallPlan()  # plan_calls
    results: Annotated[tuple[CallResult, ...], by_call_index] = ()  # run_call
    found: Found = Found()  # collect

    def sent(self, call: ToolCall) -> dict[str, object]:
        """Return the input of one `run_call`: a search skips chunks read in earlier rounds.

        Except for a part whose answer others wait for: such chunks may hold it.
        """
        scope = self.scope
        if call.query and call.part not in awaited(self.refinement.queries):
            scope = unread(scope, self.evidence)
        known = self.known if call.query == self.probe.query else ()
        return {
            "question": self.question,
            "call": call,
            "probe": self.probe,
            "share": self.plan.share,
            "scope": scope,
            "known": known,
            "by_model": self.plan.author == "model",
            "unreadable": unreadable_in(self),
        }


class CallInput(State):
    """What one parallel run of run_call is sent."""

    call: ToolCall
    probe: Probe
    share: Allowance
    scope: Scope = EVERYTHING
    known: tuple[str, ...] = ()
    question: str = ""
    by_model: bool = False
    """The model that wrote the call may write another one where the filter discards all."""
    unreadable: int = 0
    """Replies of a model that could not be read so far."""


class SearchUpdate(TypedDict, total=False):
    """What a node of the search may return."""

    plan: CallPlan
    results: list[CallResult]
    found: Found
    trace: list[TraceEvent]
