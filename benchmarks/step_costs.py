"""What the steps of a graph cost, and the same graph with steps that cost nothing."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from research_agent.interfaces.own_graphs import own

Update = Mapping[str, object]
Step = Callable[..., Update]
STEPS = {
    "nodes": ("retrieve", "assess", "refine", "select_evidence", "answer", "verify", "report"),
    "search": ("plan_calls", "run_call", "collect"),
}
"""Every step, by the module of `graphs` that its node stands in."""


class Steps:
    """The steps of a graph: watched, or played from what was seen before."""

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.seconds: dict[str, float] = defaultdict(float)
        """Processor time of each step's own thread, so far."""
        self._updates: dict[str, deque[Update]] = defaultdict(deque)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Let graphs that are built in the block keep what each step costs and returns."""
        with _changed(self._watch):
            yield

    @contextmanager
    def played(self) -> Iterator[None]:
        """Let the steps of graphs that are built in the block return at once what was seen.

        Asked the same questions in the same order, such a graph goes the same way: what it costs
        are LangGraph, the validation of its states and its reducers.
        """
        with _changed(lambda name, _: lambda *_, **__: self._updates[name].popleft()):
            yield

    def _watch(self, name: str, step: Step) -> Step:
        def run(*args: object, **given: object) -> Update:
            started = time.thread_time()
            update = step(*args, **given)
            self.seconds[name] += time.thread_time() - started
            self._updates[name].append(update)
            return update

        return run


@contextmanager
def _changed(change: Callable[[str, Step], Step]) -> Iterator[None]:
    with ExitStack() as changes:
        for module, names in ((own(module), names) for module, names in STEPS.items()):
            for name in names:
                node = f"{name}_node"
                changed = change(name, getattr(module, node))
                changes.enter_context(patch.object(module, node, changed))
        yield
