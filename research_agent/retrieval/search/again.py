"""What follows where the filter's model discards every hit of a search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from research_agent.errors import ModelError
from research_agent.types import Hit, Outcome, TraceEvent
from research_agent.types.filtering import Filtered, FilterStats

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


def looked_again(first: Filtered, second: Filtered) -> Filtered:
    """Return what two looks leave, of which the first has discarded everything.

    What the second keeps by a verdict is the result; without any, the best of the first, still
    marked as discarded. The record is that of both.
    """
    found = any(
        d.kept and d.verdict not in {"discard", "undecided"} for d in second.stats.decisions
    )
    judged = {decision.chunk_id for decision in second.stats.decisions}
    early = tuple(d for d in first.stats.decisions if d.chunk_id not in judged)
    before = replace(first.stats, decisions=early, original=len(early))
    if found:
        return Filtered(second.hits, FilterStats.total([_without_hits(before), second.stats]))
    return Filtered(first.hits, FilterStats.total([before, _without_hits(second.stats)]))


def _without_hits(stats: FilterStats) -> FilterStats:
    """Return the record of a look whose hits are not in the result."""
    dropped = tuple(
        replace(d, kept=False, why="model" if d.why == "all_discarded" else d.why)
        for d in stats.decisions
    )
    return replace(
        stats,
        kept=0,
        expanded=0,
        tokens_after=0,
        dangling_before=0,
        dangling_after=0,
        decisions=dropped,
    )
