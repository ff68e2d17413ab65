"""A chat model behind any server that speaks OpenAI's protocol."""

import json
import math
import re
import time
from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack

from research_agent.errors import ModelReplyError
from research_agent.models.adapters.openai import connection
from research_agent.models.adapters.openai.failures import is_overflow, text_of, translated_errors
from research_agent.models.logprobs import entries_under, read_tokens
from research_agent.models.replies import ENDS, INNER, call_cost, without_thoughts
from research_agent.ports import CallOptions
from research_agent.types import Completion, Message, WrittenCall

if TYPE_CHECKING:
    import openai
    from httpx2 import AsyncClient
    from langchain_core.messages import BaseMessage
    from langchain_openai import ChatOpenAI

TOP_LOGPROBS = 5
"""Likeliest tokens asked for at each place of a free text."""
REFUSING = (400, 403, 422, 501)
WORDS: Mapping[str, re.Pattern[str]] = {
    "logprobs": re.compile(r"logprobs"),
    "response_format": re.compile(r"response_format|json_schema|json schema"),
    "max_tokens": re.compile(r"max_tokens"),
    "temperature": re.compile(r"temperature"),
}
"""What a request can do without, and the words a server names it by when it refuses."""
REPLY_BYTES, TOKEN_BYTES = 65_536, 256 * (TOP_LOGPROBS + 4)
"""How large a reply may be, and how much larger for each token, with its alternatives."""


class OpenAIChat:
    """A chat model; safe to share between threads.

    One call is one request. Only where a server refuses an option by name (log-probabilities, a
    schema, a temperature of 0, the older name of the token limit) the same is asked once more
    without it, and the option is not sent again. A reply is whole or an error.
    """

    def __init__(self, endpoint: connection.Endpoint, *, refused: Collection[str] = ()) -> None:
        """Ask the model at `endpoint`, without the options that it is known to have `refused`."""
        self._endpoint = endpoint
        self._connection = connection.Connection(endpoint, self._build)
        self.refused = tuple(sorted(refused))
        """Options that the server refuses, by name."""
        self._lock = Lock()

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the whole reply within its seconds; raises ModelError.

        Tools are in OpenAI's form. At the deadline the request is given up and its connection
        ended.
        """
        until = time.monotonic() + asked.get("seconds", math.inf)
        sent = [(message.role, message.text) for message in messages]
        return self._connection.run(
            lambda client: self._ask(client, role, sent, asked), until=until
        )

    def close(self) -> None:
        """Close the connections to the server, and end what is asked over them."""
        self._connection.close()

    async def _ask(
        self, client: "ChatOpenAI", role: str, sent: Sequence[tuple[str, str]], asked: CallOptions
    ) -> Completion:
        """Send the request, without what the server is known to refuse."""
        import openai

        tools = [dict(tool) for tool in asked.get("tools", ())]
        given: dict[str, Any] = {"tools": tools} if tools else {}
        connection.expect(max_bytes=REPLY_BYTES + asked["max_tokens"] * TOKEN_BYTES)
        while True:
            body = self._body(asked)
            with translated_errors(self._endpoint):
                try:
                    # (Without `stream` a caller's callbacks would make it one.)
                    reply = await client.ainvoke(
                        list(sent), {"tags": [INNER]}, stream=False, extra_body=body, **given
                    )
                except openai.APIStatusError as error:
                    name = _refused(error, body)
                    if not name:
                        raise
                    self._refuse(name)
                    continue
            return _completion(role, reply)

    def _body(self, asked: CallOptions) -> dict[str, object]:
        """Return what goes beside langchain-openai's own parameters.

        It would rename the token limit, and hand a schema to a parser that fails where a reply is
        cut at its limit. Log-probabilities are asked for in free text.
        """
        schema, limit = asked.get("schema"), asked["max_tokens"]
        body: dict[str, object] = {"temperature": self._endpoint.temperature, "max_tokens": limit}
        if schema is not None:
            shape = {"name": "reply", "strict": True, "schema": dict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif not asked.get("tools"):
            body["logprobs"] = True
        refused = self.refused
        body = {name: value for name, value in body.items() if name not in refused}
        if "logprobs" in body:
            body["top_logprobs"] = TOP_LOGPROBS
        if "max_tokens" in refused:
            body["max_completion_tokens"] = limit
        return body

    def _refuse(self, name: str) -> None:
        with self._lock:
            self.refused = tuple(sorted({*self.refused, name}))

    def _build(self, url: str, http: "AsyncClient") -> "ChatOpenAI":
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        if url == connection.OPENAI_URL:
            self._refuse("max_tokens")
        return ChatOpenAI(
            model=self._endpoint.model,
            base_url=url,
            api_key=SecretStr(self._endpoint.api_key),
            max_retries=0,
            timeout=http.timeout,
            use_responses_api=False,
            openai_proxy=None,
            http_client=connection.unused_client(),
            http_async_client=http,
        )


def _refused(error: "openai.APIStatusError", body: Mapping[str, object]) -> str:
    """Return which of the options the server refuses by name; empty where it is none."""
    if error.status_code not in REFUSING or is_overflow(error):
        return ""
    text = text_of(error)
    return next((name for name, words in WORDS.items() if name in body and words.search(text)), "")


def _completion(role: str, reply: "BaseMessage") -> Completion:
    """Return the reply as a value; raises ModelReplyError where the server broke it off.

    Whether an empty text is of use is for the caller to say.
    """
    from langchain_core.messages import AIMessage

    if not isinstance(reply, AIMessage):
        raise ModelReplyError(
            "the model server's reply is not an assistant's message",
            hint="The server is not compatible: name another one in base_url.",
        )
    metadata, text = reply.response_metadata, str(reply.text)
    ended = metadata.get("finish_reason")
    reason = ENDS.get(str(ended))
    if reason is None:
        filtered = ended == "content_filter"
        raise ModelReplyError(
            "the model server broke its reply off" + (" (content_filter)" * filtered),
            hint="Ask in other words: a filter of the server's forbade the reply."
            if filtered
            else "Ask again; where it happens each time, the server is not compatible.",
        )
    calls = [WrittenCall(call["name"], json.dumps(call["args"])) for call in reply.tool_calls]
    # (Arguments that are no JSON, as they were written.)
    calls += [WrittenCall(c["name"] or "", c["args"] or "") for c in reply.invalid_tool_calls]
    tokens = read_tokens(entries_under(metadata.get("logprobs"), "content"), text)
    cost = call_cost(role, reply.usage_metadata, model=str(metadata.get("model_name") or ""))
    text, tokens = without_thoughts(text or "".join(t.text for t in tokens), tokens, reason)
    return Completion(text, cost, tuple(calls), tokens, reason)
