"""A chat model behind any server that speaks OpenAI's protocol."""

import math
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from threading import TIMEOUT_MAX, Lock
from typing import TYPE_CHECKING, cast

from research_agent.errors import ModelReplyError
from research_agent.models.adapters.openai.connection import Connection, HttpClients, late
from research_agent.models.adapters.openai.endpoint import OPENAI_URL, Endpoint
from research_agent.models.adapters.openai.failures import translated_errors
from research_agent.models.adapters.openai.options import Options, Wanted
from research_agent.models.adapters.openai.replies import (
    Reply,
    completion,
    streamed_reply,
    whole_reply,
)
from research_agent.models.adapters.openai.watch import NotStreamedError, Watch
from research_agent.models.server_capabilities import Learned
from research_agent.ports import JsonSchema, ToolSpec
from research_agent.types import Completion, Message

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk
    from langchain_openai import ChatOpenAI

Sent = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Client:
    """langchain-openai's model, once for each way to get a reply; both send through one client.

    The plain one streams in no case, not even where a caller's callbacks would like it to.
    """

    plain: "ChatOpenAI"
    streaming: "ChatOpenAI"


class OpenAIChat:
    """A chat model; safe to share between threads.

    One call is one request. Only where a server refuses an option by name (log-probabilities, a
    schema, streaming, a temperature of 0, the older name of the token limit) the same is asked
    once more without it, and the option is not sent again.

    Free text is streamed, so that the time to the first word is known. A reply may be as large
    as `max_tokens` lets it be, and it is whole or an error.

    The embedded server answers one request at a time. Requests to it wait here for their turn;
    the endpoint's timeout counts from when the server turns to them.
    """

    def __init__(self, endpoint: Endpoint, *, learned: Learned | None = None) -> None:
        """Ask the model at `endpoint`, of which `learned` is known; sends nothing yet."""
        self._endpoint = endpoint
        self._connection = Connection(endpoint, self._build)
        self._learned = learned or Learned()
        self._lock = Lock()
        self._turn = Lock()

    @property
    def learned(self) -> Learned:
        """What is known of the server by now, for a later `OpenAIChat` of the same model."""
        return self._learned

    def complete(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[ToolSpec] = (),
        schema: JsonSchema | None = None,
        seconds: float = math.inf,
    ) -> Completion:
        """Return the whole reply within `seconds`; raises ModelError.

        `tools` are in OpenAI's form. Log-probabilities are asked for where neither `tools` nor
        `schema` is given. At the deadline the request is given up and its connection ended, so
        that the server notices.
        """
        until = time.monotonic() + seconds
        wanted = Wanted(
            max_tokens=max_tokens,
            tools=tuple(tools),
            schema=schema,
            top_logprobs=self._endpoint.top_logprobs,
            temperature=self._endpoint.temperature,
        )
        sent = [(message.role, message.text) for message in messages]
        with self._in_turn(seconds):
            reply = self._connection.run(
                lambda client, watch: self._ask(client, watch, sent, wanted), until=until
            )
        return completion(role, reply)

    def close(self) -> None:
        """Close the connections to the server, and end what is asked over them."""
        self._connection.close()

    @contextmanager
    def _in_turn(self, seconds: float) -> Iterator[None]:
        """Wait for the embedded server; raises ModelTimeoutError."""
        if not self._endpoint.embedded:
            yield
            return
        if not self._turn.acquire(timeout=min(max(0.0, seconds), TIMEOUT_MAX)):
            raise late(seconds)
        try:
            yield
        finally:
            self._turn.release()

    def _ask(self, client: Client, watch: Watch, sent: Sent, wanted: Wanted) -> Reply:
        """Send the request, without what the server is known to refuse."""
        import openai

        plain = False
        while True:
            refused = self._learned.refused
            options = wanted.options((*refused, "stream") if plain else refused)
            with translated_errors(self._endpoint):
                try:
                    reply = _send(client, watch, sent, options)
                except NotStreamedError:
                    plain = True
                    continue
                except openai.APIStatusError as error:
                    name = options.refused(error)
                    if not name:
                        raise
                    self._refuse(name)
                    continue
            if plain or (options.streamed and reply.usage is None):
                self._refuse("stream")  # (without its counts a reply cannot be charged)
            return reply

    def _refuse(self, name: str) -> None:
        """Remember that the server refuses an option."""
        with self._lock:
            known = self._learned
            refused = tuple(sorted({*known.refused, name}))
            self._learned = replace(known, refused=refused)

    def _build(self, url: str, http: HttpClients) -> Client:
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        if url == OPENAI_URL:
            self._refuse("max_tokens")
        streaming = ChatOpenAI(
            model=self._endpoint.model,
            base_url=url,
            api_key=SecretStr(self._endpoint.api_key),
            max_retries=0,
            use_responses_api=False,
            openai_proxy=None,
            http_client=http.blocking,
            http_async_client=http.awaiting,
        )
        return Client(streaming.model_copy(update={"disable_streaming": True}), streaming)


def _send(client: Client, watch: Watch, sent: Sent, options: Options) -> Reply:
    """Send one request and read its reply."""
    from langchain_core.messages import AIMessage

    watch.expect(max_bytes=options.max_bytes, streamed=options.streamed)
    begun = time.monotonic()
    messages, body = list(sent), dict(options.body)
    if options.streamed:
        stream = client.streaming.stream(messages, stream_usage=True, extra_body=body)
        chunks = cast("Generator[AIMessageChunk, None, None]", stream)  # (it can be closed)
        with closing(chunks):
            return streamed_reply(chunks, begun, max_tokens=options.max_tokens)
    tools = {"tools": list(options.tools)} if options.tools else {}
    message = client.plain.bind(extra_body=body, **tools).invoke(messages)
    if not isinstance(message, AIMessage):
        raise ModelReplyError(
            "the model server's reply is not an assistant's message",
            hint="The server is not compatible: name another one in base_url.",
        )
    return whole_reply(message, begun)
