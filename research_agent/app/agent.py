"""The agent as a plain Python object."""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Self

from research_agent.app.events import StepEvent, step_events
from research_agent.app.own_graphs import research, state
from research_agent.assembly.connection import connect
from research_agent.config import config_file, load_prompts, load_settings
from research_agent.core.closing import Closing
from research_agent.core.result import ResearchResult
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings


class ResearchAgent(Closing):
    """Answers questions over one set of documents; close it, or use it in a `with` block.

    Everything below is synchronous. `aask` runs it on threads that this object owns, because
    asyncio's own pool has only a few more threads than there are cores.
    """

    @classmethod
    def open(cls, index: str = "default", *, config: str | None = None) -> Self:
        """Return an agent over an index, by name or path, with the user's settings.

        The agent owns what it runs on: `close` ends the embedded model too. Raises ConfigError,
        IndexMissingError and the other errors of `research_agent.errors`.
        """
        settings = load_settings(config_file(config, os.environ), os.environ)
        prompts = load_prompts()
        connection = connect(index, settings, os.environ)
        return cls(connection.ports, settings, prompts, on_close=connection.close)

    def __init__(
        self,
        ports: Ports,
        settings: Settings,
        prompts: Prompts,
        *,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        """Build the graph once, for all questions; the ports stay their maker's to close."""
        self._on_close = on_close
        self._graph = research.build_research_graph(ports, settings, prompts)
        self._threads = ThreadPoolExecutor(settings.models.concurrency, "research")

    def ask(self, question: str) -> ResearchResult:
        """Answer one question; raises ResearchAgentError."""
        output = self._graph.invoke(state.ResearchInput(question=question))
        return state.ResearchOutput.model_validate(output).result

    async def aask(self, question: str) -> ResearchResult:
        """Answer one question while others are being answered.

        Each call runs in a copy of the caller's context, so callbacks and tags are handed on.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, copy_context().run, self.ask, question)

    def steps(self, question: str) -> Iterator[StepEvent]:
        """Answer one question and yield what each step starts with and what it has done.

        The event of the step "report" carries the result.
        """
        tasks = self._graph.stream(
            state.ResearchInput(question=question), stream_mode="tasks", subgraphs=True
        )
        return step_events(tasks)

    def close(self) -> None:
        """Wait for running questions, give the threads back, close what `open` opened."""
        self._threads.shutdown()
        self._on_close()
