"""Replies that are streamed: the same values as plain ones, whole or not at all."""

import time
from dataclasses import replace

import pytest

from research_agent.errors import ModelBusyError, ModelError, ModelUnavailableError
from research_agent.models.adapters.openai import OpenAIChat
from research_agent.models.server_capabilities import ServerCapabilities
from research_agent.types import Completion
from tests.loopback import Json, Live, Peer, Raw, error_reply, server, text_reply, token
from tests.loopback_events import event, events
from tests.loopback_faults import chunk, head
from tests.models.openai_models import ASKED, chat, endpoint, replies

USAGE = {
    "prompt_tokens": 40,
    "completion_tokens": 3,
    "total_tokens": 43,
    "prompt_tokens_details": {"cached_tokens": 30},
}
EMOJI = [
    {"token": "Hi ", "logprob": -0.1, "bytes": [72, 105, 32], "top_logprobs": []},
    {"token": "", "logprob": -0.2, "bytes": [240, 159, 152], "top_logprobs": [token("x")]},
    {"token": "", "logprob": -0.3, "bytes": [128], "top_logprobs": [token("y")]},
]
NAMELESS = {**token("Paris"), "top_logprobs": None}


def ask(model: OpenAIChat, *, max_tokens: int = 9) -> Completion:
    return model.complete("answer", ASKED, max_tokens=max_tokens)


def timeless(got: Completion) -> Completion:
    return replace(got, cost=replace(got.cost, seconds=0.0, read_seconds=None))


@pytest.mark.parametrize(
    "reply",
    [
        text_reply("Paris is it", usage=USAGE),
        text_reply("Paris", tokens=[token("Par", -0.2, {"Lon": -1.5}), token("is")]),
        text_reply(None, tokens=[token("Pa"), token("ris"), token("<|im_end|>")]),
        text_reply(" Paris\n", tokens=[token(" Paris"), token("\n"), token("")]),
        text_reply("Paris is it", tokens=[token("Paris")]),
        text_reply("Paris", tokens=[NAMELESS]),
        text_reply("Paris", tokens=[]),
        text_reply("Hi 😀", tokens=EMOJI),
        text_reply("Paris is", finish_reason="length"),
        text_reply(None, tokens=[]),
    ],
)
def test_both_ways_give_the_same(reply: Json) -> None:
    """A reply that is streamed is the value of the one that came at once."""
    script, seen = replies(reply)
    with server(script) as url:
        streaming = OpenAIChat(endpoint(url))
        plain = OpenAIChat(endpoint(url), learned=ServerCapabilities(refused=("stream",)))
        streamed, whole = ask(streaming), ask(plain)
        streaming.close()
        plain.close()
    assert [True, False] == [bool(request.get("stream")) for request in seen]
    assert timeless(whole) == timeless(streamed)
    assert whole.cost.read_seconds is None


def test_time_to_the_first_word() -> None:
    """It is told apart from the time that the whole reply took."""

    def write(peer: Peer) -> None:
        peer.send(head())
        first, *rest = events(text_reply("Paris is it"), usage=True)
        peer.send(first)
        peer.gone(0.15)
        peer.send(rest[0])
        peer.gone(0.15)
        peer.send(b"".join(rest[1:]))

    with chat(lambda _: Live(write)) as model:
        ask(model)
        cost = ask(model).cost
    assert cost.read_seconds is not None
    assert 0.15 <= cost.read_seconds < 0.29
    assert 0.3 <= cost.seconds < 0.8


def test_usage_is_asked_for_and_the_last_one_counts() -> None:
    """Some servers count in every event; the counts are not added up."""
    listed = text_reply("a", usage=USAGE)
    counting = [
        event({"id": "1", "model": "m", "choices": [], "usage": {**USAGE, "completion_tokens": n}})
        for n in (1, 2)
    ]
    first, *rest = events(listed, usage=True)
    body = b"".join([first, *counting, *rest])
    seen: list[Json] = []

    def script(given: Json) -> Raw:
        seen.append(given)
        return Raw(200, body, "text/event-stream; charset=utf-8")

    with chat(script) as model:
        cost = ask(model).cost
    assert (40, 3, 30) == (cost.prompt_tokens, cost.completion_tokens, cost.cached_tokens)
    assert {"include_usage": True} == seen[0]["stream_options"]


