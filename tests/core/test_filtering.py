"""Seats, sums and what is believed of a model that discards everything."""

from collections.abc import Sequence

import pytest

from research_agent.core.filtering import (
    ChunkDecision,
    FilterStats,
    Verdict,
    Why,
    counted,
    filter_by_score,
    settled,
)
from research_agent.core.types import Hit
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
        found = settled(hits(*[0.9] * 5), decisions, max_chunks=seats, empty_below=0.3)
        assert expected == kept(found)


@pytest.mark.parametrize(
    ("similarities", "expected", "why"),
    [
        ((0.29, 0.2), [], "model"),
        ((0.31, 0.2), [0], "overruled"),
        ((0.2, None), [0], "overruled"),
    ],
)
def test_nothing_is_an_answer_only_where_scores_agree(
    similarities: tuple[float, ...], expected: list[int], why: str
) -> None:
    """Else the first of the ranking are kept, and the decisions say so."""
    given = hits(*similarities)
    found = settled(given, said("discard", "discard"), max_chunks=1, empty_below=0.3)

    assert expected == kept(found)
    assert {why} == {decision.why for decision in found}


@pytest.mark.parametrize(
    ("why", "expected"), [("not_asked", [0, 1]), ("no_room", [0, 1]), ("failed", [1, 2])]
)
def test_the_worst_hits_are_no_answer(why: Why, expected: list[int]) -> None:
    """All that was asked about is discarded: what nobody asked about does not stand for it.

    Where a call failed, nobody knows what it would have said: the rest is kept by rank.
    """
    rest = [ChunkDecision("guide-1", why=why), ChunkDecision("guide-2", why=why)]
    found = settled(hits(0.9, 0.8, 0.7), [*said("discard"), *rest], max_chunks=2, empty_below=0.3)

    assert expected == kept(found)


def test_no_hits_are_no_decisions() -> None:
    """An empty search stays empty."""
    assert () == settled([], [], max_chunks=5, empty_below=0.3)
    assert 0.0 == counted("llm", []).reduction_ratio


def test_counts_come_from_the_decisions() -> None:
    """Undecided are only those that a model could have decided about."""
    decisions = settled(
        hits(*[0.9] * 4),
        [*said("keep", "discard"), ChunkDecision("c"), ChunkDecision("d", "keep", "reused")],
        max_chunks=2,
        empty_below=0.3,
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
        )
        == both
    )
    assert FilterStats() == FilterStats.total([])


def test_score_alone_drops_what_is_not_similar() -> None:
    """A hit without a similarity stays."""
    found, stats = filter_by_score(hits(0.5, 0.05, None), min_similarity=0.1)

    assert ["guide-0", "guide-2"] == [hit.chunk.chunk_id for hit in found]
    assert (3, 2, 1, 0) == (stats.original, stats.kept, stats.discarded, stats.undecided)
