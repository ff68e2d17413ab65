"""The agent as a plain Python object."""

import os
import warnings
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from research_agent.assembly.connection import connect
from research_agent.assembly.models.given import Given
from research_agent.assembly.own_index import OwnIndex
from research_agent.closeable import Closing
from research_agent.config import PRESET, configured, load_prompts
from research_agent.context import RunContext
from research_agent.errors import ConfigError
from research_agent.interfaces.events import events, in_background
from research_agent.interfaces.own_graphs import context, research, research_tool, state, tools
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.stopping import Stop, on_thread
from research_agent.telemetry import Attribute, span
from research_agent.types import Chunk
from research_agent.types.calls import ChunksResult, DocumentsResult, SearchResult
from research_agent.types.documents import IndexReport
from research_agent.types.events import Event, Watching
from research_agent.types.limits import GivenLimits, Limits
from research_agent.types.result import ResearchResult
from research_agent.types.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor, Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool

    from research_agent.interfaces.langchain_doors import ResearchRunnable

UNWATCHED = Watching()
QUESTION_SPAN: tuple[str, dict[str, Attribute]] = (
    "invoke_agent research_agent",
    {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "research_agent"},
)


class ResearchAgent(Closing):
    """Answers questions over one set of documents; close it, or use it in a `with` block.

    Everything below is synchronous. `aask` runs it on threads that this object owns, because
    asyncio's own pool has only a few more threads than there are cores.
    """

    @classmethod
    def open(  # noqa: PLR0913 (one argument for each thing that can be given)
        cls,
        index: str | Path | None = None,
        *,
        config: str | Path | None = None,
        preset: str = "",
        create: bool = False,
        chat_model: "BaseChatModel | Mapping[str, BaseChatModel] | None" = None,
        embeddings: "Embeddings | None" = None,
        retriever: "BaseRetriever | None" = None,
        reranker: "BaseDocumentCompressor | None" = None,
    ) -> Self:
        """Return an agent over an index, by name or path, with the user's settings.

        None is the index "default". `create` makes one without documents where there is none.
        `preset` is "auto", "local", "full" or "seed"; empty: as configured. Own keys win over it.

        Objects of LangChain take the place of what the settings name: one chat model for all
        roles or some by role ("answer", "planner", "filter", "verifier", "chat" for the others),
        an embedding model, a reranker, and a retriever in place of the index (docs/embedding.md).

        The agent owns what it runs on: `close` ends the embedded model too; given objects stay
        their maker's to close. Raises ConfigError, IndexMissingError and the other errors of
        `research_agent.errors`.
        """
        if retriever is not None and (index is not None or create):
            raise ConfigError(
                "an agent has either an index or a retriever",
                hint="Leave out index and create: documents come from the retriever.",
            )
        environment = {**os.environ, PRESET: preset} if preset else os.environ
        found = configured(str(config) if config else None, environment)
        for line in found.notes:
            warnings.warn(line, stacklevel=2)
        alone = {"chat": chat_model} if chat_model is not None else {}
        chats = chat_model if isinstance(chat_model, Mapping) else alone
        given = Given(chats, embeddings, retriever, reranker, create=create)
        place = str(index.absolute()) if isinstance(index, Path) else index or "default"
        made = connect(place, found.settings, os.environ, given=given)
        ports, own = made.ports, made.own_index
        return cls(ports, made.settings, load_prompts(), on_close=made.close, own_index=own)

    def __init__(
        self,
        ports: Ports,
        settings: Settings,
        prompts: Prompts,
        *,
        on_close: Callable[[], None] = lambda: None,
        own_index: OwnIndex | None = None,
    ) -> None:
        """Build the graph once, for all questions; the ports stay their maker's to close."""
        self._on_close, self._own_index = on_close, own_index
        self.run_context = RunContext(ports, settings, prompts)  # what steps work with
        self._graph = research.build_research_graph(ports, settings, prompts)
        self._tools = tools.ResearchTools(self.run_context)
        self.threads = ThreadPoolExecutor(settings.models.concurrency, "research")
        """Where questions run that an event loop waits for."""

    @property
    def graph(self) -> "research.ResearchGraph":
        """The compiled graph, for a node of another graph; it works while this object is open."""
        return self._graph

    def ask(
        self, question: str, *, limits: GivenLimits | None = None, scope: Scope = EVERYTHING
    ) -> ResearchResult:
        """Answer one question within `limits` from the documents in `scope`.

        Raises ResearchAgentError: a ToolInputError for a scope that no document is in. Called in a
        node of another graph, it hands on that graph's callbacks, tags and metadata.
        """
        asked = state.ResearchInput(question=question, scope=scope)
        with span(*QUESTION_SPAN):
            output = self._graph.invoke(asked, context=_context(limits))
        return state.ResearchOutput.model_validate(output).result

    async def aask(
        self, question: str, *, limits: GivenLimits | None = None, scope: Scope = EVERYTHING
    ) -> ResearchResult:
        """Answer one question while others are being answered.

        Each call runs in a copy of the caller's context, so callbacks and tags are handed on.
        Cancelling the task ends the question, with the model call that is under way.
        """
        asked = partial(self.ask, question, limits=limits, scope=scope)
        return await on_thread(self.threads, asked)

    def stream(
        self,
        question: str,
        *,
        limits: GivenLimits | None = None,
        scope: Scope = EVERYTHING,
        drafts: bool = False,
        stop: Stop | None = None,
        watching: Watching = UNWATCHED,
    ) -> Generator[Event, None, None]:
        """Answer one question and yield what happens meanwhile; see docs/events.md.

        The last event is `Finished` with the result, or `Stopped`, after which the error is
        raised. `drafts`: also what the model wrote before it is checked. The question ends where
        `stop` is told to end it, or where the iterator is closed.
        """
        asked = state.ResearchInput(question=question, scope=scope)

        def run() -> Iterator[Any]:
            with span(*QUESTION_SPAN):
                yield from self._graph.stream(asked, context=_context(limits), stream_mode="custom")

        seen = replace(watching, drafts=drafts or watching.drafts)
        return events(run, stop=stop or Stop(), watching=seen)

    async def astream(
        self,
        question: str,
        *,
        limits: GivenLimits | None = None,
        scope: Scope = EVERYTHING,
        drafts: bool = False,
    ) -> AsyncGenerator[Event, None]:
        """Answer one question and yield what `stream` yields, while others are being answered.

        Cancelling the task, or closing the iterator, ends the question.
        """
        stream = partial(self.stream, question, limits=limits, scope=scope, drafts=drafts)
        async with aclosing(in_background(self.threads, lambda stop: stream(stop=stop))) as events:
            async for event in events:
                yield event

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

    def document(self, doc_id: str) -> Sequence[Chunk]:
        """Return every chunk of a document, by its display name; empty where it is not known."""
        return self.run_context.ports.contents(doc_id)

    def write_report(
        self, result: ResearchResult, path: str | Path, *, force: bool = False
    ) -> None:
        """Write a result as one HTML file, with pictures of the cited pages.

        It replaces an older report; with `force` any file. Raises PathError.
        """
        from research_agent.interfaces.report.writing import write_report

        chunks, settings = self.run_context.ports.chunks, self.run_context.settings
        write_report(result, str(path), chunks=chunks, settings=settings, force=force)

    def index(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        rebuild: bool = False,
        prune: bool = False,
    ) -> IndexReport:
        """Index what is new or changed below `paths`; the next question sees it.

        Of what is below and gone nothing is kept. With `rebuild` the index is made anew from
        `paths` alone; with `prune` a folder that is empty now takes its documents with it. A file
        that fails is a line of the report. Raises PathError where there is nothing to index,
        IndexLockedError where another process writes, IndexingError, ModelError.
        """
        return self._written.index(paths, rebuild=rebuild, prune=prune)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
        *,
        ids: Sequence[str] | None = None,
    ) -> list[str]:
        """Index texts that no file holds, each as a document; return their ids.

        Of the metadata `source`, `title`, `date`, `page`, `section`, `author` and `doi` are kept
        (docs/embedding.md). A known id is replaced; without `ids` equal texts are one. Raises
        ToolInputError where metadata or ids are not as many as texts, and what `index` raises.
        """
        return self._written.add([texts] if isinstance(texts, str) else list(texts), metadatas, ids)

    def add_documents(self, documents: "Iterable[Document]") -> list[str]:
        """Index LangChain's documents under their ids, as `add_texts` does; return the ids."""
        rows = [(one.page_content, one.metadata, one.id or "") for one in documents]
        texts, metadatas, ids = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
        return self._written.add(texts, metadatas, ids)

    def delete(self, ids: Collection[str]) -> list[str]:
        """Remove what `add_texts` and `add_documents` added; return the ids that were there.

        Files leave an index with their folder: delete the file and call `index` again.
        """
        return self._written.delete([ids] if isinstance(ids, str) else ids)

    @property
    def _written(self) -> OwnIndex:
        if self._own_index is None:
            raise ConfigError(
                "this agent has no index of its own to write to",
                hint="Open it over an index: ResearchAgent.open(name, create=True).",
            )
        return self._own_index

    def count_tokens(self, text: str) -> int:
        """Return about how long a text is for a model."""
        return self.run_context.ports.tokenizer.count(text)

    def as_retriever(self, *, k: int = 10, file_filter: str | None = None) -> "BaseRetriever":
        """Return the agent's search as a retriever of LangChain: at most `k` documents.

        Their metadata have page, section and score; `file_filter` is a part of a document's name
        or path, or a glob.
        """
        from research_agent.interfaces.langchain_doors import ResearchRetriever

        return ResearchRetriever(agent=self, k=k, file_filter=file_filter)

    def as_runnable(self) -> "ResearchRunnable":
        """Return the agent as a runnable of LangChain: a question in, a ResearchResult out.

        It takes a text, or a mapping with `question`, `limits` and `scope`.
        """
        from research_agent.interfaces.langchain_doors import ResearchRunnable

        return ResearchRunnable(self)

    def as_tool(self, limits: GivenLimits | Callable[[], GivenLimits] = Limits) -> "BaseTool":
        """Return a tool that asks a whole question, for another agent.

        `limits` holds for each call; a function is asked at each call for what may still be spent.
        """
        return research_tool.build_research_tool(self, limits)

    research_tool = as_tool
    """The older name of `as_tool`."""

    def tools(self) -> "tuple[BaseTool, BaseTool, BaseTool]":
        """Return the three tools for another agent; they work as long as this object is open."""
        return self._tools.tools()

    def close(self) -> None:
        """Wait for running questions of `aask` and `astream`, and close what `open` opened."""
        self.threads.shutdown()
        self._on_close()


def _context(limits: GivenLimits | None) -> "context.ResearchContext | None":
    """Return what a run is given; None leaves what a parent graph's run was given."""
    return context.ResearchContext.of(limits) if limits and limits != Limits() else None
