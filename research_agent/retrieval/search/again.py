"""What follows where the filter's model discards every hit of a search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from research_agent.errors import ModelError
from research_agent.types import Hit, Outcome, TraceEvent
from research_agent.types.filtering import Filtered, looked_again

Ranking = Callable[[str], tuple[tuple[Hit, ...], tuple[str, ...]]]
"""Searches for a query; returns the hits and notes, raises ModelError."""
Filtering = Callable[[str, Sequence[Hit]], Outcome[Filtered]]
"""Filters the hits of a query."""


@dataclass(frozen=True, slots=True)
class Discarded:
    """A search of which every hit was discarded."""

    query: str
    hits: Sequence[Hit]
    """Of its ranking, also those that were not judged."""
    found: Outcome[Filtered]


def another_look(
    first: Discarded, question: str, *, rank: Ranking, filtering: Filtering
) -> Outcome[Filtered]:
    """Return what the hits of the user's question bring, or the next hits of the same query.

    The question is searched where the query was only a part of it. Nothing is judged twice. Where
    nothing else is kept, the best of the first look are the result, marked as discarded.
    """
    asked, hits, notes = first.query, first.hits, tuple[str, ...]()
    if question and question != first.query:
        try:
            asked, (hits, notes) = question, rank(question)
        except ModelError as error:
            notes = (f"search: {error}; the next hits are judged",)
            asked, hits = first.query, first.hits
    decisions = first.found.value.stats.decisions
    judged = {decision.chunk_id for decision in decisions if decision.verdict == "discard"}
    second = filtering(asked, [hit for hit in hits if hit.chunk.chunk_id not in judged])
    both = (*first.found.event.notes, *notes, *second.event.notes)
    unreadable = first.found.event.unreadable + second.event.unreadable
    event = TraceEvent(notes=both, unreadable=unreadable)
    return Outcome(looked_again(first.found.value, second.value), event)
