"""What follows where the filter's model discards every hit of a search."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from research_agent.types import Hit, Outcome, TraceEvent
from research_agent.types.filtering import Filtered, FilterStats


def second_look(
    first: Outcome[Filtered],
    query: str,
    hits: Sequence[Hit],
    filtered: Callable[[str, Sequence[Hit]], Outcome[Filtered]],
    notes: tuple[str, ...],
) -> Outcome[Filtered]:
    """Judge `hits` after a first look that discarded all; no hit is judged twice."""
    judged = {d.chunk_id for d in first.value.stats.decisions if d.verdict == "discard"}
    second = filtered(query, [hit for hit in hits if hit.chunk.chunk_id not in judged])
    both = (*first.event.notes, *notes, *second.event.notes)
    unreadable = first.event.unreadable + second.event.unreadable
    event = TraceEvent(notes=both, unreadable=unreadable)
    return Outcome(looked_again(first.value, second.value), event)


def looked_again(first: Filtered, second: Filtered) -> Filtered:
    """Join two looks, of which the first has discarded every hit.

    The result is the hits kept by verdicts of the second look; without any, the best of the
    first, still marked as discarded. The record has both.
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
