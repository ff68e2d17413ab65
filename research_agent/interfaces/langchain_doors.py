"""The agent as LangChain sees it: a retriever, and a runnable."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, closing
from functools import partial
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ensure_config, set_config_context
from pydantic import ConfigDict, Field

from research_agent.errors import QuestionError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.stopping import on_thread
from research_agent.types import Hit
from research_agent.types.events import Event
from research_agent.types.result import ResearchResult

Asked = str | Mapping[str, Any]
"""A question, or the arguments of `ResearchAgent.ask` by name."""
ARGUMENTS = ("question", "limits", "scope")


class ResearchRetriever(BaseRetriever):
    """The agent's own search as a retriever: no answer is written."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent: ResearchAgent
    k: int = Field(10, ge=1, le=100)
    """Documents at most; `invoke(query, k=…)` changes it for one call."""
    file_filter: str | None = None
    """Part of a document's name or path, or a glob; None: all documents."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        _ = run_manager
        found = self.agent.search(
            query, max_chunks=self.k if k is None else k, file_filter=self.file_filter
        )
        return [document_of(hit) for hit in found.hits]


def document_of(hit: Hit) -> Document:
    """Return a hit as a document of LangChain; `page` counts from 1, and has no total beside it.

    Where a format has no pages it is 1. `score` orders hits of one search; `similarity` is the
    cosine to the query.
    """
    chunk = hit.chunk
    return Document(
        chunk.text,
        id=chunk.chunk_id,
        metadata={
            "source": chunk.source,
            "doc_id": chunk.doc_id,
            "title": chunk.title,
            "date": chunk.date,
            "page": chunk.start_page,
            "end_page": chunk.end_page,
            "page_label": chunk.start_label,
            "section": " > ".join(chunk.section),
            "kind": chunk.kind,
            "score": hit.score,
            "similarity": hit.similarity,
        },
    )


class ResearchRunnable(Runnable[Asked, ResearchResult]):
    """The agent as a runnable: a question in, a ResearchResult out.

    `batch` and `abatch` come with Runnable; they ask as many questions at a time as the config's
    `max_concurrency` says.
    """

    def __init__(self, agent: ResearchAgent) -> None:
        """Ask `agent`, which has to stay open."""
        self._agent = agent

    def invoke(
        self,
        input: Asked,  # noqa: A002 (LangChain's name)
        config: RunnableConfig | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> ResearchResult:
        """Answer one question; callbacks, tags and metadata of `config` go to the graph's run."""
        with set_config_context(ensure_config(config)) as context:
            return context.run(partial(self._agent.ask, **_arguments(input)))

    async def ainvoke(
        self,
        input: Asked,  # noqa: A002 (LangChain's name)
        config: RunnableConfig | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> ResearchResult:
        """Answer one question; cancelling the task ends it."""
        return await on_thread(self._agent.threads, partial(self.invoke, input, config))

    def stream(  # type: ignore[override]  # (events are more than pieces of a result)
        self,
        input: Asked,  # noqa: A002 (LangChain's name)
        config: RunnableConfig | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> Iterator[Event]:
        """Yield the events of one question; the last one is `Finished`, with the result.

        In a chain the next step gets the result alone.
        """
        with (
            set_config_context(ensure_config(config)) as context,
            closing(context.run(partial(self._agent.stream, **_arguments(input)))) as events,
        ):
            while (event := context.run(next, events, None)) is not None:
                yield event

    async def astream(  # type: ignore[override]  # (as `stream`)
        self,
        input: Asked,  # noqa: A002 (LangChain's name)
        config: RunnableConfig | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> AsyncIterator[Event]:
        """Yield what `stream` yields."""
        with set_config_context(ensure_config(config)) as context:
            events = context.run(partial(self._agent.astream, **_arguments(input)))
            async with aclosing(events):
                async for event in events:
                    yield event

    def transform(
        self,
        input: Iterator[Asked],  # noqa: A002 (LangChain's name)
        config: RunnableConfig | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> Iterator[ResearchResult]:
        """Yield the result alone: what stands behind this in a chain expects nothing else."""
        for asked in input:
            yield self.invoke(asked, config)

    async def atransform(
        self,
        input: AsyncIterator[Asked],  # noqa: A002 (LangChain's name)
        config: RunnableConfig | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> AsyncIterator[ResearchResult]:
        """Yield the result alone."""
        async for asked in input:
            yield await self.ainvoke(asked, config)


def _arguments(given: Asked) -> dict[str, Any]:
    """Return the arguments of `ask`; raises QuestionError for others."""
    arguments = {"question": given} if isinstance(given, str) else dict(given)
    if "question" not in arguments or not arguments.keys() <= set(ARGUMENTS):
        raise QuestionError(
            f"a runnable takes a question or a mapping with {', '.join(ARGUMENTS)}; it got "
            f"{', '.join(map(str, arguments)) or 'none of them'}",
            hint='Give a text, or {"question": …, "scope": …}.',
        )
    return arguments
