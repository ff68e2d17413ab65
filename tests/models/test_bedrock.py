"""Bedrock's chat models through botocore's own HTTP, against a server on this machine."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress

import pytest

from research_agent import errors
from research_agent.models.adapters.bedrock import BedrockChat, BedrockEndpoint
from research_agent.models.adapters.bedrock.connection import MAX_ABANDONED, Call
from research_agent.types import Completion, Message, ModelCall, WrittenCall
from tests.converse import Running, bedrock, error_reply, text_reply, tool_reply
from tests.loopback import Live, Reply, Script
from tests.loopback_faults import dripping, hanging, sized

MODEL = "us.anthropic.claude-3-haiku-20240307-v1:0"
ASKED = [Message("system", "Be brief."), Message("user", "capital of France?")]
PARAMETERS = {"type": "object", "properties": {"a_query": {"type": "string"}}}
TOOL = {
    "type": "function",
    "function": {"name": "search", "description": "Finds chunks.", "parameters": PARAMETERS},
}
SCHEMA = {"type": "object", "properties": {"best_query": {"type": "string"}}}


@contextmanager
def asking(script: Script, model: str = MODEL) -> Iterator[tuple[BedrockChat, Running]]:
    """A model behind a server that replies as `script` says."""
    with bedrock(script) as server:
        endpoint = BedrockEndpoint(model=model, region="eu-central-1", url=server.url)
        with closing(BedrockChat(endpoint)) as chat:
            yield chat, server


def in_turn(replies: Sequence[Reply]) -> Script:
    left = iter(replies)
    return lambda _: next(left)


def test_a_text() -> None:
    """The request is as Bedrock wants it, and the reply's text and counts are read."""
    counted = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 42}
    usage = {**counted, "cacheReadInputTokens": 30}
    with asking(lambda _: text_reply("Paris", usage=usage)) as (chat, server):
        reply = chat.complete("answer", ASKED, max_tokens=7)
    cost = ModelCall("answer", 40, 2, cached_tokens=30, model=MODEL)
    assert Completion("Paris", cost, finish_reason="stop") == reply
    (asked,) = server.log
    assert (MODEL, "converse") == (asked.model, asked.operation)
    assert {
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "capital of France?"}]}],
        "inferenceConfig": {"maxTokens": 7, "temperature": 0.0},
    } == asked.body
    assert "/eu-central-1/bedrock/aws4_request" in asked.headers["authorization"]


def test_nothing_is_sent_before_the_first_call() -> None:
    """Making a model sends nothing, and one client's connection serves all calls."""
    with asking(lambda _: text_reply("Paris")) as (chat, server):
        assert [] == server.log
        for _ in range(3):
            chat.complete("answer", ASKED, max_tokens=7)
        assert 1 == len({asked.connection for asked in server.log})
        chat.close()
        assert "Paris" == chat.complete("answer", ASKED, max_tokens=7).text


def test_thinking_is_no_text() -> None:
    """Of a reply in several blocks the texts count; one that is cut at its limit says so."""
    reply = text_reply("Paris", stop="max_tokens")
    reply["output"]["message"]["content"].insert(
        0, {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    )
    with asking(lambda _: reply) as (chat, _):
        got = chat.complete("answer", ASKED, max_tokens=7)
    assert ("Paris", "length") == (got.text, got.finish_reason)


def test_tools() -> None:
    """Tools are sent in Bedrock's form, and calls come back as they were written."""
    written = tool_reply("search", {"a_query": "Łódź"}, text="I search.")
    with asking(lambda _: written) as (chat, server):
        reply = chat.complete("planner", ASKED, max_tokens=7, tools=[TOOL])
    assert ("I search.", "tool_calls") == (reply.text, reply.finish_reason)
    assert (WrittenCall("search", '{"a_query": "Łódź"}'),) == reply.tool_calls
    about = {"name": "search", "description": "Finds chunks."}
    spec = {**about, "inputSchema": {"json": PARAMETERS}}
    assert {"tools": [{"toolSpec": spec}]} == server.log[0].body["toolConfig"]


def test_a_schema_is_a_forced_tool() -> None:
    """The input of the tool that the model has to call is the reply's text, else its own."""
    given = {"best_query": "capital"}
    with asking(lambda _: tool_reply("reply", given, text="Here:")) as (chat, server):
        reply = chat.complete("planner", ASKED, max_tokens=7, schema=SCHEMA)
    assert (given, "stop", ()) == (json.loads(reply.text), reply.finish_reason, reply.tool_calls)
    config = server.log[0].body["toolConfig"]
    assert {"tool": {"name": "reply"}} == config["toolChoice"]
    assert SCHEMA == config["tools"][0]["toolSpec"]["inputSchema"]["json"]
    with asking(lambda _: text_reply('{"best_query": "x"}')) as (chat, _):
        reply = chat.complete("planner", ASKED, max_tokens=7, schema=SCHEMA)
    assert ('{"best_query": "x"}', "stop") == (reply.text, reply.finish_reason)


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("`temperature` is deprecated for this model.", '"temperature"'),
        (
            "This model doesn't support the toolConfig.toolChoice.tool field. Remove it.",
            '"toolChoice"',
        ),
        ("This model doesn't support tool use.", '"toolConfig"'),
        ("This model doesn't support system messages. Try again without.", '"system": [{'),
    ],
)
def test_what_a_model_refuses_is_left_out(said: str, gone: str) -> None:
    """The same is asked once more without the refused part, and later requests lack it too."""
    refusal, reply = error_reply("ValidationException", message=said), text_reply("{}")
    with asking(in_turn([refusal, reply, reply])) as (chat, server):
        for _ in range(2):
            assert "{}" == chat.complete("planner", ASKED, max_tokens=7, schema=SCHEMA).text
    had, *lacked = (json.dumps(asked.body) for asked in server.log)
    assert 2 == len(lacked)
    assert gone in had
    assert not any(gone in body for body in lacked)
    assert all("Be brief." in body for body in lacked)


