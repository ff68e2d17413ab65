"""LangChain's objects as models: what is asked of them, what they give, and how they fail."""

import json
import time
from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import pytest
from langchain_core.documents import Document
from langchain_core.exceptions import ContextOverflowError as TooLong
from langchain_core.messages import AIMessage

from research_agent import errors
from research_agent.models.adapters.langchain.calling import object_name, object_named
from research_agent.models.adapters.langchain.chat import LangChainChat
from research_agent.models.adapters.langchain.retrieval import (
    LangChainEmbedder,
    LangChainReranker,
    RetrievedChunks,
)
from research_agent.stopping import Stop, stopping
from research_agent.types import Chunk, Completion, Message, WrittenCall
from tests.fakes import WordEmbedder
from tests.models.langchain_objects import (
    Compressor,
    Listed,
    PlainModel,
    RichModel,
    WordVectors,
    saying,
)
from tests.needed import needed_package

ASKED = [Message("system", "Be short."), Message("user", "Capital of France?")]
CHAT = "chat_models.init_chat_model"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "look", "parameters": SCHEMA}}


def asked(model: PlainModel, **options: Any) -> Completion:
    return LangChainChat(model).complete("answer", ASKED, **{"max_tokens": 7, **options})


def test_plain_model_is_asked_in_free_text() -> None:
    """Roles become LangChain's messages; counts and the model's name come back where known."""
    seen: list[Any] = []
    usage = {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11}
    details = {"input_token_details": {"cache_read": 4}}

    def answer(messages: Any, *_: object) -> AIMessage:
        seen.extend((type(one).__name__, one.content) for one in messages)
        return AIMessage("Paris", usage_metadata=usage | details)

    reply = asked(PlainModel(answers=answer))
    cost = reply.cost

    assert [("SystemMessage", "Be short."), ("HumanMessage", "Capital of France?")] == seen
    assert ("Paris", (), "stop") == (reply.text, reply.tokens, reply.finish_reason)
    assert (9, 2, 4) == (cost.prompt_tokens, cost.completion_tokens, cost.cached_tokens)
    assert "plain" == cost.model


@pytest.mark.parametrize(("own", "limit"), [(None, "7"), (5, "5"), (900, "7")])
def test_copy_has_the_calls_token_limit(own: int | None, limit: str) -> None:
    """A smaller limit of the object's own holds; the object itself stays as it was."""
    given = RichModel(answers=lambda _, model: AIMessage(str(model.max_tokens)), max_tokens=own)
    assert (limit, own) == (asked(given).text, given.max_tokens)


def test_logprobs_are_asked_for_and_used() -> None:
    """In free text alone, and where the class has a field for them."""
    listed = {"content": [{"token": "Paris", "logprob": -0.1, "top_logprobs": []}]}

    def answer(_: object, model: RichModel, **__: object) -> AIMessage:
        return AIMessage("Paris", response_metadata={"logprobs": listed} if model.logprobs else {})

    model = RichModel(answers=answer)
    assert [("Paris", -0.1)] == [(one.text, one.logprob) for one in asked(model).tokens]
    assert () == asked(model, tools=[TOOL]).tokens


def test_refused_logprobs_are_not_asked_for_again() -> None:
    """A server that refuses them by a status gets the same request once more without."""
    seen: list[bool] = []

    def answer(_: object, model: RichModel) -> AIMessage:
        seen.append(bool(model.logprobs))
        if model.logprobs:
            raise failure(400)
        return AIMessage("Paris")

    chat = LangChainChat(RichModel(answers=answer))
    assert {"Paris"} == {chat.complete("answer", ASKED, max_tokens=7).text for _ in range(2)}
    assert [True, False, False] == seen


def test_tools_and_schemas() -> None:
    """A schema is a tool that the model has to call; its arguments are the reply's text."""
    chosen: list[Any] = []

    def answer(*_: object, tools: Any, tool_choice: str) -> AIMessage:
        chosen.append(tool_choice)
        call = {"name": tools[0]["function"]["name"], "args": {"city": "Paris"}, "id": "1"}
        return AIMessage("", tool_calls=[call], response_metadata={"stop_reason": "tool_use"})

    model = RichModel(answers=answer)
    shaped, called = asked(model, schema=SCHEMA), asked(model, tools=[TOOL])

    assert ({"city": "Paris"}, ()) == (json.loads(shaped.text), shaped.tool_calls)
    assert (WrittenCall("look", '{"city": "Paris"}'),) == called.tool_calls
    assert ("tool_calls", ["reply", None]) == (called.finish_reason, chosen)


def test_model_without_tools() -> None:
    """A schema is asked for in free text, as prompts describe it; tools are an error."""
    model = PlainModel(answers=saying('{"city": "Paris"}'))
    assert '{"city": "Paris"}' == asked(model, schema=SCHEMA).text
    with pytest.raises(errors.ModelError, match="plain takes no tools") as told:
        asked(model, tools=[TOOL])
    assert "search.mode: planned" in told.value.hint


