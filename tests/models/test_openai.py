"""Replies over the wire: the real client against a scripted server."""

import traceback

import pytest

from research_agent.errors import (
    ContextOverflowError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelReplyError,
    ModelUnavailableError,
)
from research_agent.models.adapters.openai import OpenAIChat
from research_agent.types import Alternative, Completion, Token, WrittenCall
from tests.loopback import CLOSED, Json, Raw, error_reply, text_reply, token, tool_reply
from tests.models.openai_models import ASKED, KEY, chat, counts, replies

DAY = "Thu, 01 Jan 2099"
SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


def test_free_text_comes_with_log_probabilities() -> None:
    """Text, tokens, alternatives and costs arrive; the request asks for no randomness."""
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 3,
        "total_tokens": 43,
        "prompt_tokens_details": {"cached_tokens": 30},
    }
    tokens = [token("Par", -0.25, {"Lon": -1.5}), token("is", -0.5), token("", -0.01)]
    script, seen = replies(text_reply("Paris", tokens=tokens, usage=usage))
    with chat(script) as model:
        got = model.complete("answer", ASKED, max_tokens=7)
    assert "Paris" == got.text
    assert (
        Token("Par", -0.25, (Alternative("Par", -0.25), Alternative("Lon", -1.5))),
        Token("is", -0.5, (Alternative("is", -0.5),)),
    ) == got.tokens
    assert (40, 3, 30, "scripted") == counts(got.cost)
    assert ("stop", ()) == (got.finish_reason, got.tool_calls)
    assert {"temperature": 0, "max_tokens": 7, "logprobs": True, "top_logprobs": 5} == {
        name: seen[0][name] for name in ("temperature", "max_tokens", "logprobs", "top_logprobs")
    }
    assert [message.text for message in ASKED] == [m["content"] for m in seen[0]["messages"]]


def test_ends_of_replies_have_the_names_of_other_servers() -> None:
    for said, ended in (("eos", "stop"), ("end_turn", "stop"), ("model_length", "length")):
        script, _ = replies(text_reply("Paris", finish_reason=said))
        with chat(script) as model:
            assert ended == model.complete("answer", ASKED, max_tokens=7).finish_reason


def test_schema_is_sent_and_read_as_text() -> None:
    """A schema goes out as response_format, without log-probabilities; a cut reply is no error."""
    script, seen = replies(text_reply('{"x": "lo', finish_reason="length"))
    with chat(script) as model:
        got = model.complete("r", ASKED, max_tokens=3, schema=SCHEMA)
    assert ('{"x": "lo', "length", ()) == (got.text, got.finish_reason, got.tokens)
    assert SCHEMA == seen[0]["response_format"]["json_schema"]["schema"]
    assert "logprobs" not in seen[0]


def test_tools_are_offered_and_calls_read() -> None:
    """Tools go out as they are; a call comes back with its arguments as JSON text."""
    script, seen = replies(tool_reply("search", '{"query": "x"}'))
    with chat(script) as model:
        got = model.complete("planner", ASKED, max_tokens=9, tools=[TOOL])
    assert (WrittenCall("search", '{"query": "x"}'),) == got.tool_calls
    assert ("", "tool_calls") == (got.text, got.finish_reason)
    assert [TOOL] == seen[0]["tools"]
    assert "logprobs" not in seen[0]
    script, _ = replies(tool_reply("search", '{"query": '))
    with chat(script) as model:  # (arguments that are no JSON arrive as they were written)
        broken = model.complete("planner", ASKED, max_tokens=9, tools=[TOOL]).tool_calls
    assert (WrittenCall("search", '{"query": '),) == broken


@pytest.mark.parametrize(
    ("refusal", "given", "missing"),
    [
        (error_reply(400, "logprobs is not supported"), {}, {"logprobs", "top_logprobs"}),
        (error_reply(403, "You may not request logprobs"), {}, {"logprobs", "top_logprobs"}),
        (error_reply(400, "response_format: no"), {"schema": SCHEMA}, {"response_format"}),
        (error_reply(400, "'temperature' does not support 0"), {}, {"temperature"}),
        (error_reply(400, "use max_completion_tokens, not max_tokens"), {}, {"max_tokens"}),
    ],
)
def test_refused_option_is_left_out_from_then_on(
    refusal: Raw, given: Json, missing: set[str]
) -> None:
    """An option that the server refuses by name is dropped once and stays dropped."""
    script, seen = replies(refusal, text_reply("a"), text_reply("b"))
    with chat(script) as model:
        got = [model.complete("r", ASKED, max_tokens=7, **given).text for _ in range(2)]
    assert ["a", "b"] == got
    for request in seen[1:]:
        assert missing == seen[0].keys() - request.keys()
    limits = [r.get("max_tokens") or r["max_completion_tokens"] for r in seen]
    assert [7, 7, 7] == limits


LLAMA_OVERFLOW = error_reply(
    400,
    "request (6030 tokens) exceeds the available context size (2048 tokens), SECRET",
    kind="exceed_context_size_error",
)
OPENAI_OVERFLOW = error_reply(
    400,
    "This model's maximum context length is 8192 tokens, max_tokens SECRET",
    code="context_length_exceeded",
)
EMPTY = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}


VLLM_OVERFLOW = error_reply(
    400, "The decoder prompt (length 9000) is longer than the maximum model length of 4096. SECRET"
)
QUOTA = error_reply(429, "SECRET", kind="insufficient_quota", code="insufficient_quota")


