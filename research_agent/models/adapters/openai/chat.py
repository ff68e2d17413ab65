"""A chat model behind any server that speaks OpenAI's protocol."""

import math
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Unpack, cast

from research_agent.errors import ModelReplyError
from research_agent.models.adapters.openai import connection
from research_agent.models.adapters.openai.failures import translated_errors
from research_agent.models.adapters.openai.replies import Reply, cut_off
from research_agent.models.adapters.openai.request import Options, request_options
from research_agent.models.server_capabilities import ServerCapabilities
from research_agent.ports import CallOptions
from research_agent.types import Completion, Message

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from httpx2 import AsyncClient
    from langchain_core.messages import AIMessageChunk
    from langchain_openai import ChatOpenAI

Sent = Sequence[tuple[str, str]]


class OpenAIChat:
    """A chat model; safe to share between threads.

    One call is one request. Only where a server refuses an option by name (log-probabilities, a
    schema, streaming, a temperature of 0, the older name of the token limit) the same is asked
    once more without it, and the option is not sent again.

    Free text is streamed, so that the time to the first word is known. A reply may be as large
    as `max_tokens` lets it be, and it is whole or an error.
    """

    def __init__(
        self, endpoint: connection.Endpoint, *, learned: ServerCapabilities | None = None
    ) -> None:
        """Ask the model at `endpoint`, of which `learned` is known; sends nothing yet."""
        self._endpoint = endpoint
        self._connection = connection.Connection(endpoint, self._build)
        self._learned = learned or ServerCapabilities()
        self._lock = Lock()

    @property
    def learned(self) -> ServerCapabilities:
        """What is known of the server by now, for a later `OpenAIChat` of the same model."""
        return self._learned

    def complete(
        self, role: str, messages: Sequence[Message], **asked: Unpack[CallOptions]
    ) -> Completion:
        """Return the whole reply within its seconds; raises ModelError.

        Tools are in OpenAI's form. At the deadline the request is given up and its connection
        ended.
        """
        until = time.monotonic() + asked.get("seconds", math.inf)
        sent = [(message.role, message.text) for message in messages]
        reply = self._connection.run(lambda client: self._ask(client, sent, asked), until=until)
        return reply.completion(role)

    def close(self) -> None:
        """Close the connections to the server, and end what is asked over them."""
        self._connection.close()

    async def _ask(self, client: "ChatOpenAI", sent: Sent, asked: CallOptions) -> Reply:
        """Send the request, without what the server is known to refuse."""
        import openai

        plain = False
        while True:
            options = request_options(
                asked,
                (*self._learned.refused, *(("stream",) if plain else ())),
                temperature=self._endpoint.temperature,
            )
            with translated_errors(self._endpoint):
                try:
                    reply = await _send(client, sent, options)
                except connection.NotStreamedError:
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
        with self._lock:
            refused = tuple(sorted({*self._learned.refused, name}))
            self._learned = replace(self._learned, refused=refused)

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
            stream_chunk_timeout=None,
            use_responses_api=False,
            openai_proxy=None,
            http_client=connection.unused_client(),
            http_async_client=http,
        )


async def _send(client: "ChatOpenAI", sent: Sent, options: Options) -> Reply:
    """Send one request and read its reply."""
    from langchain_core.messages import AIMessage

    connection.expect(max_bytes=options.max_bytes, streamed=options.streamed)
    messages, body, reply = list(sent), dict(options.body), Reply()
    if not options.streamed:
        given: dict[str, Any] = {"tools": list(options.tools)} if options.tools else {}
        # (Without `stream` a caller's callbacks would make it one.)
        message = await client.ainvoke(messages, stream=False, extra_body=body, **given)
        if not isinstance(message, AIMessage):
            raise ModelReplyError(
                "the model server's reply is not an assistant's message",
                hint="The server is not compatible: name another one in base_url.",
            )
        reply.take_whole(message)
        return reply
    stream = client.astream(messages, stream_usage=True, extra_body=body)
    chunks = cast("AsyncGenerator[AIMessageChunk, None]", stream)  # (it can be closed)
    async with aclosing(chunks):
        try:
            async for chunk in chunks:
                reply.take_chunk(chunk, options.max_tokens)
        except ValueError as error:
            # (A stream without any part; what broken JSON raises is a kind of ValueError.)
            if type(error) is not ValueError or reply.model or reply.pieces:
                raise
            raise cut_off() from error
    if reply.reason is None:
        raise cut_off()
    return reply
