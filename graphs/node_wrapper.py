"""How a node is added to a graph: with its run's context, its time measured, its events written."""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache, partial
from threading import Lock
from types import FunctionType
from typing import Any, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import get_runtime
from pydantic_core import to_jsonable_python

from research_agent.answering.draft_redaction import unsaid_after
from research_agent.answering.events import Known, finished, started, stopped_by
from research_agent.context import RunContext
from research_agent.ports import Clock
from research_agent.settings import Settings
from research_agent.stopping import check, on_thread
from research_agent.telemetry import span
from research_agent.types import TraceEvent
from research_agent.types.events import Asked, Event, Watching

from .context import UNCHANGED, ResearchContext, adjusted
from .state import ResearchState, State, strict, unreadable_in

T = TypeVar("T")
Writer = Callable[[Any], None]


def is_heard(writer: Writer) -> bool:
    """Return whether events have a reader; without one LangGraph's writer is an empty function.

    That is a plain function with no closure and no names in its code.
    """
    if not isinstance(writer, FunctionType):
        return True
    return writer.__closure__ is not None or bool(writer.__code__.co_names)


class EventWriter:
    """Writes the events of one node, or of a search and its nodes; safe to share by threads."""

    def __init__(
        self, writer: Writer, known: Known, question: str, clock: Clock, begun: float
    ) -> None:
        self._writer, self._known, self._clock = writer, known, clock
        self._watching = _WATCHING.get()
        self._question = question
        self._begun = known.trace[0].started if known.trace else begun
        self._lock, self._over = Lock(), False

    def started(self, step: str) -> None:
        """Write that a step begins; before the first one, the question."""
        with self._lock:
            first = self._question and not (self._known.round or self._known.trace)
            self._known, events = started(self._known, step)
            self._tell([Asked(question=self._question), *events] if first else events)

    def finished(self, step: str, written: Mapping[str, Any]) -> None:
        """Write that a step has ended, and the events of its update."""
        with self._lock:
            self._known, events = finished(self._known, step, written)
            for see in self._watching.on_step:
                see(step, self._known.round, written)
            self._tell(events)

    def stopped(self, error: BaseException) -> None:
        """Write that the question ends with an error; no event follows.

        Not for an interrupt, which waits for a person, nor for a cancelled task.
        """
        if isinstance(error, GraphBubbleUp | CancelledError):
            return
        with self._lock:
            self._tell([stopped_by(error, self._known)])
            self._over = True

    def _tell(self, events: Iterable[Event]) -> None:
        at = max(0.0, self._clock.seconds() - self._begun)
        for event in () if self._over else events:
            timed = replace(event, at=0.0 if isinstance(event, Asked) else at)
            for see in self._watching.on_event:
                see(timed)
            self._writer(to_jsonable_python(timed, inf_nan_mode="null"))


UNWATCHED = Watching()
_WATCHING = ContextVar("research_agent_watching", default=UNWATCHED)
_SEARCH: ContextVar[EventWriter | None] = ContextVar("research_agent_search_events", default=None)
_AROUND: ContextVar[Writer | None] = ContextVar("research_agent_writer", default=None)


def event_writer(writer: Writer, state: object, clock: Clock, begun: float) -> EventWriter | None:
    """Return who tells what a node does that has read `state`; None where nobody listens.

    `begun`: when the node did, on the run's clock.
    """
    if not isinstance(state, ResearchState):
        return _SEARCH.get()
    heard = writer if is_heard(writer) else _AROUND.get()
    if heard is None:
        return None
    known = Known(
        drafts=_WATCHING.get().drafts,
        round=state.rounds,
        trace=state.trace,
        hidden=state.unsaid,
        evidence=tuple(state.evidence),
    )
    return EventWriter(heard, known, state.question, clock, begun)


def kept(state: object, update: Mapping[str, Any]) -> dict[str, object]:
    """Return the state's update with the sentences that no event may repeat, after a check."""
    if isinstance(state, ResearchState) and "check" in update and "best" in update:
        return {"unsaid": unsaid_after(state.unsaid, update["check"], update["best"])}
    return {}


@contextmanager
def step_events(by: EventWriter | None, step: str) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """Write that `step` begins, and whether it fails; the block writes its update."""
    if by is None:
        yield lambda _: None
        return
    by.started(step)
    try:
        yield lambda written: by.finished(step, written)
    except BaseException as error:
        by.stopped(error)
        raise


