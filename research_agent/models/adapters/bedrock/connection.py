"""A model of Amazon Bedrock, and the one client that talks to it."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from research_agent.errors import ConfigError, ModelAccessError
from research_agent.models.adapters.bedrock.exchange import (
    Calls,
    Pending,
    ReadBody,
    current_exchange,
)
from research_agent.models.adapters.bedrock.failures import translated_errors

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest, AWSResponse
    from botocore.client import BaseClient
    from botocore.session import Session

CONNECT_SECONDS = 10.0
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
    loopback: bool = False
    """The address is on this machine: no proxy is asked for it."""
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
        raise ConfigError(
            f"AWS's configuration cannot be used ({type(error).__name__})",
            hint="Check AWS_PROFILE, and the files ~/.aws/config and ~/.aws/credentials.",
        ) from error


class Connection(Generic[C]):
    """One client to an endpoint, made at the first call; safe to share between threads."""

    def __init__(
        self, endpoint: BedrockEndpoint, build: Callable[["BaseClient"], C], *, max_bytes: int
    ) -> None:
        """Make langchain-aws's client with `build`, from botocore's; replies have a size limit."""
        self._endpoint = endpoint
        self._build = build
        self._max_bytes = max_bytes
        self._calls = Calls()
        self._lock = Lock()
        self._transport: _Transport | None = None
        self._client: C | None = None

    def begin(self, ask: Callable[[C], T], seconds: float) -> Pending[T]:
        """Begin a call; its `result` raises ModelError."""
        import langchain_aws  # noqa: F401 (takes a second, which is not the call's)

        allowed = min(seconds, self._endpoint.timeout)
        return self._calls.begin(lambda: self._asked(ask), allowed, self._max_bytes)

    def close(self) -> None:
        """Close the client's connections; a later call makes a new client."""
        with self._lock:
            if self._transport is not None:
                self._transport.close()
            self._transport, self._client = None, None

    def _asked(self, ask: Callable[[C], T]) -> T:
        try:
            with translated_errors(self._endpoint.model, self._endpoint.where):
                return ask(self._made())
        except ModelAccessError:
            self.close()  # The next call looks for credentials again: the user may have signed in.
            raise

    def _made(self) -> C:
        """Return the client; credentials are looked for when it is made."""
        with self._lock:
            if self._client is None:
                client, self._transport = _client(self._endpoint)
                self._client = self._build(client)
            return self._client


class _Transport:
    """Sends what botocore has signed, within the time that is left of the current call."""

    def __init__(self, session: "Session", client: "BaseClient", endpoint: BedrockEndpoint) -> None:
        from botocore.httpsession import URLLib3Session
        from botocore.utils import get_environ_proxies

        bundle = session.get_config_variable("ca_bundle") or os.environ.get("REQUESTS_CA_BUNDLE")
        self._http = URLLib3Session(
            verify=bundle or True,
            proxies={} if endpoint.loopback else get_environ_proxies(client.meta.endpoint_url),
            timeout=(min(CONNECT_SECONDS, endpoint.timeout), endpoint.timeout),
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
        )

    def send(self, request: "AWSPreparedRequest", **_: object) -> "AWSResponse":
        """Return the reply, read to its end; botocore then sends nothing itself."""
        from botocore.awsrequest import AWSResponse

        exchange = current_exchange()
        request.stream_output = True  # (the body is read here)
        request.context["read_timeout"] = exchange.check()
        reply = self._http.send(request)
        body = exchange.read(reply.raw)
        return AWSResponse(reply.url, reply.status_code, reply.headers, ReadBody(body))

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._http.close()


def _client(endpoint: BedrockEndpoint) -> tuple["BaseClient", _Transport]:
    """Return botocore's client, without its retries and without addresses from elsewhere."""
    from botocore.config import Config
    from botocore.session import get_session

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
    transport = _Transport(session, client, endpoint)
    client.meta.events.register("before-send.bedrock-runtime", transport.send)
    return client, transport
