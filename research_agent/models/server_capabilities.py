"""What earlier calls have shown of a model server, and the deadline of a try that follows."""

import json
import math
from dataclasses import dataclass, field
from hashlib import sha256

from research_agent.types import ModelCall

FIRST_SECONDS = 600.0
"""What a try may take while the rates of its server are not known."""
SLACK_SECONDS = 5.0
"""What every try may take beside reading and writing."""
SLOWEST, FASTEST_READ, FASTEST_WRITE = 1.0, 5000.0, 200.0
"""Tokens a second between which a rate is kept. A server that sends its whole reply at once looks
endlessly fast, and one that hangs again and again would get longer and longer deadlines."""
LEAST_READ, LEAST_WRITTEN = 32, 8
"""Tokens; a smaller sample says more about the network than about the model."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Tokens a second that a server reads and writes, positive and finite; None: not known."""

    read: float | None = None
    write: float | None = None

    def __post_init__(self) -> None:
        """Refuse what nothing can be derived from."""
        for rate in (self.read, self.write):
            if rate is not None and not 0 < rate < math.inf:
                raise ValueError("a rate has to be positive and finite")


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What is known of a model at a server."""

    refused: tuple[str, ...] = ()
    """Options of a request that it refuses, by name, in alphabetical order."""
    rates: Rates = field(default_factory=Rates)
    tool_calls: bool | None = None
    """The model writes tool calls that can be used; None: not known."""


def endpoint_key(provider: str, url: str, model: str) -> str:
    """Return the name under which it is kept: a hash, as an address may hold a key."""
    named = json.dumps([provider, url.rstrip("/"), model])
    return sha256(named.encode()).hexdigest()


def try_deadline(rates: Rates, prompt_tokens: int, max_tokens: int) -> float:
    """Return the seconds one try may take: twice what the slowest rates seen ask for, and 5.

    >>> try_deadline(Rates(read=100.0, write=10.0), prompt_tokens=1000, max_tokens=300)
    85.0
    """
    if rates.read is None or rates.write is None:
        return FIRST_SECONDS
    return 2 * (prompt_tokens / rates.read + max_tokens / rates.write) + SLACK_SECONDS


def measured(call: ModelCall, seconds: float) -> Rates:
    """Return how fast the server was in one try that took `seconds`, as far as it can be told.

    Reading is what came before the first word; prompt tokens that the server had read before do
    not count. A reply that was not streamed tells nothing.

    >>> measured(ModelCall("answer", 1000, 50, cached_tokens=200, read_seconds=4.0), 9.0)
    Rates(read=200.0, write=10.0)
    """
    if call.read_seconds is None:
        return Rates()
    read = call.prompt_tokens - call.cached_tokens
    return Rates(
        _rate(read, call.read_seconds, LEAST_READ, FASTEST_READ),
        _rate(call.completion_tokens, seconds - call.read_seconds, LEAST_WRITTEN, FASTEST_WRITE),
    )


def slowest(known: Rates, seen: Rates) -> Rates:
    """Return the slower of each pair of rates; what only one of them knows is taken from it."""

    def slower(*rates: float | None) -> float | None:
        return min((rate for rate in rates if rate is not None), default=None)

    return Rates(slower(known.read, seen.read), slower(known.write, seen.write))


def halved(rates: Rates) -> Rates:
    """Return the rates to go on with after a try that was not done within its deadline."""

    def half(rate: float | None) -> float | None:
        return None if rate is None else max(SLOWEST, rate / 2)

    return Rates(half(rates.read), half(rates.write))


def _rate(tokens: int, seconds: float, least: int, fastest: float) -> float | None:
    if tokens < least or math.isnan(seconds):
        return None
    return fastest if seconds <= tokens / fastest else max(SLOWEST, tokens / seconds)
