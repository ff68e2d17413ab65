"""The clients that talk to one endpoint, each with at most one request in flight."""

import asyncio
import math
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

from research_agent.errors import ModelError, ModelTimeoutError
from research_agent.models.adapters.openai.endpoint import Endpoint
from research_agent.models.adapters.openai.request import Line, Request
from research_agent.models.adapters.openai.watch import Watch
from research_agent.stopping import check, waking
from research_agent.text.loopback import is_loopback

if TYPE_CHECKING:
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

C = TypeVar("C")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class HttpClients:
    """The two HTTP clients that langchain-openai wants; only the first one is used.

    The second stands in for the library's own, which would follow the environment's proxies even
    to this machine's servers. All clients to an endpoint share it.
    """

    blocking: "DefaultHttpxClient"
    awaiting: "DefaultAsyncHttpxClient"


class Connection(Generic[C]):
    """The clients to an endpoint, made when they are needed and anew when the server moves.

    Safe to share between threads.
    """

    def __init__(self, endpoint: Endpoint, build: Callable[[str, HttpClients], C]) -> None:
        """Make clients with `build`, from the server's address and the HTTP clients to use."""
        self._endpoint = endpoint
        self._build = build
        self._lock = Lock()
        self._idle: list[Line[C]] = []
        self._busy: set[Request[C, Any]] = set()
        self._awaiting: DefaultAsyncHttpxClient | None = None
        self._closings = 0

    def run(self, work: Callable[[C, Watch], R], *, until: float = math.inf) -> R:
        """Return what `work` makes of a client, before `until` on the monotonic clock.

        The endpoint's own timeout holds too; it counts from when the server's address is known.
        Raises ModelTimeoutError, StoppedError, and ModelError where the environment lets no client
        be made or where the connection is closed meanwhile. A client whose work failed is not used
        again.
        """
        begun, closings = time.monotonic(), self._closings
        url = self._endpoint.url()
        until = min(until, time.monotonic() + self._endpoint.timeout)
        if until <= time.monotonic():
            raise late(until - begun)
        request = Request(self._take(url), work)
        request.line.watch.begin(until)
        with self._lock:
            self._busy.add(request)
        try:
            if closings == self._closings:
                request.start()
                with waking(request.leave):
                    request.wait(until - time.monotonic())
        except BaseException:
            if not request.leave():
                request.line.close()
            raise
        finally:
            with self._lock:
                self._busy.discard(request)
        if request.leave():
            check()
            raise late(until - begun) if closings == self._closings else _closed()
        return self._settle(request, closings)

    def _settle(self, request: Request[C, R], closings: int) -> R:
        """Return what the work gave, and keep its client where it can be used again."""
        try:
            value = request.result()
        except BaseException:
            request.line.close()
            raise
        request.line.watch.settle()
        with self._lock:
            kept = closings == self._closings
            if kept:
                self._idle.append(request.line)
        if not kept:
            request.line.close()
        return value

    def close(self) -> None:
        """Close the connections and end the requests under way; a later call makes a new client."""
        with self._lock:
            self._closings += 1
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            awaiting, self._awaiting = self._awaiting, None
        for line in idle:
            line.close()
        for request in busy:
            request.leave()
        if awaiting is not None:
            _close_awaiting(awaiting)

    def _take(self, url: str) -> Line[C]:
        """Return a client that waits for work, or a new one; close those to other addresses."""
        with self._lock:
            elsewhere = [line for line in self._idle if line.url != url]
            self._idle = [line for line in self._idle if line.url == url]
            line = self._idle.pop() if self._idle else None
        for old in elsewhere:
            old.close()
        return line or self._new_line(url)

    def _new_line(self, url: str) -> Line[C]:
        import openai

        watch = Watch()
        hooks: dict[str, list[Callable[..., Any]]] = {
            "request": [watch.on_request],
            "response": [watch.on_response],
        }
        with _environment_errors(self._endpoint):
            http = openai.DefaultHttpxClient(
                event_hooks=hooks,
                follow_redirects=False,  # (documents go where the settings say)
                trust_env=not is_loopback(url),
                verify=_certificates(url),
            )
            with self._lock:
                self._awaiting = self._awaiting or openai.DefaultAsyncHttpxClient(
                    trust_env=False, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                )
                clients = HttpClients(http, self._awaiting)
            return Line(self._build(url, clients), http, watch, url)


def _certificates(url: str) -> ssl.SSLContext | bool:
    """Return what a server's certificate is checked against; True: what httpx takes.

    To this machine's servers nothing of the environment holds but SSL_CERT_FILE and SSL_CERT_DIR.
    """
    if not is_loopback(url):
        return True
    plain = urlsplit(url).scheme == "http"
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else ssl.create_default_context()


def _close_awaiting(client: "DefaultAsyncHttpxClient") -> None:
    """Close it; a running event loop of the caller's is left alone."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # (no loop runs; at the program's end no thread can be started)
        asyncio.run(client.aclose())
        return
    closing = Thread(target=lambda: asyncio.run(client.aclose()))
    closing.start()
    closing.join()


def late(seconds: float) -> ModelTimeoutError:
    """Return the error for a reply that did not come within `seconds`."""
    return ModelTimeoutError(
        f"the model server gave no whole reply in time ({max(0.0, seconds):.3g} s)",
        hint="Raise models.timeout or budget.seconds, or ask for less (evidence.max_tokens, "
        "answer.max_tokens).",
    )


def _closed() -> ModelError:
    return ModelError(
        "the connection to the model server was closed while it was asked",
        hint="Ask before the agent is closed.",
    )


@contextmanager
def _environment_errors(endpoint: Endpoint) -> Iterator[None]:
    """Turn what the libraries raise about proxies and certificates into an error of ours.

    It repeats no value: a proxy's address may hold a password.
    """
    try:
        yield
    except (ValueError, ImportError, OSError) as error:
        raise ModelError(
            f"no connection to {endpoint.where} can be prepared: the environment names a proxy or "
            "certificates that cannot be used",
            hint="Check the variables ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, SSL_CERT_FILE and "
            "SSL_CERT_DIR. A proxy is an http:// or https:// address (socks5:// needs the package "
            "socksio); NO_PROXY names hosts that are asked without one.",
        ) from error
