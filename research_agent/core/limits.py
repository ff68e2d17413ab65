"""What one question may cost at most, where its caller wants less than the configuration allows."""

from dataclasses import dataclass, replace
from typing import TypeVar

from research_agent.core.result import Usage

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Parts of the budget that a caller hands down; None: all that the configuration allows."""

    rounds: int | None = None
    """Passes from retrieve to verify, for each question alike."""
    llm_calls: int | None = None
    tool_calls: int | None = None
    """Searches and look-ups."""
    tokens: int | None = None
    """Read and written by language models."""
    seconds: float | None = None
    cost: float | None = None
    """Money, in the unit of `models.prices`."""
    preset: str | None = None
    """Which stages act for this question: "auto", "local", "full" or "seed"; keys that the user
    has set stay as they are."""

    def and_at_most(self, other: "Limits") -> "Limits":
        """Return the lower one of each pair of limits; the first one's preset, if it has one.

        >>> both = Limits(seconds=30.0, tokens=900).and_at_most(Limits(seconds=60.0, llm_calls=2))
        >>> both == Limits(seconds=30.0, tokens=900, llm_calls=2)
        True
        """
        return Limits(
            rounds=_lower(self.rounds, other.rounds),
            llm_calls=_lower(self.llm_calls, other.llm_calls),
            tool_calls=_lower(self.tool_calls, other.tool_calls),
            tokens=_lower(self.tokens, other.tokens),
            seconds=_lower(self.seconds, other.seconds),
            cost=_lower(self.cost, other.cost),
            preset=self.preset or other.preset,
        )

    def after(self, usage: Usage) -> "Limits":
        """Return what a caller has left when a question has cost `usage`; never below zero.

        >>> from research_agent.core.result import usage_of
        >>> from research_agent.core.types import ModelCall, TraceEvent
        >>> spent = usage_of([TraceEvent((ModelCall("answer", 90, 10),), queries=("q",))])
        >>> left = Limits(llm_calls=3, tool_calls=5, tokens=1000).after(spent)
        >>> left == Limits(llm_calls=2, tool_calls=4, tokens=900)
        True
        """
        tokens = usage.prompt_tokens + usage.completion_tokens
        return replace(
            self,
            llm_calls=_less(self.llm_calls, usage.llm_calls),
            tool_calls=_less(self.tool_calls, usage.tool_calls),
            tokens=_less(self.tokens, tokens),
            seconds=None
            if self.seconds is None
            else max(0.0, self.seconds - usage.elapsed_seconds),
            cost=None if self.cost is None else max(0.0, self.cost - (usage.cost or 0.0)),
        )


def _less(limit: int | None, used: int) -> int | None:
    """Return what is left of a limit."""
    return None if limit is None else max(0, limit - used)


def _lower(one: N | None, other: N | None) -> N | None:
    """Return the lower limit of two, where there is any."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
