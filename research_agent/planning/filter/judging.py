"""What the ways to ask a model about hits have in common."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from research_agent.errors import BudgetError, ModelError, ModelTimeoutError
from research_agent.ports import DecisionCache, JsonSchema
from research_agent.types import Completion, Hit, Message
from research_agent.types.filtering import ChunkDecision, Fallback


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdicts on some hits, in the order of the hits."""

    decisions: tuple[ChunkDecision, ...]
    unknown_ids: int = 0
    repeated_ids: int = 0
    fallback: str = ""
    """Why the ranking decides about some of them, or about all."""
    fallback_type: Fallback = ""


@dataclass(frozen=True, slots=True)
class Sought:
    """What hits are judged by."""

    query: str
    """What was searched for."""
    question: str
    """What the user asked; the query itself where that is not known."""


class Judge(Protocol):
    """One way to ask the filter model."""

    def __call__(self, sought: "Sought", hits: Sequence[Hit], ask: "Ask") -> Judgement:
        """Return a decision on each hit; never raises for a model that fails."""


class Ask(Protocol):
    """Asks the filter model within the budget and the filter's own time."""

    def __call__(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        least_tokens: int = 1,
        schema: JsonSchema | None = None,
    ) -> Completion:
        """Return the reply; raises ModelError, BudgetError."""


Read = Callable[[str], ChunkDecision | None]
"""Reads a decision that was kept; the id of its chunk is filled in later."""


def remembered(
    hits: Sequence[Hit], keys: Sequence[str], cache: DecisionCache | None, read: Read
) -> dict[int, ChunkDecision]:
    """Return the decisions of earlier calls, by the place of their hits."""
    kept: Mapping[str, str] = cache.get(keys) if cache else {}
    found = {i: read(kept[key]) for i, key in enumerate(keys) if key in kept}
    return {
        i: replace(decision, chunk_id=hits[i].chunk.chunk_id, why="reused")
        for i, decision in found.items()
        if decision
    }


def fallback_type(error: ModelError | BudgetError) -> Fallback:
    """Return the kind of a failed call.

    >>> fallback_type(ModelTimeoutError("late"))
    'time_out'
    """
    if isinstance(error, BudgetError):
        return "budget"
    return "time_out" if isinstance(error, ModelTimeoutError) else "error"
