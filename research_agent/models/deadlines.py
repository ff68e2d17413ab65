"""How long one try of a request may take, derived from how fast its server was so far."""

import math
from dataclasses import dataclass

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
    """Tokens a second that a server reads and writes; None: not known yet.

    Raises ValueError for a rate that is not a positive, finite number.
    """

    read: float | None = None
    write: float | None = None

    def __post_init__(self) -> None:
        """Refuse what nothing can be derived from."""
        for rate in (self.read, self.write):
            if rate is not None and not 0 < rate < math.inf:
                raise ValueError("a rate has to be positive and finite")


def try_deadline(rates: Rates, prompt_tokens: int, max_tokens: int) -> float:
    """Return the seconds one try may take: twice what the slowest rates seen ask for, and 5.

    >>> try_deadline(Rates(read=100.0, write=10.0), prompt_tokens=1000, max_tokens=300)
    85.0
    >>> try_deadline(Rates(read=100.0), prompt_tokens=1000, max_tokens=300)
    600.0
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
    >>> measured(ModelCall("verifier", 1000, 1, read_seconds=4.0), 4.5)
    Rates(read=250.0, write=None)
    """
    if call.read_seconds is None:
        return Rates()
    read = call.prompt_tokens - call.cached_tokens
    return Rates(
        _rate(read, call.read_seconds, LEAST_READ, FASTEST_READ),
        _rate(call.completion_tokens, seconds - call.read_seconds, LEAST_WRITTEN, FASTEST_WRITE),
    )


def slowest(known: Rates, seen: Rates) -> Rates:
    """Return the slower of each pair of rates; what only one of them knows is taken from it.

    >>> slowest(Rates(100.0, 10.0), Rates(80.0, 12.0)), slowest(Rates(), Rates(80.0))
    (Rates(read=80.0, write=10.0), Rates(read=80.0, write=None))
    """
    return Rates(_slower(known.read, seen.read), _slower(known.write, seen.write))


def halved(rates: Rates) -> Rates:
    """Return the rates to go on with after a try that was not done within its deadline.

    >>> halved(Rates(100.0, 1.5)), halved(Rates())
    (Rates(read=50.0, write=1.0), Rates(read=None, write=None))
    """
    return Rates(_half(rates.read), _half(rates.write))


def _rate(tokens: int, seconds: float, least: int, fastest: float) -> float | None:
    if tokens < least or math.isnan(seconds):
        return None
    return fastest if seconds <= tokens / fastest else max(SLOWEST, tokens / seconds)


def _slower(known: float | None, seen: float | None) -> float | None:
    return min((rate for rate in (known, seen) if rate is not None), default=None)


def _half(rate: float | None) -> float | None:
    return None if rate is None else max(SLOWEST, rate / 2)
