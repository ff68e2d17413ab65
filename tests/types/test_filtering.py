"""Seats, sums and what is believed of a model that discards everything."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from research_agent.types import Hit
from research_agent.types.filtering import (
    ChunkDecision,
    Filtered,
    FilterStats,
    Verdict,
    Why,
    counted,
    filter_by_score,
    looked_again,
    settled,
)
from tests.fakes import chunk


def hits(*similarities: float | None) -> list[Hit]:
    return [Hit(chunk("text", i), 1 - i / 100, s) for i, s in enumerate(similarities)]


def said(*verdicts: Verdict, why: Why = "model") -> list[ChunkDecision]:
    return [ChunkDecision(f"guide-{i}", verdict, why) for i, verdict in enumerate(verdicts)]


def kept(decisions: Sequence[ChunkDecision]) -> list[int]:
    return [i for i, decision in enumerate(decisions) if decision.kept]


def test_verdicts_come_before_ranks() -> None:
    """What the model wants has seats first, the undecided by rank; the order stays."""
    decisions = said("undecided", "discard", "undecided", "keep", "expand_3")

    for seats, expected in ((1, [3]), (2, [3, 4]), (3, [0, 3, 4]), (9, [0, 2, 3, 4])):
        found = settled(decisions, max_chunks=seats)
        assert expected == kept(found)


@pytest.mark.parametrize("rest", ["not_asked", "no_room"])
def test_discarding_everything_leaves_the_best_marked(rest: Why) -> None:
    """Whatever is worse and was not shown is no better; the verdict stays what it was."""
    decisions = [*said("discard", "discard", "discard"), ChunkDecision("guide-3", why=rest)]
    found = settled(decisions, max_chunks=9)

    assert [0, 1] == kept(found)
    assert ["all_discarded", "all_discarded", "model", rest] == [d.why for d in found]
    assert {"discard"} == {d.verdict for d in found[:3]}
    assert [0] == kept(settled(decisions, max_chunks=1))


def test_a_failed_call_discards_nothing() -> None:
    """Nobody knows what it would have said: the rest is kept by rank."""
    rest = [ChunkDecision("guide-1", why="failed"), ChunkDecision("guide-2", why="failed")]

    assert [1, 2] == kept(settled([*said("discard"), *rest], max_chunks=2))


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

    assert ([4], [4]) == ([hit.chunk.order for hit in found.hits], kept(found.stats.decisions))
    assert (5, 1, 4, False) == (
        found.stats.original,
        found.stats.kept,
        found.stats.discarded,
        found.stats.all_discarded,
    )
    assert [0, 1] == [hit.chunk.order for hit in nothing.hits] == kept(nothing.stats.decisions)
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


def test_no_hits_are_no_decisions() -> None:
    """An empty search stays empty."""
    assert () == settled([], max_chunks=5)
    assert 0.0 == counted("llm", []).reduction_ratio


def test_counts_come_from_the_decisions() -> None:
    """Undecided are only those that a model could have decided about."""
    decisions = settled(
        [*said("keep", "discard"), ChunkDecision("c"), ChunkDecision("d", "keep", "reused")],
        max_chunks=2,
    )
    stats = counted("llm", decisions)

    assert (4, 2, 1, 1, 1) == (
        stats.original,
        stats.kept,
        stats.discarded,
        stats.undecided,
        stats.reused,
    )
    assert 0.5 == stats.reduction_ratio
    assert decisions == stats.decisions
    assert 0 == counted("score", [ChunkDecision("c", kept=True)]).undecided


def test_total_adds_up_every_number() -> None:
    """The ratio is that of the sums; reasons stand once; decisions one after the other."""
    one = FilterStats(
        "llm",
        10,
        5,
        4,
        3,
        2,
        1,
        1,
        1,
        0.5,
        900,
        500,
        700,
        0.5,
        2.0,
        0.25,
        "late",
        tuple(said("keep")),
        "time_out",
        3,
        1,
    )
    both = FilterStats.total([one, one, FilterStats("llm", original=20, kept=20)])

    assert (
        FilterStats(
            "llm",
            40,
            30,
            8,
            6,
            4,
            2,
            2,
            2,
            0.25,
            1800,
            1000,
            1400,
            1.0,
            4.0,
            0.5,
            "late",
            tuple(said("keep") * 2),
            "time_out",
            6,
            2,
        )
        == both
    )
    assert FilterStats() == FilterStats.total([])


def test_score_alone_drops_what_is_not_similar() -> None:
    """A hit without a similarity stays."""
    found, stats = filter_by_score(hits(0.5, 0.05, None), min_similarity=0.1)

    assert ["guide-0", "guide-2"] == [hit.chunk.chunk_id for hit in found]
    assert (3, 2, 1, 0) == (stats.original, stats.kept, stats.discarded, stats.undecided)
