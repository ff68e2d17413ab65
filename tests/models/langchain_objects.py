"""LangChain objects of many kinds: without tools, with log-probabilities, failing, slow."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable

from research_agent import ResearchAgent
from tests.fakes import embedding


class PlainModel(BaseChatModel):
    """A chat model without tools, streaming, log-probabilities and async of its own."""

    answers: Any
    """Called with the messages and the object, whose fields a test may look at."""
    model_name: str = "plain"

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        _ = stop, run_manager
        message = self.answers(messages, self, **kwargs)
        return ChatResult(generations=[ChatGeneration(message=message)])


class RichModel(PlainModel):
    """A chat model with tools, a token limit and log-probabilities, as OpenAI's."""

    max_tokens: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    temperature: float | None = None

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **_: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), tool_choice=tool_choice)


def saying(text: str, **metadata: object) -> Callable[..., AIMessage]:
    """Return what makes a model say one and the same."""
    return lambda *_, **__: AIMessage(text, response_metadata=metadata)


class WordVectors(Embeddings):
    """Vectors of words, longer by `more` numbers; not of length one."""

    def __init__(self, more: int = 0, model: str = "word-vectors") -> None:
        self.more, self.model = more, model

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[3 * value for value in embedding(text)] + [0.0] * self.more for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class Listed(BaseRetriever):
    """A retriever that gives the same documents to every question."""

    found: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        _ = query, run_manager
        return self.found


class Compressor(BaseDocumentCompressor):
    """A reranker made of a function."""

    made: Any

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        _ = query, callbacks
        kept: Sequence[Document] = self.made(documents)
        return kept


class Seen(BaseCallbackHandler):
    """Keeps the names, tags and metadata of what is started."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, list[str], dict[str, Any]]] = []

    def on_chain_start(self, *_: Any, **told: Any) -> None:
        self.ran.append((str(told.get("name")), told.get("tags") or [], told.get("metadata") or {}))

    def on_chat_model_start(self, *_: Any, **told: Any) -> None:
        self.on_chain_start(**{**told, "name": "chat model"})


def opened(index: Any = None, **given: Any) -> ResearchAgent:
    """Return an agent over an index, or over the texts in `found` as a retriever's."""
    if "found" in given:
        found = [one if isinstance(one, Document) else Document(one) for one in given.pop("found")]
        given["retriever"] = Listed(found=found)
    return ResearchAgent.open(index, **{"preset": "local", "embeddings": WordVectors(), **given})
