"""A chat model behind any server that speaks OpenAI's protocol."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Any

from research_agent.adapters.openai.connection import (
    OPENAI_URL,
    Connection,
    Endpoint,
    HttpClients,
)
from research_agent.adapters.openai.failures import refused_option, translated_errors
from research_agent.adapters.openai.replies import completion
from research_agent.core.types import Completion, Message
from research_agent.errors import ModelReplyError
from research_agent.ports import JsonSchema, ToolSpec

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from langchain_openai import ChatOpenAI

TOP_LOGPROBS = 5


class OpenAIChat:
    """A chat model; safe to share between threads.

    One call is one request. Only where a server refuses an option by name (log-probabilities, a
    schema, a temperature of 0, the older name of the token limit) the same is asked once more
    without it, and the option is not sent again.

    The embedded server answers one request at a time. Requests to it wait here for their turn, so
    that the time they may take counts from when the server turns to them.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Ask the model at `endpoint`; nothing is sent before the first call."""
        self._endpoint = endpoint
        self._connection = Connection(endpoint, self._build)
        self._refused: set[str] = set()
        self._turn: AbstractContextManager[object] = Lock() if endpoint.embedded else nullcontext()

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
    ) -> Completion:
        """Return the reply; raises ModelError.

        `tools` are in OpenAI's form. Log-probabilities are asked for where neither `tools` nor
        `schema` is given.
        """
        wanted: dict[str, object] = {"temperature": 0, "max_tokens": max_tokens}
        if schema is not None:
            shape = {"name": "reply", "strict": True, "schema": dict(schema)}
            wanted["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif not tools:
            wanted["logprobs"] = True
        with self._turn:
            client = self._connection.client()
            with translated_errors(self._endpoint):
                reply = self._ask(client, messages, wanted, tools)
        return completion(role, reply)

    def close(self) -> None:
        """Close the connections to the server."""
        self._connection.close()

    def _ask(
        self,
        client: "ChatOpenAI",
        messages: Sequence[Message],
        wanted: dict[str, object],
        tools: Sequence[ToolSpec],
    ) -> "AIMessage":
        """Send the request, without what the server is known to refuse."""
        import openai
        from langchain_core.messages import AIMessage

        offered: dict[str, Any] = {"tools": [dict(tool) for tool in tools]} if tools else {}
        sent = [(message.role, message.text) for message in messages]
        while True:
            known = frozenset(self._refused)  # (another thread may add to it meanwhile)
            body = _body(wanted, known)
            try:
                reply = client.bind(extra_body=body, **offered).invoke(sent)
            except openai.APIStatusError as error:
                refused = refused_option(error, set(wanted) - known)
                if not refused:
                    raise
                self._refused.add(refused)
                continue
            if not isinstance(reply, AIMessage):
                raise ModelReplyError("the model server's reply is not an assistant's message")
            return reply

    def _build(self, url: str, http: HttpClients) -> "ChatOpenAI":
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        if url == OPENAI_URL:
            self._refused.add("max_tokens")
        return ChatOpenAI(
            model=self._endpoint.model,
            base_url=url,
            api_key=SecretStr(self._endpoint.api_key),
            timeout=http.blocking.timeout,
            max_retries=0,
            use_responses_api=False,
            disable_streaming=True,
            openai_proxy=None,
            http_client=http.blocking,
            http_async_client=http.awaiting,
        )


def _body(wanted: dict[str, object], refused: Collection[str]) -> dict[str, object]:
    """Return the options of a request as they are sent.

    All of them go beside langchain-openai's own parameters: it would rename the token limit, and
    hand a schema to a parser that fails where a reply is cut at its limit.

    >>> _body({"max_tokens": 9, "logprobs": True}, set())
    {'max_tokens': 9, 'logprobs': True, 'top_logprobs': 5}
    >>> _body({"max_tokens": 9, "logprobs": True}, {"max_tokens", "logprobs"})
    {'max_completion_tokens': 9}
    """
    body = {name: value for name, value in wanted.items() if name not in refused}
    if "logprobs" in body:
        body["top_logprobs"] = TOP_LOGPROBS
    if "max_tokens" in refused:
        body["max_completion_tokens"] = wanted["max_tokens"]
    return body
