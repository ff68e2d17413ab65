"""How a node is added to a graph: with its ports bound and its time taken."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

from research_agent.core.types import TraceEvent
from research_agent.ports import Clock

from .state import State

S_contra = TypeVar("S_contra", bound=State, contravariant=True)
Node = Callable[..., Mapping[str, object]]
Update = dict[str, object]


class BoundNode(Protocol[S_contra]):
    """A node as LangGraph calls it."""

    def __call__(self, state: S_contra) -> Update:
        """Return what changed."""


def bind(
    name: str,
    node: Node,
    reads: type[S_contra],
    clock: Clock,
    **bound: object,
) -> BoundNode[S_contra]:
    """Return `node` with `bound` filled in; each run leaves one stamped event in the trace.

    The state is validated here once more, because what `Send` carries arrives as it was sent.
    """

    def run(state: S_contra) -> Update:
        started = clock.seconds()
        update = dict(node(reads.model_validate(state), **bound))
        events = update.get("trace")
        event = events[0] if isinstance(events, list) else TraceEvent()
        seconds = clock.seconds() - started
        stamped = replace(event, node=name, started=started, seconds=seconds)
        return {**update, "trace": [stamped]}

    return run
