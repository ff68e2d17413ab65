"""A model at a server, and the one client that talks to it."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address
from threading import Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

from research_agent.errors import ModelError

if TYPE_CHECKING:
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

OPENAI_URL = "https://api.openai.com/v1"

CONNECT_SECONDS = 10.0

C = TypeVar("C")


def is_loopback(url: str) -> bool:
    """Return whether `url` is on this machine.

    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("https://example.org/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
    """The environment variable the key came from, for error messages."""
    timeout: float = 600.0
    """Seconds a request may take."""
    embedded: bool = False
    """The server is a child of this process."""

    @property
    def unavailable_hint(self) -> str:
        """Return what to do when the server does not answer."""
        if self.embedded:
            return "Ask again: the embedded model's server is started anew."
        return f"Is the server at {self.where} up? (base_url)"


@dataclass(frozen=True, slots=True)
class HttpClients:
    """The two HTTP clients that langchain-openai wants; only the first one is used.

    The second stands in for the library's own, which would follow the environment's proxies even
    to this machine's servers.
    """

    blocking: "DefaultHttpxClient"
    awaiting: "DefaultAsyncHttpxClient"

    def close(self) -> None:
        """Close both; a running event loop of the caller's is left alone."""
        self.blocking.close()
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # (no loop runs; at the program's end no thread can be started)
            self._close_awaiting()
            return
        closing = Thread(target=self._close_awaiting)
        closing.start()
        closing.join()

    def _close_awaiting(self) -> None:
        asyncio.run(self.awaiting.aclose())


class Connection(Generic[C]):
    """One client to an endpoint, made when it is first needed and anew when the server moves.

    Safe to share between threads.
    """

    def __init__(self, endpoint: Endpoint, build: Callable[[str, HttpClients], C]) -> None:
        """Make clients with `build`, from the server's address and the HTTP clients to use."""
        self._endpoint = endpoint
        self._build = build
        self._lock = Lock()
        self._url = ""
        self._client: C | None = None
        self._http: HttpClients | None = None

    def client(self) -> C:
        """Return the client; raises ModelError where the environment does not let one be made."""
        url = self._endpoint.url()
        with self._lock:
            if self._client is None or url != self._url:
                self._drop()
                with _environment_errors(self._endpoint):
                    self._http = _http_clients(url, self._endpoint.timeout)
                    self._client, self._url = self._build(url, self._http), url
            return self._client

    def close(self) -> None:
        """Close the client's connections; a later call makes a new client."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._http is not None:
            self._http.close()
        self._http, self._client = None, None


def _http_clients(url: str, seconds: float) -> HttpClients:
    """Return clients that follow no redirects: documents go where the settings say.

    To this machine's own servers they go past every proxy that the environment names.
    """
    import openai

    limit = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    trust = not is_loopback(url)
    return HttpClients(
        openai.DefaultHttpxClient(timeout=limit, follow_redirects=False, trust_env=trust),
        openai.DefaultAsyncHttpxClient(timeout=limit, follow_redirects=False, trust_env=trust),
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
