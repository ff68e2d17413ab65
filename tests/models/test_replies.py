"""Keys of kept replies: everything a reply depends on changes them, nothing else does."""

from types import MappingProxyType
from typing import Any

import pytest

from research_agent.models.replies import embedded_identity, is_whole, reply_key, served_identity
from research_agent.types import Completion, Message, ModelCall, WrittenCall

ASKED: dict[str, Any] = {
    "identity": "1.5b",
    "role": "answer",
    "messages": [Message("system", "Be short."), Message("user", "What is ML-KEM? \ud800")],
    "max_tokens": 300,
    "tools": [{"name": "search", "parameters": {"type": "object"}}],
    "schema": None,
}
CHANGES: list[dict[str, Any]] = [
    {"identity": "0.5b"},
    {"role": "planner"},
    {"messages": ASKED["messages"][1:]},
    {"messages": [Message("user", "Be short."), ASKED["messages"][1]]},
    {"max_tokens": 299},
    {"tools": ()},
    {"schema": {}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_key_depends_on_everything(change: dict[str, Any]) -> None:
    """A reply to something else is never taken."""
    assert reply_key(**ASKED) != reply_key(**{**ASKED, **change})


def test_key_does_not_depend_on_containers() -> None:
    """Tuples, read-only mappings and the order of keys make no other key."""
    same = {
        **ASKED,
        "messages": tuple(ASKED["messages"]),
        "tools": (MappingProxyType(dict(reversed(ASKED["tools"][0].items()))),),
    }

    assert reply_key(**ASKED) == reply_key(**same)


def test_identities_differ() -> None:
    """Provider, address, model and what is asked for; weights and context."""
    identities = [
        served_identity("openai", "http://a/v1", "m", 5),
        served_identity("bedrock", "http://a/v1", "m", 5),
        served_identity("openai", "http://b/v1", "m", 5),
        served_identity("openai", "http://a/v1", "n", 5),
        served_identity("openai", "http://a/v1", "m", 6),
        embedded_identity("abc", 8192, 5),
        embedded_identity("abd", 8192, 5),
        embedded_identity("abc", 4096, 5),
        embedded_identity("abc", 8192, 6),
    ]

    assert len(identities) == len(set(identities))


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("stop", True),
        ("tool_calls", True),
        ("length", True),
        ("content_filter", False),
        ("", False),
    ],
)
def test_whole_replies(reason: str, *, expected: bool) -> None:
    """A reply that ended for the server's reasons is not the model's whole reply."""
    assert expected is is_whole(Completion("a", ModelCall("b"), finish_reason=reason))


def test_empty_replies_are_not_whole() -> None:
    """One that is kept would come again whenever it is asked for again; a call needs no text."""
    empty = Completion("\n", ModelCall("b"), finish_reason="stop")
    calling = Completion(
        "", ModelCall("b"), tool_calls=(WrittenCall("f", "{}"),), finish_reason="tool_calls"
    )

    assert [False, True] == [is_whole(empty), is_whole(calling)]
