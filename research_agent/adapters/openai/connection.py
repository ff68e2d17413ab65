"""A model at a server, and the one client that talks to it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from openai import DefaultHttpxClient

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


class Connection(Generic[C]):
    """One client to an endpoint, made when it is first needed and anew when the server moves.

    Safe to share between threads.
    """

    def __init__(self, endpoint: Endpoint, build: Callable[[str, "DefaultHttpxClient"], C]) -> None:
        """Make clients with `build`, from the server's address and the HTTP client to use."""
        self._endpoint = endpoint
        self._build = build
        self._lock = Lock()
        self._url = ""
        self._client: C | None = None
        self._http: DefaultHttpxClient | None = None

    def client(self) -> C:
        """Return the client."""
        url = self._endpoint.url()
        with self._lock:
            if self._client is None or url != self._url:
                self._drop()
                self._http = _http_client(url, self._endpoint.timeout)
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


def _http_client(url: str, seconds: float) -> "DefaultHttpxClient":
    """Return a client that follows no redirects: documents go where the settings say.

    To this machine's own servers it goes past every proxy that the environment names.
    """
    import openai

    limit = openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
    return openai.DefaultHttpxClient(
        timeout=limit, follow_redirects=False, trust_env=not is_loopback(url)
    )