def failure(status: int) -> Exception:
    """Return a provider's error, whose text repeats a key."""
    error = RuntimeError("the key sk-secret is wrong")
    error.status_code = status  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (failure(401), errors.ModelAccessError),
        (failure(404), errors.ModelError),
        (failure(429), errors.ModelBusyError),
        (failure(500), errors.ModelUnavailableError),
        (ConnectionRefusedError("nobody"), errors.ModelUnavailableError),
        (TimeoutError("late"), errors.ModelTimeoutError),
        (TooLong("too long"), errors.ContextOverflowError),
        (KeyError("choices"), errors.ModelError),
    ],
)
def test_errors_of_objects(error: Exception, expected: type[errors.ModelError]) -> None:
    """Each is one of ours, with the object's name and without what a provider wrote."""

    with pytest.raises(errors.ModelError, match=r"the chat model plain failed \(") as told:
        asked(PlainModel(answers=Mock(side_effect=error)))
    assert expected is type(told.value)
    assert "sk-secret" not in f"{told.value} {told.value.hint} {told.value.__cause__}"


def test_slow_object() -> None:
    """Nobody waits beyond the deadline, nor when the question is stopped."""
    model = PlainModel(answers=lambda *_: time.sleep(6.0))
    stop, begun = Stop(), time.monotonic()
    with pytest.raises(errors.ModelTimeoutError, match="plain gave no whole reply in time"):
        asked(model, seconds=0.05)
    stop.end()
    with stopping(stop), pytest.raises(errors.StoppedError):
        asked(model)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("key", "said", "reason"),
    [
        ("finish_reason", "length", "length"),
        ("stop_reason", "max_tokens", "length"),
        ("finish_reason", "STOP", "stop"),
        ("finish_reason", "SAFETY", ""),
    ],
)
def test_ends_of_replies(key: str, said: str, reason: str) -> None:
    """Providers call the ends of replies by names of their own; a filter's end is an error."""
    model = PlainModel(answers=saying("Paris", **{key: said}))
    if reason:
        assert reason == asked(model).finish_reason
        return
    with pytest.raises(errors.ModelReplyError, match="broke its reply off"):
        asked(model)


@pytest.mark.parametrize(
    "make",
    [
        lambda given: LangChainEmbedder(given, seconds=1.0),
        LangChainReranker,
        lambda given: RetrievedChunks(given, lambda *_: [], WordEmbedder(), seconds=1.0),
    ],
)
def test_wrong_objects(make: Any) -> None:
    """An object of another kind is refused where it is handed over."""
    with pytest.raises(errors.ConfigError, match="str is no "):
        make("gpt-4o")


def test_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors come out with length one, under the object's name; bad ones are an error."""
    embedder = LangChainEmbedder(WordVectors(), seconds=5.0)
    (vector,) = embedder.embed(["bread"])
    assert "word-vectors" == embedder.name
    assert 1.0 == pytest.approx(sum(x * x for x in vector))

    given = WordVectors()
    monkeypatch.setattr(given, "embed_documents", lambda _: [[1.0], [1.0, 1.0]])
    with pytest.raises(errors.ModelReplyError, match="different lengths"):
        LangChainEmbedder(given, seconds=5.0).embed(["a", "b"])


def scored(documents: Sequence[Document]) -> list[Document]:
    for one, score in zip(documents, (0.2, 0.9), strict=False):
        one.metadata["relevance_score"] = score
    return [*documents[:2]]


@pytest.mark.parametrize(
    ("made", "scores"),
    [
        (scored, (0.2, 0.9, -0.8)),
        (lambda found: [found[2], found[0]], (-1.0, -2.0, 0.0)),
        (lambda _: [], (-1.0, -1.0, -1.0)),
    ],
)
def test_reranker(made: object, scores: tuple[float, ...]) -> None:
    """Its scores count, else its order; what it leaves out comes last."""
    assert scores == LangChainReranker(Compressor(made=made)).scores("q", ["a", "b", "c"])


def test_retrieved_chunks() -> None:
    """A retriever's order is the ranking; chunks can be compared and listed once they were seen."""
    found = [Document(text, metadata={"n": n}) for n, text in enumerate(("rye", "oat"))]

    def read(text: str, metadata: Any) -> list[Chunk]:
        return [Chunk(f"c{metadata['n']}", "guide", text)]

    chunks = RetrievedChunks(Listed(found=found), read, WordEmbedder(), seconds=5.0)
    ranked = chunks.lexical.search("oat", k=9)
    (oat,) = WordEmbedder().embed(["oat"])

    assert [("c0", 1.0), ("c1", 0.5)] == [(one.chunk_id, one.value) for one in ranked]
    assert [0.0, pytest.approx(1.0)] == chunks.similarities(oat, ["c0", "c1"])
    assert "c1" == chunks.search(oat, k=1)[0].chunk_id
    assert ["guide"] == [one.doc_id for one in chunks.documents()]
    assert ["rye"] == [one.text for one in chunks.chunks(["c0", "x"])]


def test_names_of_settings() -> None:
    """LangChain makes an object of `provider:model`; what it cannot make is one of our errors."""
    needed_package("langchain", "langchain")
    made = object_named(
        CHAT, "openai:gpt-4o-mini", base_url="http://127.0.0.1:9/v1", api_key="none"
    )
    assert "gpt-4o-mini" == object_name(made)
    with pytest.raises(errors.ModelMissingError, match="langchain-anthropic"):
        object_named(CHAT, "anthropic:claude-haiku-4-5")
    for maker in (CHAT, "embeddings.init_embeddings"):
        with pytest.raises(errors.ConfigError, match="'nonsense'"):
            object_named(maker, "nonsense")
