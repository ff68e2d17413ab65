"""The agent as a plain Python object."""

import asyncio
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Self

from research_agent.app.events import StepEvent, step_events
from research_agent.app.own_graphs import research, state, tools
from research_agent.assembly.connection import connect
from research_agent.config import config_file, load_prompts, load_settings
from research_agent.core.calls import SearchResult
from research_agent.core.closing import Closing
from research_agent.core.result import ResearchResult
from research_agent.core.tool_results import ChunksResult, DocumentsResult
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


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
        return cls(connection.ports, connection.settings, prompts, on_close=connection.close)

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
        self._tools = tools.ResearchTools(ports, settings, prompts)
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

    def steps(
        self, question: str, *, watching: Callable[[Iterable[Any]], Iterable[Any]] = iter
    ) -> Iterator[StepEvent]:
        """Answer one question and yield what each step starts with and what it has done.

        The event of the step "report" carries the result. `watching` passes on LangGraph's tasks,
        as `app.report.Recorder.watching` does.
        """
        tasks = self._graph.stream(
            state.ResearchInput(question=question), stream_mode="tasks", subgraphs=True
        )
        return step_events(watching(tasks))

    def search(
        self,
        query: str,
        *,
        max_chunks: int = 25,
        file_filter: str | None = None,
        include_references: bool = False,
        rerank: bool = True,
        exclude_chunk_ids: Collection[str] | None = None,
    ) -> SearchResult:
        """Search the documents, as `search_chunks_tool` does; see docs/tools.md.

        Raises ToolInputError, which names the nearest documents where `file_filter` fits none.
        """
        return self._tools.search(
            query,
            max_chunks=max_chunks,
            file_filter=file_filter,
            include_references=include_references,
            rerank=rerank,
            exclude_chunk_ids=exclude_chunk_ids,
        )

    def get_chunks(
        self, chunk_ids: Sequence[str], *, expand_depth: int = 3, max_total_chunks: int = 100
    ) -> ChunksResult:
        """Read chunks by their ids, and what they refer to, as `get_chunks_tool` does."""
        return self._tools.get_chunks(
            chunk_ids, expand_depth=expand_depth, max_total_chunks=max_total_chunks
        )

    def documents(self) -> DocumentsResult:
        """List what can be searched, as `list_documents_tool` does."""
        return self._tools.documents()

    def tools(self) -> "tuple[BaseTool, BaseTool, BaseTool]":
        """Return the three tools for another agent; they work as long as this object is open."""
        return self._tools.tools()

    def close(self) -> None:
        """Wait for running questions, give the threads back, close what `open` opened."""
        self._threads.shutdown()
        self._on_close()
