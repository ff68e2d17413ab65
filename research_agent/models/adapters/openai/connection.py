"""The connection to one endpoint: a deadline and a size for every request.

The library's timeouts are for single reads: a reply that comes byte by byte never meets them. So
requests are tasks of an event loop on a thread of its own. Whoever asked waits until the deadline
and then cancels the task, which ends its connection: the server notices.
"""

import asyncio
import math
import os
import re
import ssl
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from threading import TIMEOUT_MAX, Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast
from urllib.parse import urlsplit

from research_agent.errors import ModelError, ModelReplyError
from research_agent.stopping import check, late, waking
from research_agent.text.loopback import is_loopback

if TYPE_CHECKING:
    from httpx2 import AsyncByteStream, AsyncClient, Client, Request, Response

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_SECONDS = 10.0
CLOSE_SECONDS = 1.0
ERROR_BYTES = 65_536
"""What is read of an error's body."""
REDIRECT = 300
"""From this status on a reply is no success."""
KIND = re.compile(r"[a-z0-9.+/-]{1,40}")

C = TypeVar("C")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model at a server."""

    model: str
    url: Callable[[], str]
    """Gives the server's address before each call: the embedded server may have moved."""
    where: str
    """What messages call the server: its address, or "the embedded model"."""
    api_key: str = field(repr=False)
    key_env: str = ""
    """The environment variable the key came from, for error messages; empty: there is no key."""
    timeout: float = 600.0
    """Seconds from a request to its reply's last byte, once the address is known."""
    embedded: bool = False
    """The server is a child of this process."""
    temperature: float = 0
    """How freely tokens are sampled; 0: the likeliest one always."""


class Connection(Generic[C]):
    """The client of an endpoint, made when it is needed and anew when the server moves.

    Safe to share between threads.
    """

    def __init__(self, endpoint: Endpoint, build: Callable[[str, "AsyncClient"], C]) -> None:
        """Make the client with `build`, from the server's address and what to send with."""
        self._endpoint, self._build = endpoint, build
        self._lock = Lock()
        self._made: tuple[str, C, AsyncClient] | None = None
        self._busy: set[Future[Any]] = set()

    def run(self, work: Callable[[C], Coroutine[Any, Any, R]], *, until: float = math.inf) -> R:
        """Return what `work` makes of the client, before `until` on the monotonic clock.

        The endpoint's own timeout holds too; it counts from when the server's address is known.
        Raises ModelTimeoutError, StoppedError, and ModelError where the environment lets no client
        be made or where the connection is closed meanwhile.
        """
        begun = time.monotonic()
        url = self._endpoint.url()
        until = min(until, time.monotonic() + self._endpoint.timeout)
        if until <= time.monotonic():
            raise late("the model server", max(0.0, until - begun))
        with self._lock:
            client = self._client(url)
            asked = asyncio.run_coroutine_threadsafe(work(client), _loop(os.getpid()))
            self._busy.add(asked)
        try:
            with waking(asked.cancel):
                return asked.result(min(until - time.monotonic(), TIMEOUT_MAX))
        except CancelledError:
            check()
            raise ModelError(
                "the connection to the model server was closed while it was asked",
                hint="Ask before the agent is closed.",
            ) from None
        except TimeoutError:
            if asked.done():  # (its own)
                raise
            raise late("the model server", max(0.0, until - begun)) from None
        finally:
            asked.cancel()
            self._busy.discard(asked)

    def close(self) -> None:
        """End the requests under way and the connections; a later call makes a new client."""
        with self._lock:
            made, self._made = self._made, None
            for asked in list(self._busy):
                asked.cancel()
        if made is not None:
            _close(made[2])

    def _client(self, url: str) -> C:
        if self._made is not None:
            if self._made[0] == url:
                return self._made[1]
            _close(self._made[2])
        http = self._http(url)
        client = self._build(url, http)
        self._made = (url, client, http)
        return client

    def _http(self, url: str) -> "AsyncClient":
        import httpx2
        import openai

        own = is_loopback(url)
        try:
            return openai.DefaultAsyncHttpxClient(
                event_hooks={"request": [_follow], "response": [_limit]},
                follow_redirects=False,  # (documents go where the settings say)
                headers={"Accept-Encoding": "identity"},
                timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
                trust_env=not own,
                verify=_own_certificates(url) if own else True,
            )
        except (ValueError, ImportError, OSError) as error:
            # (It repeats no value: a proxy's address may hold a password.)
            raise ModelError(
                f"no connection to {self._endpoint.where} can be prepared: the environment names "
                "a proxy or certificates that cannot be used",
                hint="Check the variables ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, SSL_CERT_FILE and "
                "SSL_CERT_DIR. A proxy is an http:// or https:// address (socks5:// needs the "
                "package socksio); NO_PROXY names hosts that are asked without one.",
            ) from error


