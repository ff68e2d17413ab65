"""Who is let in to an HTTP server, and what one client can take from the others."""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import anyio
from typing_extensions import TypedDict
from uvicorn.protocols.http.h11_impl import H11Protocol

from research_agent.errors import ToolInputError

CONNECTIONS = 64
"""Open at a time; one more is closed at once."""
REQUEST_SECONDS = 10.0
"""Time for the head of a request, and for its body."""
BODY_BYTES = 1_000_000
"""Of a request."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Headers = Mapping[bytes, bytes]


class Told(TypedDict):
    """What went wrong."""

    message: str
    type: str
    hint: str


class Problem(TypedDict):
    """The body of every error."""

    error: Told


def problem(message: str, kind: str, hint: str = "") -> Problem:
    """Return the body of an error."""
    return {"error": {"message": message, "type": kind, "hint": hint}}


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 for so many connections, closed where a request's head takes too long."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # (as the library's)
        """Begin to wait for a head, or close a connection too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what has come; a head that is not whole yet has so long."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        if self._late:
            self._late.cancel()

    def _wait(self) -> None:
        if not self._late and self._is_silent():
            self._late = self.loop.call_later(REQUEST_SECONDS, self._end)

    def _end(self) -> None:
        self._late = None
        if self._is_silent():
            self.transport.close()

    def _is_silent(self) -> bool:
        return self.cycle is None or self.cycle.response_complete


def with_bounded_bodies(app: App) -> App:
    """Return `app` for requests whose body is short, and comes soon."""

    async def bounded(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        body, more = bytearray(), True
        with anyio.move_on_after(REQUEST_SECONDS) as time:
            while more and len(body) <= BODY_BYTES:
                message = await receive()
                if message["type"] != "http.request":
                    return
                body += message.get("body", b"")
                more = message.get("more_body", False)
        if time.cancelled_caught or len(body) > BODY_BYTES:
            late, status = time.cancelled_caught, 408 if time.cancelled_caught else 413
            why = "the body came too late" if late else f"the body is over {BODY_BYTES:,} bytes"
            told = problem(why, "refused")
            await refuse(send, status, (b"connection", b"close"), values=told)
            return
        whole: list[Message] = [{"type": "http.request", "body": bytes(body)}]

        async def again() -> Message:
            return whole.pop() if whole else await receive()

        await app(scope, again, send)

    return bounded


def with_token(app: App, token: str) -> App:
    """Return `app` for those alone who send the token."""

    async def checked(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or sends(dict(scope.get("headers", ())), token):
            await app(scope, receive, send)
            return
        await refuse(send, 401, (b"www-authenticate", b"Bearer"))

    return checked


def sends(headers: Headers, token: str) -> bool:
    """Return whether a request has the token."""
    sent = headers.get(b"authorization", b"")
    return hmac.compare_digest(sent, f"Bearer {token}".encode())


def with_headers(send: Send, added: Mapping[str, str]) -> Send:
    """Return `send` for answers that have `added` headers too."""
    more = [(name.encode(), text.encode()) for name, text in added.items()]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *more]
        await send(message)

    return sending


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object that a body is; raises ToolInputError for what is none."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ToolInputError(f"the request is no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ToolInputError("the request is no JSON object")
    return values


async def refuse(
    send: Send, status: int, *headers: tuple[bytes, bytes], values: object = None
) -> None:
    """Answer with a status and `values` as JSON; with a status alone it also closes."""
    body = b"" if values is None else json.dumps(values).encode()
    more = (b"connection", b"close") if values is None else (b"content-type", b"application/json")
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": status, "headers": [*headers, length, more]}
    await send(start)
    await send({"type": "http.response.body", "body": body})
