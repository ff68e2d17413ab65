"""LangChain objects of many kinds: without tools, with log-probabilities, failing, slow."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun, CallbackManagerForRetrieverRun
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable

from tests.fakes import embedding

Answer = Callable[..., AIMessage]


class PlainModel(BaseChatModel):
    """A chat model without tools, streaming, log-probabilities and async of its own."""

    answers: Any
    """Called with the messages and the object, whose fields a test may look at."""
    model_name: str = "plain"

    @property
    def _llm_type(self) -> str:
        return "plain"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 (LangChain's signature)
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
        self,
        tools: Sequence[Any],
        *,
        tool_choice: str | None = None,
        **_: Any,  # noqa: ANN401 (LangChain's signature)
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=list(tools), tool_choice=tool_choice)


def saying(text: str, **metadata: object) -> Answer:
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

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        _ = query, run_manager
        return self.found


class Compressor(BaseDocumentCompressor):
    """A reranker made of a function."""

    made: Any

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,
        callbacks: Any = None,  # noqa: ANN401 (LangChain's signature)
    ) -> Sequence[Document]:
        _ = query, callbacks
        kept: Sequence[Document] = self.made(documents)
        return kept


def slow(*_: object, **__: object) -> AIMessage:
    """Say something after a while."""
    time.sleep(2.0)
    return AIMessage("late")