@cache
def _loop(_process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of all requests of this process (a fork has no thread of its own)."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="requests", daemon=True).start()
    return loop


@cache
def unused_client() -> "Client":
    """Return a client that sends nothing: langchain-openai's own would read the environment."""
    import openai

    return openai.DefaultHttpxClient(trust_env=False, verify=_tls())


def _tls() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _own_certificates(url: str) -> ssl.SSLContext:
    """Of the environment only SSL_CERT_FILE and SSL_CERT_DIR hold for this machine's servers."""
    return _tls() if urlsplit(url).scheme == "http" else ssl.create_default_context()


def _close(http: "AsyncClient") -> None:
    closing = asyncio.run_coroutine_threadsafe(http.aclose(), _loop(os.getpid()))
    with suppress(TimeoutError):
        closing.result(CLOSE_SECONDS)


_MAX_BYTES: ContextVar[int] = ContextVar("max_reply_bytes")


def expect(*, max_bytes: int) -> None:
    """Say how large the next replies of this task may be."""
    _MAX_BYTES.set(max_bytes)


async def _follow(request: "Request") -> None:
    """Close the connection of a handshake that is cancelled: the library forgets it."""
    made: list[Any] = []

    async def trace(event: str, told: Mapping[str, Any]) -> None:
        if event.endswith(".connect_tcp.complete"):
            made.append(told["return_value"])
        elif event.endswith(".start_tls.failed"):
            for stream in made:
                await stream.aclose()

    request.extensions = {**request.extensions, "trace": trace}


async def _limit(response: "Response") -> None:
    """Refuse what cannot be a reply before its body is read, and limit the rest."""
    encoded = _header(response, "content-encoding") not in ("", "identity")
    if response.status_code >= REDIRECT:
        if encoded:
            del response.headers["content-encoding"]
        response.stream = _limited(response, 0 if encoded else ERROR_BYTES, fails=False)
        return
    kind = _header(response, "content-type")
    if encoded or not kind.endswith("json"):
        known = kind if KIND.fullmatch(kind) else "of no known type"
        raise ModelReplyError(
            f"the model server sent something that is no reply ({known}{', compressed' * encoded})",
            hint="Is base_url the address of a model server? (It mostly ends in /v1.)",
        )
    response.stream = _limited(response, _MAX_BYTES.get(), fails=True)


def _header(response: "Response", name: str) -> str:
    return str(response.headers.get(name, "")).partition(";")[0].strip().lower()


def _limited(response: "Response", limit: int, *, fails: bool) -> "AsyncByteStream":
    """Return a body of at most `limit` bytes; a longer or broken one `fails`, or ends there."""
    from httpx2 import AsyncByteStream, HTTPError

    body = cast("AsyncByteStream", response.stream)
    too_large = ModelReplyError(
        f"the model server's reply is too large (more than {limit // 1024} KB)",
        hint="Is the address that of a model server? (base_url) Where the reply was meant to be "
        "long, raise answer.max_tokens.",
    )

    class Limited(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            try:
                async for part in body:
                    read += len(part)
                    if read > limit:
                        raise too_large
                    yield part
            except (ModelReplyError, HTTPError, OSError):
                if fails:
                    raise

        async def aclose(self) -> None:
            await body.aclose()

    return Limited()
