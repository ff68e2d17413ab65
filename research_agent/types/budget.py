"""What a question may still cost: counted from its trace before each call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_agent.errors import BudgetError
from research_agent.types import ModelCall, TraceEvent

MIN_SECONDS = 1.0
"""With less left, no call is begun."""
BudgetStop = Literal[
    "budget_llm_calls", "budget_tool_calls", "budget_tokens", "budget_seconds", "budget_cost"
]
BUDGET_STOPS: Mapping[str, BudgetStop] = {
    "llm_calls": "budget_llm_calls",
    "tool_calls": "budget_tool_calls",
    "tokens": "budget_tokens",
    "seconds": "budget_seconds",
    "cost": "budget_cost",
}
"""Why something ended, by the limit that was reached."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a question's budget; never below zero."""

    llm_calls: int
    tool_calls: int
    tokens: int
    """Prompt and reply together."""
    seconds: float
    cost: float | None = None
    """Money; None: no limit."""

    def after(
        self, calls: Sequence[ModelCall], seconds: float, *, searches: int = 0
    ) -> "Allowance":
        """Return what is left after `calls` and `searches` that took `seconds`."""
        used = [call for call in calls if not call.reused]
        tokens = sum(call.prompt_tokens + call.completion_tokens for call in used)
        money = sum(call.price or 0.0 for call in used)
        return self.aside(Allowance(len(used), searches, tokens, seconds, money))

    def share(self, parts: int) -> "Allowance":
        """Return what each of `parts` that run side by side may use; they share the time."""
        return replace(
            self,
            llm_calls=self.llm_calls // parts,
            tool_calls=self.tool_calls // parts,
            tokens=self.tokens // parts,
            cost=None if self.cost is None else self.cost / parts,
        )

    def aside(self, kept: "Allowance") -> "Allowance":
        """Return what may be spent while `kept` stays for something else."""
        return Allowance(
            max(0, self.llm_calls - kept.llm_calls),
            max(0, self.tool_calls - kept.tool_calls),
            max(0, self.tokens - kept.tokens),
            max(0.0, self.seconds - kept.seconds),
            None if self.cost is None else max(0.0, self.cost - (kept.cost or 0.0)),
        )

    def spent(self) -> str:
        """Return which limit lets no further model call be made; empty where none does."""
        if self.llm_calls < 1:
            return "llm_calls"
        if self.tokens < 1:
            return "tokens"
        if self.seconds < MIN_SECONDS:
            return "seconds"
        return "cost" if self.cost is not None and self.cost <= 0 else ""

    def grant(self, prompt_tokens: int, max_tokens: int, least: int) -> int:
        """Return the length a reply may have, `max_tokens` or what is left for it.

        Raises BudgetError where that is less than `least`: such a call is not made.
        """
        which = self.spent()
        if which:
            raise BudgetError(which)
        room = min(max_tokens, self.tokens - prompt_tokens)
        if room < min(least, max_tokens):
            raise BudgetError("tokens")
        return room


NOTHING = Allowance(0, 0, 0, 0.0)
"""What is kept where nothing comes afterwards."""


def left(whole: Allowance, trace: Sequence[TraceEvent]) -> Allowance:
    """Return what is left of the `whole` budget after all that `trace` tells."""
    calls = [call for event in trace for call in event.calls]
    searches = sum(len(event.queries) + event.lookups for event in trace)
    return whole.after(calls, busy_seconds(trace), searches=searches)


def busy_seconds(trace: Sequence[TraceEvent]) -> float:
    """Return how long any node was at work: parallel runs count once, pauses not at all.

    A thread that waits for a person, or goes on after a restart, spends nothing meanwhile.
    """
    total, until = 0.0, float("-inf")
    for event in sorted(trace, key=lambda event: event.started):
        end = event.started + event.seconds
        total += max(0.0, end - max(event.started, until))
        until = max(until, end)
    return total