@pytest.mark.parametrize(
    ("reply", "error", "said", "hint"),
    [
        (error_reply(401, f"bad key {KEY}"), ModelAccessError, "answered 401", "MY_KEY"),
        (error_reply(403, "no SECRET"), ModelAccessError, "answered 403", "MY_KEY"),
        (error_reply(402, "SECRET"), ModelAccessError, "answered 402", "spend"),
        (QUOTA, ModelAccessError, "insufficient_quota", "spend"),
        (error_reply(404, "SECRET", code="model_not_found"), ModelError, "not_found", "'m'"),
        (error_reply(400, "SECRET"), ModelError, r"400 \(invalid_request_error\)", "base_url"),
        (error_reply(429, "SECRET"), ModelBusyError, "429", "later"),
        (error_reply(500, "SECRET"), ModelUnavailableError, "500", "up?"),
        (error_reply(503, "SECRET"), ModelBusyError, "503", "later"),
        (error_reply(408, "SECRET"), ModelUnavailableError, "408", "up?"),
        (Raw(307, headers={"Location": "/elsewhere"}), ModelError, "307", "another address"),
        (CLOSED, ModelUnavailableError, "broke the connection off", "up?"),
        (LLAMA_OVERFLOW, ContextOverflowError, "longer", "evidence.max_tokens"),
        (OPENAI_OVERFLOW, ContextOverflowError, "longer", "models.local.context"),
        (VLLM_OVERFLOW, ContextOverflowError, "longer", "evidence.max_tokens"),
        (EMPTY, ModelReplyError, "no reply", "base_url"),
        ({**EMPTY, "choices": None}, ModelReplyError, "no reply", "base_url"),
        ({"error": {"message": "SECRET"}}, ModelReplyError, "no reply", "base_url"),
        (Raw(200, b"<html>SECRET", "text/html"), ModelReplyError, "text/html", "base_url"),
        (Raw(200, b"SECRET", "text/SECRET key"), ModelReplyError, "no known type", "base_url"),
        (Raw(200, b'{"choices": [{"mess'), ModelReplyError, "no reply", "base_url"),
        (Raw(200, b"[" * 5000), ModelReplyError, "no reply", "base_url"),
        (Raw(200, b"null"), ModelReplyError, "no reply", "base_url"),
        (text_reply("", finish_reason="content_filter"), ModelReplyError, "filter", "Ask"),
        (text_reply("x", finish_reason=None), ModelReplyError, "broke its reply off", "Ask"),
    ],
)
def test_failures_are_ours(
    reply: Json | Raw, error: type[ModelError], said: str, hint: str
) -> None:
    """Each failure is one of our errors with a hint, after one request: redirects are not followed.

    Neither it nor its traceback, as logs show it, repeats the key or documents.
    """
    script, seen = replies(reply)
    with chat(script) as model, pytest.raises(error, match=said) as caught:
        model.complete("answer", ASKED, max_tokens=7)
    assert error is type(caught.value)
    assert hint in caught.value.hint
    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.hint in shown
    assert not any(word in shown for word in (KEY, "SECRET"))
    assert 1 == len(seen)


def test_how_long_to_wait() -> None:
    """What a busy server asks for is told, by its own clock; nothing is waited for here."""
    asked = {"Retry-After": f"{DAY} 00:00:09 GMT", "Date": f"{DAY} 00:00:00 GMT"}
    refusal = Raw(429, error_reply(429, "SECRET").body, headers=asked)
    with chat(lambda _: refusal) as model, pytest.raises(ModelBusyError) as caught:
        ask(model)
    assert 9.0 == caught.value.retry_after


EMOJI = [
    {"token": "Hi ", "logprob": -0.1, "bytes": [72, 105, 32], "top_logprobs": []},
    {"token": "", "logprob": -0.2, "bytes": [240, 159, 152], "top_logprobs": [token("x")]},
    {"token": "", "logprob": -0.3, "bytes": [128], "top_logprobs": [token("y")]},
]


def ask(model: OpenAIChat) -> Completion:
    return model.complete("answer", ASKED, max_tokens=7)


@pytest.mark.parametrize(
    ("reply", "text", "tokens"),
    [
        (text_reply(None, tokens=[token("Pa"), token("ris"), token("<|im_end|>")]), "Paris", 2),
        (text_reply("Hi 😀", tokens=EMOJI), "Hi 😀", 2),
        (text_reply(None, tokens=[]), "", 0),
    ],
)
def test_tokens_make_up_the_text(reply: Json, text: str, tokens: int) -> None:
    """They are taken where they are all of it, and are the text where there is no other."""
    with chat(lambda _: reply) as model:
        got = ask(model)
    assert (text, tokens) == (got.text, len(got.tokens))


THOUGHT = [token("<think>"), token("5?"), token("</think>"), token("\n\n")]
NAMED = "The tag <think> begins, and </think>\nends."


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (text_reply("<think>5?</think>\n\nIt is", tokens=[*THOUGHT, token("It is")]), "It is"),
        (text_reply("<think>\n[c1]: {5}\n</think>It is 5.", tokens=[]), "It is 5."),
        (text_reply("Is it 5?\n</think>\n\nIt is 5.", tokens=[]), "It is 5."),
        (text_reply("<think>Is it", finish_reason="length"), ""),
        (text_reply(NAMED), NAMED),
        (text_reply("It ends with </think> [c1]."), "It ends with </think> [c1]."),
    ],
)
def test_reasoning_in_front_is_no_part_of_a_reply(reply: Json, text: str) -> None:
    """Text that names the tags stays."""
    with chat(lambda _: reply) as model:
        got = ask(model)
    assert text == got.text
    assert "".join(token.text for token in got.tokens) in ("", text)
    assert bool(got.tokens) is (text == "It is" or "think>" in text)