@contextmanager
def _within(variable: ContextVar[T], value: T) -> Iterator[None]:
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def watched(by: Watching) -> AbstractContextManager[None]:
    """Let `by` see the questions that are asked within the block, where somebody streams them."""
    return _within(_WATCHING, by)


def writing_for_search(by: EventWriter | None) -> AbstractContextManager[None]:
    """Let `by` tell for the nodes of the search that is run within the block."""
    return _within(_SEARCH, by)


def passed_on(writer: Writer) -> AbstractContextManager[None]:
    """Write the events of the research graphs that are run within the block to `writer`.

    LangGraph itself hands on what a graph inside a node writes only with `subgraphs=True`.
    """
    return _within(_AROUND, writer if is_heard(writer) else None)


Threads = ThreadPoolExecutor


class Runs(RunnableLambda[Any, Any]):
    """A function and its twin for event loops, which LangGraph runs as a node.

    LangChain's own class would trace each node twice, and read its source for graphs `inside`.
    """

    def __init__(
        self,
        run: Callable[[Any], Any],
        twin: Callable[[Any], Awaitable[Any]],
        name: str,
        inside: Sequence[Runnable[Any, Any]] = (),
    ) -> None:
        super().__init__(run, twin, name)
        self.deps = list(inside)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> Any:  # noqa: A002, ANN401, ARG002 (LangChain's signature)
        """Run the function."""
        return self.func(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> Any:  # noqa: A002, ANN401, ARG002 (LangChain's signature)
        """Run its twin."""
        twin: Callable[[Any], Awaitable[Any]] = self.afunc  # type: ignore[assignment]  # (of `runs`)
        return await twin(input)


def own_threads(settings: Settings) -> Threads:
    """Return the threads of a graph: none until an event loop runs it, and none after it is gone.

    asyncio's own pool has only a few more threads than there are cores.
    """
    return ThreadPoolExecutor(settings.models.concurrency, "research-node")


def runs(name: str, run: Callable[[Any], Any], threads: Threads) -> Runs:
    """Return a node of a function that may wait long.

    Run from an event loop, it ends what it waits for as soon as its task is cancelled.
    """

    async def arun(state: Any) -> Any:  # noqa: ANN401 (a state of any graph)
        return await on_thread(threads, partial(run, state))

    return Runs(run, arun, name)


S = TypeVar("S", bound=State)
Node = Callable[[Any, RunContext], Mapping[str, object]]


def bind(
    name: str,
    node: Node,
    reads: type[State],
    run: RunContext,
    threads: Threads,
    *,
    resumes: bool = True,
) -> Runs:
    """Return `node` with `run` bound to it; each run leaves one stamped event in the trace.

    The settings are those that the question's ResearchContext and `with_readable_stages` give. A
    question that was stopped ends here with StoppedError.
    """
    clock = run.ports.clock

    @lru_cache(maxsize=16)
    def chosen(context: ResearchContext, unreadable: int) -> RunContext:
        return for_question(run, context, unreadable)

    def call(state: object) -> dict[str, object]:
        runtime = get_runtime(ResearchContext)
        read = read_state(state, reads, resumes=resumes)
        started = clock.seconds()
        writer = event_writer(runtime.stream_writer, read, clock, started)
        with span(f"node {name}"), step_events(writer, name) as tell:
            check()
            own = isinstance(runtime.context, ResearchContext)
            given = chosen(runtime.context if own else UNCHANGED, unreadable_in(read))
            update = dict(node(read, given))
            update |= kept(read, update)
            events = update.get("trace")
            event = events[0] if isinstance(events, list) else TraceEvent()
            seconds = clock.seconds() - started
            update["trace"] = [replace(event, node=name, started=started, seconds=seconds)]
            tell(update)
        return update

    return runs(name, call, threads)


def read_state(state: object, reads: type[S], *, resumes: bool = True) -> S:
    """Return the state of a node, validated at the first node and where a run may be resumed.

    A run may be resumed on a thread, unless the graph keeps no checkpoints (`resumes`). Values
    from `Send` arrive as they were sent; all others LangGraph has made a state.
    """
    resumed = resumes and "thread_id" in get_config().get("configurable", {})
    read = state if type(state) is reads else reads.model_validate(state)
    first = isinstance(read, ResearchState) and not read.trace
    return strict(reads).model_validate(dict(read)) if resumed or first else read


def for_question(run: RunContext, context: object, unreadable: int = 0) -> RunContext:
    """Return `run` with the settings that a question's context asks for."""
    return replace(run, settings=adjusted(run.settings, context, unreadable))
