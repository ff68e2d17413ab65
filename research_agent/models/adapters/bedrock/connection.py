"""A model of Amazon Bedrock, and the one client that talks to it.

botocore's own limits are for each read of a socket: a reply that comes byte by byte never meets
them. Here every call runs on a thread of its own, which the caller waits for until the deadline
and no longer. What the thread still does then is ended: its socket's timeout is what was left of
the deadline, and a reply whose body is being read has its connection shut down.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from http.client import HTTPConnection
from io import BytesIO
from socket import IPPROTO_TCP, SHUT_RDWR, TCP_NODELAY, socket
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from research_agent import errors
from research_agent.models.adapters.bedrock.failures import translated_errors
from research_agent.stopping import begun, late, result_within
from research_agent.text.loopback import is_loopback

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest, AWSResponse
    from botocore.client import BaseClient
    from urllib3.response import BaseHTTPResponse

CONNECT_SECONDS = 10.0
MAX_ABANDONED = 16
READ_BYTES = 2**16
SERVER = "the model server"
ASKING_SERVERS = (
    "assume-role",
    "assume-role-with-web-identity",
    "sso",
    "login",
    "container-role",
    "iam-role",
)
"""Where botocore finds credentials by asking a server for them."""

C = TypeVar("C")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class BedrockEndpoint:
    """A model in a region. Credentials are those that AWS's tools find."""

    model: str
    """A model's id, an inference profile's, or the ARN of either."""
    region: str
    url: str = ""
    """The address of a VPC's endpoint, or of a server on this machine; empty: Amazon's own."""
    offline: bool = False
    """Credentials are not fetched from a server."""
    timeout: float = 600.0
    """Seconds a call may take at most."""
    temperature: float = 0.0
    """How freely tokens are sampled; 0: the likeliest one always."""

    @property
    def where(self) -> str:
        """Return what messages call the server."""
        return self.url or f"Amazon Bedrock in {self.region}"


def profile_region() -> str:
    """Return the region of the AWS profile in use, empty where there is none; sends nothing.

    Raises ConfigError where AWS_PROFILE names no profile, or AWS's files cannot be read.
    """
    from botocore.exceptions import BotoCoreError
    from botocore.session import get_session

    try:
        return str(get_session().get_config_variable("region") or "")
    except BotoCoreError as error:
        raise errors.ConfigError(
            f"AWS's configuration cannot be used ({type(error).__name__})",
            hint="Check AWS_PROFILE, and the files ~/.aws/config and ~/.aws/credentials.",
        ) from error


class Connection(Generic[C]):
    """One client to an endpoint, made at the first call; safe to share between threads."""

    def __init__(
        self, endpoint: BedrockEndpoint, build: Callable[["BaseClient"], C], *, max_bytes: int
    ) -> None:
        """Make langchain-aws's client with `build`, from botocore's; replies have a size limit."""
        self._endpoint, self._build, self._max_bytes = endpoint, build, max_bytes
        self._lock = Lock()
        self._made: tuple[C, Callable[[], None]] | None = None
        self._abandoned: set[object] = set()

    def begin(self, ask: Callable[[C], T], seconds: float) -> "Call[T]":
        """Begin a call; its `result` raises ModelError."""
        import langchain_aws  # noqa: F401 (takes a second, which is not the call's)

        allowed = min(seconds, self._endpoint.timeout)
        return Call(lambda: self._asked(ask), allowed, self._max_bytes, self._abandoned)

    def close(self) -> None:
        """Close the client's connections; a later call makes a new client."""
        with self._lock:
            if self._made is not None:
                self._made[1]()
            self._made = None

    def _asked(self, ask: Callable[[C], T]) -> T:
        try:
            with translated_errors(self._endpoint.model, self._endpoint.where):
                with self._lock:
                    if self._made is None:
                        client, close = _client(self._endpoint)
                        self._made = (self._build(client), close)
                    made = self._made[0]
                return ask(made)
        except errors.ModelAccessError:
            self.close()  # The next call looks for credentials again: the user may have signed in.
            raise


