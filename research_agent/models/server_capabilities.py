"""What was learned about a model at a server, worth knowing when it is asked again."""

import json
from dataclasses import dataclass, field
from hashlib import sha256

from research_agent.models.deadlines import Rates


@dataclass(frozen=True, slots=True)
class Learned:
    """What earlier calls have shown."""

    refused: tuple[str, ...] = ()
    """Options of a request that it refuses, by name, in alphabetical order."""
    rates: Rates = field(default_factory=Rates)
    tool_calls: bool | None = None
    """The model writes tool calls that can be used; None: not known."""


def endpoint_key(provider: str, url: str, model: str) -> str:
    """Return the name under which is kept what was learned: a hash, as an address may hold a key.

    >>> a, b = (endpoint_key("openai", url, "m") for url in ("http://a/v1", "http://a/v1/"))
    >>> a == b, len(a)
    (True, 64)
    """
    named = json.dumps([provider, url.rstrip("/"), model])
    return sha256(named.encode()).hexdigest()
