"""How a node is added to a graph: with its ports bound and its time taken."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from langgraph.runtime import Runtime

from research_agent.core.types import TraceEvent
from research_agent.ports import Clock
from research_agent.settings import Settings
from research_agent.stopping import check

from .calling import Toolbox
from .context import ResearchContext, adjusted
from .state import State

S_contra = TypeVar("S_contra", bound=State, contravariant=True)
Node = Callable[..., Mapping[str, object]]
Update = dict[str, object]


class BoundNode(Protocol[S_contra]):
    """A node as LangGraph calls it."""

    def __call__(self, state: S_contra, *, runtime: Runtime[Any]) -> Update:
        """Return what changed."""


def bind(
    name: str,
    node: Node,
    reads: type[S_contra],
    clock: Clock,
    **bound: object,
) -> BoundNode[S_contra]:
    """Return `node` with `bound` filled in; each run leaves one stamped event in the trace.

    The state is validated here once more, because what `Send` carries arrives as it was sent. A
    question that was stopped ends here with StoppedError. Where the run has a ResearchContext, the
    bound settings and tools are those that it asks for.
    """

    @lru_cache(maxsize=16)
    def under(context: ResearchContext) -> Mapping[str, object]:
        return {key: _under(value, context) for key, value in bound.items()}

    def run(state: S_contra, *, runtime: Runtime[Any]) -> Update:
        check()
        started = clock.seconds()
        context = runtime.context
        given = under(context) if isinstance(context, ResearchContext) else bound
        update = dict(node(reads.model_validate(state), **given))
        events = update.get("trace")
        event = events[0] if isinstance(events, list) else TraceEvent()
        seconds = clock.seconds() - started
        stamped = replace(event, node=name, started=started, seconds=seconds)
        return {**update, "trace": [stamped]}

    return run


def _under(value: object, context: ResearchContext) -> object:
    """Return a bound value as one run wants it."""
    if isinstance(value, Settings):
        return adjusted(value, context)
    return value.under(context) if isinstance(value, Toolbox) else value
