"""Kept replies: their keys, what is kept, what a kept one costs, and what a faulty cache may do."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from research_agent.errors import ModelUnavailableError
from research_agent.kept_replies import asking_anew
from research_agent.models.adapters.cached_chat import CachedChat
from research_agent.models.replies import reply_key
from research_agent.ports import KeptReply
from research_agent.types import Completion, Message, ModelCall, WrittenCall
from tests.fakes import ScriptedChat, says

MESSAGES = [Message("user", "What is ML-KEM?")]
REPLY = says("A mechanism.")
ASKED: dict[str, Any] = {
    "identity": "1.5b",
    "role": "answer",
    "messages": [Message("system", "Be short."), Message("user", "What is ML-KEM? \ud800")],
    "max_tokens": 300,
    "tools": [{"name": "search", "parameters": {"type": "object"}}],
    "schema": None,
}


@pytest.mark.parametrize(
    "change",
    [
        {"identity": "0.5b"},
        {"role": "planner"},
        {"messages": ASKED["messages"][1:]},
        {"messages": [Message("user", "Be short."), ASKED["messages"][1]]},
        {"max_tokens": 299},
        {"tools": ()},
        {"schema": {}},
    ],
)
def test_key_depends_on_everything(change: dict[str, Any]) -> None:
    """A reply to something else is never taken."""
    assert reply_key(**ASKED) != reply_key(**{**ASKED, **change})


def test_key_does_not_depend_on_containers_or_time() -> None:
    """Tuples, read-only mappings, the order of keys and the deadline make no other key."""
    tools = (MappingProxyType(dict(reversed(ASKED["tools"][0].items()))),)
    same = {**ASKED, "messages": tuple(ASKED["messages"]), "tools": tools, "seconds": 3.0}

    assert reply_key(**ASKED) == reply_key(**same)


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


def ask(chat: CachedChat, *, max_tokens: int = 9) -> Completion:
    return chat.complete("answer", MESSAGES, max_tokens=max_tokens, seconds=7.0)


def test_second_call_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the same reply, with the tokens it had and at no cost."""
    paid = replace(REPLY, cost=replace(REPLY.cost, seconds=3.0, price=0.5))
    model, cache, ticks = ScriptedChat(paid), MemoryReplies(), iter((10.0, 13.5))
    monkeypatch.setattr("time.monotonic", lambda: next(ticks))
    chat = CachedChat(model, cache, "m")

    assert paid == ask(chat)
    cost = ModelCall("any", 100, 10, model="fake", price=0.0, tries=0, reused=True)
    assert replace(REPLY, cost=cost) == ask(chat)
    assert 1 == len(model.asked)
    assert [3.5] == [kept.seconds for kept in cache.kept.values()]


def test_other_calls_and_other_models_ask() -> None:
    """What a reply depends on differs; a price that was not known stays so."""
    model, cache = ScriptedChat(REPLY), MemoryReplies()
    ask(CachedChat(model, cache, "m"))
    ask(CachedChat(model, cache, "m"), max_tokens=8)
    ask(CachedChat(model, cache, "n"))

    assert 3 == len(cache.kept)
    assert ask(CachedChat(model, cache, "n")).cost.price is None
    assert 3 == len(model.asked)


def test_a_model_that_is_asked_anew_replies_in_place_of_what_is_kept() -> None:
    other = says("Another one.")
    chat = CachedChat(ScriptedChat(REPLY, other), MemoryReplies(), "m")
    ask(chat)
    with asking_anew():
        assert other == ask(chat)

    assert other.text == ask(chat).text


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"finish_reason": "stop"}, 1),
        ({"finish_reason": "length"}, 1),
        ({"finish_reason": "content_filter"}, 0),
        ({"finish_reason": ""}, 0),
        ({"text": " \n", "tokens": ()}, 0),
        ({"text": "", "tool_calls": (WrittenCall("f", "{}"),), "finish_reason": "tool_calls"}, 1),
    ],
)
def test_only_whole_replies_are_kept(change: dict[str, Any], kept: int) -> None:
    """What a server cut for its own reasons, and what says nothing, is asked for again."""
    cache = MemoryReplies()
    ask(CachedChat(ScriptedChat(replace(REPLY, **change)), cache, "m"))

    assert kept == len(cache.kept)


def test_failures_are_not_kept() -> None:
    """The error goes on."""
    cache = MemoryReplies()
    with pytest.raises(ModelUnavailableError):
        ask(CachedChat(ScriptedChat(ModelUnavailableError("down")), cache, "m"))

    assert {} == cache.kept


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
    assert (2, 1) == (len(model.asked), len(problems))
    assert told in problems[0]
    assert "secret" not in problems[0]
