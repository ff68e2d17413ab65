"""Kept replies: what is kept, what a kept one costs, and what a faulty cache may do: nothing."""

import math
from dataclasses import replace

import pytest

from research_agent.errors import ModelMissingError, ModelUnavailableError
from research_agent.models.adapters.cached_chat import CachedChat
from research_agent.ports import KeptReply
from research_agent.types import Completion, Message, ModelCall
from tests.fakes import ScriptedChat, says

MESSAGES = [Message("user", "What is ML-KEM?")]
REPLY = says("A mechanism.")


class MemoryReplies:
    """A cache that may be told to fail."""

    def __init__(
        self, *, reading: Exception | None = None, writing: Exception | None = None
    ) -> None:
        self.kept: dict[str, KeptReply] = {}
        self.reading, self.writing = reading, writing

    def get(self, key: str) -> KeptReply | None:
        if self.reading:
            raise self.reading
        return self.kept.get(key)

    def put(self, key: str, kept: KeptReply) -> None:
        if self.writing:
            raise self.writing
        self.kept[key] = kept


class FailingChat(ScriptedChat):
    """A model that is down."""

    def complete(self, *_: object, **__: object) -> Completion:
        raise ModelUnavailableError("down")


def ask(chat: CachedChat, *, max_tokens: int = 9) -> Completion:
    return chat.complete("answer", MESSAGES, max_tokens=max_tokens, seconds=7.0)


def test_second_call_sends_nothing() -> None:
    """It has the same reply, with the tokens it had and at no cost."""
    paid = replace(REPLY, cost=replace(REPLY.cost, seconds=3.0, read_seconds=1.0, price=0.5))
    model, cache, ticks = ScriptedChat(paid), MemoryReplies(), iter((10.0, 13.5))
    chat = CachedChat(model, cache, "m", clock=lambda: next(ticks))

    assert paid == ask(chat)
    again = ask(chat)

    cost = ModelCall("any", 100, 10, model="fake", price=0.0, tries=0, reused=True)
    assert replace(REPLY, cost=cost) == again
    assert 1 == len(model.asked)
    assert [3.5] == [kept.seconds for kept in cache.kept.values()]


def test_other_calls_and_other_models_ask() -> None:
    """What a reply depends on differs."""
    model, cache = ScriptedChat(REPLY), MemoryReplies()

    ask(CachedChat(model, cache, "m"))
    ask(CachedChat(model, cache, "m"), max_tokens=8)
    ask(CachedChat(model, cache, "n"))

    assert 3 == len(model.asked) == len(cache.kept)
    assert ask(CachedChat(None, cache, "n")).cost.price is None


@pytest.mark.parametrize(("reason", "kept"), [("stop", 1), ("length", 1), ("content_filter", 0)])
def test_only_whole_replies_are_kept(reason: str, kept: int) -> None:
    """What a server cut for its own reasons is asked for again."""
    cache = MemoryReplies()

    ask(CachedChat(ScriptedChat(replace(REPLY, finish_reason=reason)), cache, "m"))

    assert kept == len(cache.kept)


def test_empty_replies_are_not_kept() -> None:
    """Who is told to ask again is answered by the model."""
    model, cache = ScriptedChat(replace(REPLY, text="", tokens=()), REPLY), MemoryReplies()
    chat = CachedChat(model, cache, "m")

    assert ["", REPLY.text] == [ask(chat).text, ask(chat).text]


def test_failures_are_not_kept() -> None:
    """The error goes on, and the next call asks."""
    cache = MemoryReplies()

    with pytest.raises(ModelUnavailableError):
        ask(CachedChat(FailingChat(), cache, "m"))

    assert {} == cache.kept


def test_without_a_model_a_missing_reply_is_an_error() -> None:
    """Nothing is made up, and the message does not blame an installation."""
    with pytest.raises(ModelMissingError, match="not recorded") as caught:
        ask(CachedChat(None, MemoryReplies(), "m"))

    assert "--live" in caught.value.hint


@pytest.mark.parametrize(
    ("cache", "told"),
    [
        (MemoryReplies(reading=OSError("locked")), "the reply cache failed: locked"),
        (MemoryReplies(writing=OSError(28, "No space left")), "the reply cache failed: No space"),
        (MemoryReplies(reading=ValueError("'secret text'")), "a kept reply cannot be read"),
    ],
)
def test_faulty_cache_never_fails_a_call(cache: MemoryReplies, told: str) -> None:
    """It is a miss; the fault is told once, without what a document says."""
    problems: list[str] = []
    model = ScriptedChat(REPLY)
    chat = CachedChat(model, cache, "m", on_problem=problems.append)

    assert [REPLY, REPLY] == [ask(chat), ask(chat)]
    assert 2 == len(model.asked)
    assert 1 == len(problems)
    assert told in problems[0]
    assert "secret" not in problems[0]


def test_deadline_is_handed_on() -> None:
    """The model behind gets what the caller has left."""
    given: list[float] = []

    class Timed(ScriptedChat):
        def complete(self, *_: object, seconds: float = math.inf, **__: object) -> Completion:
            given.append(seconds)
            return REPLY

    ask(CachedChat(Timed(), MemoryReplies(), "m"))

    assert [7.0] == given
