"""How a node is added to a graph: with its ports bound, its time taken and its events told."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

from langgraph.runtime import get_runtime

from research_agent.ports import Clock
from research_agent.settings import Settings
from research_agent.stopping import check
from research_agent.types import TraceEvent

from .context import UNCHANGED, ResearchContext, adjusted
from .event_stream import kept, teller, telling
from .executor import Runs, Threads, runs
from .state import State, unreadable_in
from .tool_calls import Toolbox

Node = Callable[..., Mapping[str, object]]


def bind(
    name: str,
    node: Node,
    reads: type[State],
    clock: Clock,
    threads: Threads,
    **bound: object,
) -> Runs:
    """Return `node` with `bound` filled in; each run leaves one stamped event in the trace.

    LangGraph makes a state of what its channels hold for each node, which validates it. What
    `Send` carries arrives as it was sent, and is validated here. A question that was stopped ends
    here with StoppedError. Where the run has a ResearchContext, the
    bound settings and tools are those that it asks for; so they are where a model's replies could
    not be read. In an event loop it runs on `threads`.
    """

    @lru_cache(maxsize=16)
    def chosen(context: ResearchContext, unreadable: int) -> Mapping[str, object]:
        return under(bound, context, unreadable)

    def run(state: object) -> dict[str, object]:
        runtime = get_runtime(ResearchContext)
        read = state if type(state) is reads else reads.model_validate(state)
        started = clock.seconds()
        with telling(teller(runtime.stream_writer, read, clock, started), name) as tell:
            check()
            own = isinstance(runtime.context, ResearchContext)
            given = chosen(runtime.context if own else UNCHANGED, unreadable_in(read))
            update = dict(node(read, **given))
            update |= kept(read, update)
            events = update.get("trace")
            event = events[0] if isinstance(events, list) else TraceEvent()
            seconds = clock.seconds() - started
            update["trace"] = [replace(event, node=name, started=started, seconds=seconds)]
            tell(update)
        return update

    return runs(name, run, threads)


def under(bound: Mapping[str, object], context: object, unreadable: int = 0) -> dict[str, object]:
    """Return what a node is bound to as one run wants it: its settings and tools are adjusted.

    >>> given = under({"settings": Settings(), "k": 3}, ResearchContext(prune_mode="ratio"))
    >>> given["k"], given["settings"].prune.mode
    (3, 'ratio')
    """
    return {name: _under(value, context, unreadable) for name, value in bound.items()}


def _under(value: object, context: object, unreadable: int) -> object:
    if isinstance(value, Settings):
        return adjusted(value, context, unreadable)
    return value.under(context, unreadable) if isinstance(value, Toolbox) else value
