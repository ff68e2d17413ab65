"""How a node is run: where its caller is, or on a thread beside an event loop."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig, RunnableLambda

from research_agent.settings import Settings
from research_agent.stopping import on_thread

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
