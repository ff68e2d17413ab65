"""A second look at the hits of a search of which the model discards everything."""

from dataclasses import replace

from research_agent.planning.filter.step import settled
from research_agent.retrieval.second_look import looked_again
from research_agent.types import Hit
from research_agent.types.filtering import ChunkDecision, Filtered, Verdict, counted
from tests.fakes import chunk


def kept(found: Filtered) -> list[int]:
    return [i for i, decision in enumerate(found.stats.decisions) if decision.kept]


def look(*verdicts: Verdict, first: int) -> Filtered:
    """Return a look at hits with these verdicts, numbered from `first`."""
    decisions = settled(
        [ChunkDecision(f"guide-{first + i}", v, "model") for i, v in enumerate(verdicts)],
        max_chunks=5,
    )
    seats = tuple(Hit(chunk("t", first + i)) for i, d in enumerate(decisions) if d.kept)
    return Filtered(seats, replace(counted("llm", decisions), tokens_after=10, expanded=1))


def test_second_look_counts_where_it_keeps_something() -> None:
    """Its hits are the result; else the best of the first look, and nothing is counted twice."""
    first = look("discard", "discard", "discard", first=0)
    found = looked_again(first, look("discard", "keep", first=3))
    nothing = looked_again(first, look("discard", "discard", first=3))

    assert ([4], [4]) == ([hit.chunk.order for hit in found.hits], kept(found))
    assert (5, 1, 4, False) == (
        found.stats.original,
        found.stats.kept,
        found.stats.discarded,
        found.stats.all_discarded,
    )
    assert [0, 1] == [hit.chunk.order for hit in nothing.hits] == kept(nothing)
    assert (5, 2, 5, True) == (
        nothing.stats.original,
        nothing.stats.kept,
        nothing.stats.discarded,
        nothing.stats.all_discarded,
    )
    assert (10, 1) == (nothing.stats.tokens_after, nothing.stats.expanded)


def test_second_look_that_fails_is_no_verdict() -> None:
    """The hits of its ranking take nobody's place."""
    failed = Filtered(
        (Hit(chunk("t", 9)),), counted("llm", [ChunkDecision("guide-9", why="failed")])
    )

    assert [0, 1] == [
        h.chunk.order
        for h in looked_again(look("discard", "discard", "discard", first=0), failed).hits
    ]