def test_a_model_known_to_refuse_a_temperature(recwarn: pytest.WarningsRecorder) -> None:
    """What langchain-aws knows of a model is used: no temperature, and no warning about it."""
    with asking(lambda _: text_reply("x"), "anthropic.claude-opus-4-7") as (chat, server):
        chat.complete("answer", ASKED, max_tokens=7)
    assert {"maxTokens": 7} == server.log[0].body["inferenceConfig"]
    assert [] == list(recwarn)


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-lite-v1:0",
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6",
    ],
)
def test_an_arn(arn: str) -> None:
    """A profile's ARN is asked as it is, without a request to find out what it stands for."""
    with asking(lambda _: text_reply("x"), arn) as (chat, server):
        assert "x" == chat.complete("answer", ASKED, max_tokens=7).text
    assert [(arn, "converse")] == [(asked.model, asked.operation) for asked in server.log]


WHOLE = json.dumps(text_reply("Paris")).encode()


@pytest.mark.parametrize(
    "reply",
    [hanging(), dripping(sized(WHOLE), WHOLE), hanging(sized(WHOLE), WHOLE[:20])],
    ids=["hang", "drip", "hang in the body"],
)
def test_the_deadline_is_for_the_whole_call(reply: Live) -> None:
    """However a reply is late, the call ends at its deadline, and its connection with it."""
    with asking(in_turn([text_reply("warm"), reply, text_reply("Paris")])) as (chat, server):
        chat.complete("answer", ASKED, max_tokens=7)
        started = time.monotonic()
        with pytest.raises(errors.ModelTimeoutError):
            chat.complete("answer", ASKED, max_tokens=7, seconds=0.4)
        assert 0.3 < time.monotonic() - started < 5
        assert server.gone.wait(10)
        assert "Paris" == chat.complete("answer", ASKED, max_tokens=7).text
    assert 3 == len(server.log)


def test_a_late_call_that_its_end_breaks_is_late() -> None:
    """What ends its connection at the deadline may have failed before that is looked at again."""

    class Broken(Call[None]):
        def _drop(self) -> None:
            broken.set()
            with suppress(errors.ModelUnavailableError):
                self._future.result(9)

    broken = threading.Event()

    def work() -> None:
        broken.wait(9)
        raise errors.ModelUnavailableError("the connection broke")

    with pytest.raises(errors.ModelTimeoutError):
        Broken(work, 0.01, 1, set()).result()


def test_threads_that_hang_are_limited() -> None:
    """Where too many abandoned calls hang on, no more are begun until one ends."""
    abandoned, free = set[object](), threading.Event()
    try:
        for _ in range(MAX_ABANDONED):
            with pytest.raises(errors.ModelTimeoutError):
                Call(lambda: free.wait(9), 0.001, 1, abandoned).result()
        with pytest.raises(errors.ModelUnavailableError, match="have not ended yet"):
            Call(lambda: True, 9, 1, abandoned)
    finally:
        free.set()
    ended = time.monotonic() + 2
    while abandoned and time.monotonic() < ended:
        time.sleep(0.01)
    assert Call(lambda: True, 9, 1, abandoned).result()
