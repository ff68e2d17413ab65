"""A model at a server, and how the server is reached."""

from collections.abc import Callable
from dataclasses import dataclass, field

OPENAI_URL = "https://api.openai.com/v1"


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
    top_logprobs: int = 5
    """Likeliest tokens asked for at each place of a free text, 1 to 20."""
    temperature: float = 0
    """How freely tokens are sampled; 0: the likeliest one always."""

    @property
    def unavailable_hint(self) -> str:
        """Return what to do when the server does not answer."""
        if self.embedded:
            return "Ask again: the embedded model's server is started anew."
        return f"Is the server at {self.where} up? (base_url)"
