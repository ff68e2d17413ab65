"""How one question is to be worked on, where its caller wants it otherwise than configured."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from research_agent.errors import ToolInputError
from research_agent.types.filtering import Mode
from research_agent.types.result import Usage

SearchMode = Literal["planned", "tool_calling"]
Profile = Literal["entropy", "dragin", "seed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a caller hands down with a question; None: as configured.

    Rounds may be raised up to `budget.max_rounds`; all other numbers only lower the budget.
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
    """Who plans the searches of a round: rules, or the planner model by tool calls
    (`search.mode`)."""
    filter_mode: Mode | None = None
    """Who leaves out hits (`filter.mode`)."""
    verify_profile: Profile | None = None
    """How an answer's doubt is measured (`verify.profile`)."""

    @staticmethod
    def of(given: "GivenLimits") -> "Limits":
        """Return limits, also from a mapping of their fields; raises ToolInputError."""
        if isinstance(given, Limits):
            return given
        names = [item.name for item in fields(Limits)]
        if not isinstance(given, Mapping) or not given.keys() <= set(names):
            raise ToolInputError(
                f"limits have to be Limits or a mapping of its fields, not {str(given)[:80]!r}",
                hint=f"The fields of Limits are: {', '.join(names)}.",
            )
        return Limits(**given)

    def and_at_most(self, other: "Limits") -> "Limits":
        """Return the lower one of each pair of numbers; of two modes or presets, this one's own."""
        chosen = {}
        for item in fields(self):
            given = [getattr(self, item.name), getattr(other, item.name)]
            known = [value for value in given if value is not None]
            numbers = bool(known) and not isinstance(known[0], str)
            chosen[item.name] = min(known) if numbers else next(iter(known), None)
        return Limits(**chosen)

    def after(self, usage: Usage) -> "Limits":
        """Return what a caller has left when a question has cost `usage`; never below zero."""
        used = {
            "llm_calls": usage.llm_calls,
            "tool_calls": usage.tool_calls,
            "tokens": usage.prompt_tokens + usage.completion_tokens,
            "seconds": usage.elapsed_seconds,
            "cost": usage.cost or 0.0,
        }
        given = {name: getattr(self, name) for name in used}
        left = {n: max(0, of - used[n]) for n, of in given.items() if of is not None}
        return replace(self, **left)


GivenLimits = Limits | Mapping[str, Any]
"""Limits, or their fields by name."""
