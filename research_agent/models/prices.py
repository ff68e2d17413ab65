"""What a model call costs."""

from dataclasses import dataclass

from research_agent.types import ModelCall

MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model costs, in money for a million tokens."""

    read: float = 0.0
    cached: float | None = None
    """Prompt tokens that the server had read before; None: they cost what the others cost."""
    written: float = 0.0


def call_price(price: Price, call: ModelCall) -> float:
    """Return the money for the tokens of `call`, never less than 0.

    Cached tokens are part of the prompt's and priced apart. Tries that failed are not counted:
    nobody says how many tokens they had.

    >>> call_price(Price(read=2.0, cached=0.5, written=10.0), ModelCall("answer", 1000, 100, 400))
    0.0024
    """
    cached = min(max(call.cached_tokens, 0), max(call.prompt_tokens, 0))
    fresh = max(call.prompt_tokens, 0) - cached
    again = price.read if price.cached is None else price.cached
    written = max(call.completion_tokens, 0)
    return (fresh * price.read + cached * again + written * price.written) / MILLION
