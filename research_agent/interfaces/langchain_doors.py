"""The agent as LangChain sees it: a retriever, and a runnable."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from pydantic import ConfigDict, Field

from research_agent.errors import QuestionError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.types.result import ResearchResult
from research_agent.types.scope import EVERYTHING, Scope

Asked = str | Mapping[str, Any]
"""A question, or the arguments of `ResearchAgent.ask` by name."""
ARGUMENTS = ("question", "limits", "scope")


class ResearchRetriever(BaseRetriever):
    """The agent's own search as a retriever: no answer is written.

    `page` counts from 1, and has no total beside it; where a format has no pages it is 1. `score`
    orders hits of one search; `similarity` is the cosine to the query.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent: ResearchAgent
    k: int = Field(10, ge=1, le=100)
    """Documents at most; `invoke(query, k=…)` changes it for one call."""
    file_filter: str | None = None
    """Part of a document's name or path, or a glob; None: all documents."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        _, most = run_manager, self.k if k is None else k
        found = self.agent.search(query, max_chunks=most, file_filter=self.file_filter)
        names = ("source", "doc_id", "title", "date", "end_page", "kind")
        return [
            Document(
                one.chunk.text,
                id=one.chunk.chunk_id,
                metadata={name: getattr(one.chunk, name) for name in names}
                | {
                    "page": one.chunk.start_page,
                    "page_label": one.chunk.start_label,
                    "section": " > ".join(one.chunk.section),
                    "score": one.score,
                    "similarity": one.similarity,
                },
            )
            for one in found.hits
        ]


class ResearchRunnable(RunnableLambda[Asked, ResearchResult]):
    """The agent as a runnable: a question in, a ResearchResult out."""

    def __init__(self, agent: ResearchAgent) -> None:

        def ask(asked: Asked) -> ResearchResult:
            return agent.ask(**_arguments(asked))

        async def aask(asked: Asked) -> ResearchResult:
            return await agent.aask(**_arguments(asked))

        super().__init__(ask, aask, name="research_agent")


def _arguments(asked: Asked) -> dict[str, Any]:
    if isinstance(asked, str):
        return {"question": asked}
    given = dict(asked) if isinstance(asked, Mapping) else {type(asked).__name__: asked}
    if "question" not in given or not given.keys() <= set(ARGUMENTS):
        raise QuestionError(
            f"a runnable takes a question or a mapping with {', '.join(ARGUMENTS)}; it got "
            f"{', '.join(map(str, given)) or 'none of them'}",
            hint='Give a text, or {"question": …, "scope": …}.',
        )
    scope = given.get("scope")
    return {**given, "scope": EVERYTHING if scope is None else _scope(scope)}


def _scope(value: object) -> Scope:
    """Return a scope, also from a mapping of its fields."""
    if isinstance(value, Scope):
        return value
    allowed = [item.name for item in fields(Scope)]
    if not isinstance(value, Mapping) or not value.keys() <= set(allowed):
        raise QuestionError(
            f"scope has to be Scope or a mapping of its fields, not {str(value)[:80]!r}",
            hint=f"Its fields: {', '.join(allowed)}.",
        )
    return Scope(**value)