class Call(Generic[T]):
    """A call that was begun, on a thread that does not keep the program from ending.

    A thread may outlive its call, for instance while an address is looked up. Where
    `MAX_ABANDONED` do, no further call is begun.
    """

    def __init__(
        self, work: Callable[[], T], seconds: float, max_bytes: int, abandoned: set[object]
    ) -> None:
        """Let `work` take `seconds` from now; raises ModelUnavailableError."""
        if len(abandoned) >= MAX_ABANDONED:
            raise errors.ModelUnavailableError(
                f"{MAX_ABANDONED} earlier requests that ran out of time have not ended yet",
                hint="Wait a little, or start the program again.",
            )
        self._seconds, self._max_bytes, self._abandoned = seconds, max_bytes, abandoned
        self._end = monotonic() + seconds
        self._reading: BaseHTTPResponse | None = None
        context = copy_context()
        context.run(_CURRENT.set, self)
        self._future = context.run(begun, work)

    def result(self) -> T:
        """Return what the call returns, or raise what it raises.

        Raises ModelTimeoutError at the deadline, and StoppedError where the question is stopped.
        """
        try:
            return result_within(self._future, self._end - monotonic(), SERVER)
        except errors.ModelTimeoutError:
            if self._future.done():  # (its own)
                raise
            raise late(SERVER, self._seconds) from None
        finally:
            if not self._future.done():
                self._abandoned.add(self._future)
                self._future.add_done_callback(self._abandoned.discard)
                self._drop()  # (which ends the call, with an error of its own)

    def left(self) -> float:
        """Return the seconds that are left; raises ModelTimeoutError where none are."""
        left = self._end - monotonic()
        if left <= 0:
            raise late(SERVER, self._seconds)
        return left

    def read(self, reply: "BaseHTTPResponse") -> bytes:
        """Return the reply's body; raises ModelError where it is too late, too large or cut off.

        The connection of a body that is not read to its end is closed.
        """
        self._reading = reply
        try:
            return self._body(reply)
        except BaseException:
            reply.close()
            raise
        finally:
            self._reading = None

    def _body(self, reply: "BaseHTTPResponse") -> bytes:
        body = b""
        while part := reply.read1(READ_BYTES):
            self.left()
            body += part
            if len(body) > self._max_bytes:
                raise errors.ModelReplyError(
                    f"the model server's reply is larger than {self._max_bytes / 2**20:g} MB",
                    hint="Is base_url right? It is mostly left empty.",
                )
        self.left()
        announced = reply.headers.get("Content-Length", "")
        if announced.isdecimal() and len(body) < int(announced):
            raise errors.ModelUnavailableError(
                "the model server cut its reply off", hint="Ask again."
            )
        return body

    def _drop(self) -> None:
        """End the connection whose body is being read, from another thread."""
        reading = self._reading
        connection = None if reading is None else reading.connection
        if isinstance(connection, HTTPConnection) and isinstance(connection.sock, socket):
            with suppress(OSError):  # (it has ended meanwhile)
                # TLS has a method of its own, which must not run beside a read.
                socket.shutdown(connection.sock, SHUT_RDWR)


_CURRENT: ContextVar[Call[Any]] = ContextVar("bedrock_call")


class _ReadBody(BytesIO):
    """A body that was read already, in the form in which botocore reads one."""

    def stream(self) -> Iterator[bytes]:
        yield self.getvalue()


def _client(endpoint: BedrockEndpoint) -> tuple["BaseClient", Callable[[], None]]:
    """Return botocore's client, without its retries and without addresses from elsewhere.

    What it has signed is sent within the time that is left of the current call. Returned too is
    what closes its connections.
    """
    from botocore.awsrequest import AWSResponse
    from botocore.config import Config
    from botocore.httpsession import URLLib3Session
    from botocore.session import get_session
    from botocore.utils import get_environ_proxies

    session = get_session()
    if endpoint.offline:
        providers = session.get_component("credential_provider")
        for name in ASKING_SERVERS:
            providers.remove(name)
    client = session.create_client(
        "bedrock-runtime",
        region_name=endpoint.region,
        endpoint_url=endpoint.url or None,
        config=Config(
            retries={"total_max_attempts": 1, "mode": "standard"},
            ignore_configured_endpoint_urls=True,
        ),
    )
    bundle = session.get_config_variable("ca_bundle") or os.environ.get("REQUESTS_CA_BUNDLE")
    http = URLLib3Session(
        verify=bundle or True,
        proxies={} if is_loopback(endpoint.url) else get_environ_proxies(client.meta.endpoint_url),
        timeout=(min(CONNECT_SECONDS, endpoint.timeout), endpoint.timeout),
        socket_options=[(IPPROTO_TCP, TCP_NODELAY, 1)],
    )

    def send(request: "AWSPreparedRequest", **_: object) -> "AWSResponse":
        call = _CURRENT.get()
        request.stream_output = True  # (the body is read here)
        request.context["read_timeout"] = call.left()
        reply = http.send(request)
        body = _ReadBody(call.read(reply.raw))
        return AWSResponse(reply.url, reply.status_code, reply.headers, body)

    client.meta.events.register("before-send.bedrock-runtime", send)
    return client, http.close