def test_one_word_is_not_streamed() -> None:
    """For a single token a stream has no use."""
    script, seen = replies(text_reply("yes"))
    with chat(script) as model:
        assert "yes" == ask(model, max_tokens=1).text
    assert not seen[0].get("stream")


@pytest.mark.parametrize(
    "refusal",
    [
        Raw(400, b'{"error": {"message": "Unsupported value", "param": "stream"}}'),
        error_reply(422, "stream_options: extra inputs are not permitted"),
        error_reply(400, "Streaming is not available for this model"),
    ],
)
def test_server_that_does_not_stream(refusal: Raw) -> None:
    """It is asked for a plain reply from then on; another run can begin with that."""
    script, seen = replies(refusal, text_reply("a"))
    with chat(script) as model:
        assert ["a", "a"] == [ask(model).text for _ in range(2)]
        assert ("stream",) == model.learned.refused
    assert [True, False, False] == [bool(request.get("stream")) for request in seen]


def test_server_that_ignores_streaming() -> None:
    """A plain reply to a request for a stream is asked for as such, once and from then on."""
    seen: list[bool] = []

    def script(given: Json) -> Json:
        seen.append(bool(given.pop("stream", False)))  # (so the server here does not stream)
        return text_reply("a")

    with chat(script) as model:
        assert ["a", "a"] == [ask(model).text for _ in range(2)]
        assert ("stream",) == model.learned.refused
    assert [True, False, False] == seen


def test_stream_without_counts() -> None:
    """Its tokens are counted here, and the next reply is a plain one, which has its counts."""
    seen: list[bool] = []

    def script(given: Json) -> Json:
        seen.append(bool(given.get("stream")))
        given.pop("stream_options", None)
        return text_reply("Paris is it")

    with chat(script) as model:
        counted = [ask(model).cost.completion_tokens for _ in range(2)]
    assert [3, 9] == counted
    assert [True, False] == seen


def test_what_an_earlier_run_learned_holds() -> None:
    """What is known to be refused is not sent at all."""
    script, seen = replies(text_reply("a"))
    with server(script) as url:
        learned = ServerCapabilities(refused=("logprobs", "max_tokens"))
        model = OpenAIChat(endpoint(url), learned=learned)
        ask(model)
        assert learned == model.learned
        model.close()
    assert not {"logprobs", "top_logprobs", "max_tokens"} & set(seen[0])


def test_more_alternatives_than_a_server_gives() -> None:
    """Where twenty are refused, five are asked for before none are."""
    refusal = error_reply(400, "Requested sample logprobs of 20, which is greater than 5")
    script, seen = replies(refusal, text_reply("a"))
    with chat(script, top_logprobs=20) as model:
        ask(model)
        ask(model)
    assert [20, 5, 5] == [request["top_logprobs"] for request in seen]


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"error": {"message": "SECRET", "type": "overloaded_error"}}, ModelBusyError),
        ({"error": {"message": "SECRET", "code": 429}}, ModelBusyError),
        ({"error": {"message": "SECRET", "code": 500}}, ModelUnavailableError),
        ({"error": {"message": "SECRET", "code": 400}}, ModelError),
        ({"error": "SECRET"}, ModelUnavailableError),
    ],
)
def test_errors_within_a_stream(told: Json, error: type[ModelError]) -> None:
    """They are told apart by their codes, and what they say in prose is not repeated."""
    body = b"".join([chunk("Paris"), event(told)])
    script, _ = replies(Raw(200, body, "text/event-stream"))
    with chat(script) as model, pytest.raises(ModelError) as caught:
        ask(model)
    assert error is type(caught.value)
    assert "SECRET" not in str(caught.value)


def test_stream_ends_at_once_above_its_limit() -> None:
    """An endless stream is not read until the deadline."""

    def write(peer: Peer) -> None:
        peer.send(head())
        while not peer.gone(0.001):
            peer.send(chunk(" and"))

    begun = time.monotonic()
    with chat(lambda _: Live(write)) as model, pytest.raises(ModelError, match="limit of 9"):
        ask(model)
    assert time.monotonic() - begun < 3
