"""A model of Amazon Bedrock, and the one client that talks to it."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from research_agent import errors
from research_agent.models.adapters.bedrock.failures import translated_errors
from research_agent.stopping import begun, result_within
from research_agent.text.loopback import is_loopback

if TYPE_CHECKING:
    from botocore.client import BaseClient

CONNECT_SECONDS, READ_SECONDS = 10.0, 600.0
"""What a connection, and each read of a reply, may take."""
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

    def __init__(self, endpoint: BedrockEndpoint, build: Callable[["BaseClient"], C]) -> None:
        """Make langchain-aws's client with `build`, from botocore's."""
        self._endpoint, self._build = endpoint, build
        self._lock = Lock()
        self._made: tuple[C, BaseClient] | None = None

    def begin(self, ask: Callable[[C], T]) -> Future[T]:
        """Begin a call."""
        import langchain_aws  # noqa: F401 (takes a second, which is not the call's)

        return begun(lambda: self._asked(ask))

    def result(self, call: Future[T], seconds: float) -> T:
        """Return what a call gives within `seconds`; raises ModelError, StoppedError.

        botocore's own limits are for each read of a socket: a reply that comes byte by byte
        never meets them.
        """
        return result_within(call, min(seconds, self._endpoint.timeout), "the model server")

    def close(self) -> None:
        """Close the client's connections; a later call makes a new client."""
        with self._lock:
            made, self._made = self._made, None
        if made:
            made[1].close()

    def _asked(self, ask: Callable[[C], T]) -> T:
        try:
            with translated_errors(self._endpoint.model, self._endpoint.where):
                with self._lock:
                    if self._made is None:
                        client = _client(self._endpoint)
                        self._made = (self._build(client), client)
                    made = self._made[0]
                return ask(made)
        except errors.ModelAccessError:
            self.close()  # The next call looks for credentials again: the user may have signed in.
            raise


def _client(endpoint: BedrockEndpoint) -> "BaseClient":
    """Return botocore's client, without its retries and without addresses from elsewhere."""
    from botocore.config import Config
    from botocore.session import get_session

    session = get_session()
    if endpoint.offline:
        providers = session.get_component("credential_provider")
        for name in ASKING_SERVERS:
            providers.remove(name)
    return session.create_client(
        "bedrock-runtime",
        region_name=endpoint.region,
        endpoint_url=endpoint.url or None,
        config=Config(
            retries={"total_max_attempts": 1, "mode": "standard"},
            ignore_configured_endpoint_urls=True,
            connect_timeout=min(CONNECT_SECONDS, endpoint.timeout),
            read_timeout=min(READ_SECONDS, endpoint.timeout),
            proxies={} if is_loopback(endpoint.url) else None,
        ),
    )
