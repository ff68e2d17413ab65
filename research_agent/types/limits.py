"""How one question is to be worked on, where its caller wants it otherwise than configured."""

from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from research_agent.types.filtering import Mode
from research_agent.types.result import Usage

N = TypeVar("N", int, float)
SearchMode = Literal["planned", "tool_calling", "auto"]
Profile = Literal["entropy", "dragin", "seed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a caller hands down with a question; None: as configured.

    Rounds are those that the caller asks for, up to `budget.max_rounds`. All other numbers only
    lower the budget.
    """

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
    search_mode: SearchMode | None = None
    """Who plans the searches of a round: rules, the planner model by tool calls, or whichever of
    both the model can (`search.mode`)."""
    filter_mode: Mode | None = None
    """Who leaves out hits (`filter.mode`)."""
    verify_profile: Profile | None = None
    """How an answer's doubt is measured (`verify.profile`)."""

    def and_at_most(self, other: "Limits") -> "Limits":
        """Return the lower one of each pair of numbers; of two modes or presets, this one's own.

        >>> both = Limits(seconds=30.0, tokens=900).and_at_most(Limits(seconds=60.0, llm_calls=2))
        >>> both.llm_calls, both.tokens, both.seconds
        (2, 900, 30.0)
        """
        return replace(
            self,
            rounds=_lower(self.rounds, other.rounds),
            llm_calls=_lower(self.llm_calls, other.llm_calls),
            tool_calls=_lower(self.tool_calls, other.tool_calls),
            tokens=_lower(self.tokens, other.tokens),
            seconds=_lower(self.seconds, other.seconds),
            cost=_lower(self.cost, other.cost),
            preset=self.preset or other.preset,
            search_mode=self.search_mode or other.search_mode,
            filter_mode=self.filter_mode or other.filter_mode,
            verify_profile=self.verify_profile or other.verify_profile,
        )

    def after(self, usage: Usage) -> "Limits":
        """Return what a caller has left when a question has cost `usage`; never below zero.

        >>> from research_agent.types.result import usage_of
        >>> from research_agent.types import ModelCall, TraceEvent
        >>> spent = usage_of([TraceEvent((ModelCall("answer", 90, 10),), queries=("q",))])
        >>> left = Limits(llm_calls=3, tool_calls=5, tokens=1000).after(spent)
        >>> left.llm_calls, left.tool_calls, left.tokens
        (2, 4, 900)
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
