"""How a node is added to a graph: with its run's context, its time measured, its events written."""

from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.config import get_config
from langgraph.runtime import get_runtime

from research_agent.context import RunContext
from research_agent.settings import Settings
from research_agent.stopping import check, on_thread
from research_agent.telemetry import span
from research_agent.types import TraceEvent

from .context import UNCHANGED, ResearchContext, adjusted
from .event_stream import event_writer, kept, step_events
from .state import ResearchState, State, strict, unreadable_in

Threads = ThreadPoolExecutor


class Runs(RunnableLambda[Any, Any]):
    """A function and its twin for event loops, which LangGraph runs as a node.

    LangChain's own class would trace each node twice.
    """

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

    A question that was stopped ends here with StoppedError. The settings of `run` are those that
    the ResearchContext of a question asks for, and those of `with_readable_stages` where a model's
    replies could not be read. In an event loop the node runs on `threads`.
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
