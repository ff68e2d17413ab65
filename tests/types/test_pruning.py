"""Which chunks stay by their values."""

from dataclasses import replace
from typing import Any

import pytest

from research_agent.types import Hit
from research_agent.types.pruning import (
    Pruned,
    PruneDecision,
    PruneMode,
    PruneStats,
    Rule,
    added,
    brought_back,
    kept_places,
)
from tests.fakes import chunk

RULE = Rule(mode="threshold", min_value=0.0, keep=2, keep_ratio=0.5, least=1)


def kept(values: list[float | None], **rule: object) -> list[int]:
    changed: dict[str, Any] = rule
    return sorted(kept_places(values, replace(RULE, **changed)))


def test_threshold_top_k_and_ratio() -> None:
    """Enough gain; the two best; a third of four, rounded up."""
    values: list[float | None] = [0.1, -0.1, 0.3, 0.2]

    assert [0, 2, 3] == kept(values)
    assert [2, 3] == kept(values, mode="top_k")
    assert [2, 3] == kept(values, mode="ratio", keep_ratio=0.3)


def test_ratio_does_not_round_up_what_is_exact() -> None:
    """0.1 of 30 is 3, whatever the machine's arithmetic makes of it; of one it is one."""
    assert 3 == len(kept([0.01 * i for i in range(30)], mode="ratio", keep_ratio=0.1))
    assert [0] == kept([0.5], mode="ratio", keep_ratio=0.01)


def test_confident_ignorance_does_not_empty_the_evidence() -> None:
    """All gains below zero are compared with one another; only who asks for none gets none."""
    values: list[float | None] = [-0.3, -0.1, -0.2]

    assert [1, 2] == kept(values)
    assert [] == kept(values, least=0)


def test_values_that_only_compare() -> None:
    """After a refusal without chunks even gains above zero are no absolute ones."""
    found = kept_places([0.4, 0.1, 0.3], RULE, relative=True)

    assert {0, 2} == found


@pytest.mark.parametrize("mode", ["threshold", "top_k", "ratio"])
def test_chunk_without_a_value_stays(mode: PruneMode) -> None:
    """A failed call is no low value; and no high one that drives out what was measured."""
    found = kept([0.2, None, -0.5, -0.6], mode=mode)

    assert [0, 1] == found


def test_protected_chunks_stay_and_take_places() -> None:
    """They count among those that stay."""
    rule = replace(RULE, mode="top_k", keep=2)

    assert {0, 3} == kept_places([0.9, 0.8, 0.7, -0.9], rule, protected=[3])
    assert {2, 3} == kept_places([0.9, 0.8, 0.7, -0.9], replace(rule, keep=1), protected=[2, 3])


def test_what_something_speaks_against_comes_last() -> None:
    """It stays only where nothing else is there."""
    assert {0} == kept_places([-0.9, None], replace(RULE, min_value=0.5), against=[1])
    assert {0} == kept_places([None, None], RULE, against=[0, 1])
    assert set() == kept_places([None, None], replace(RULE, least=0), against=[0, 1])


def test_equal_values_stay_in_their_order() -> None:
    """Of ties the first stays, also where one value is all there is."""
    assert [0, 1] == kept([0.1, 0.1, 0.1, 0.1], mode="top_k")
    assert [0, 1, 2] == kept([-0.1, -0.1, -0.1])


def test_nothing_to_judge() -> None:
    """An empty list stays empty in every mode."""
    modes: tuple[PruneMode, ...] = ("threshold", "top_k", "ratio")

    assert [[], [], []] == [kept([], mode=mode) for mode in modes]


def test_rounds_add_up() -> None:
    """Counts are summed, decisions kept, and the last baseline is shown."""
    one = PruneStats("top_k", "gain", 3, 2, calls=4, nu=0.5, tokens_before=90, tokens_after=60)
    two = PruneStats("top_k", "gain", 2, 2, calls=3, fallback="late")

    assert (5, 4, 7, 0.5, 90, 60, "late") == (
        (both := added(one, two)).original,
        both.kept,
        both.calls,
        both.nu,
        both.tokens_before,
        both.tokens_after,
        both.fallback,
    )


def test_what_was_left_out_comes_back_once() -> None:
    """Its decision says so, and nothing is left out any more."""
    decisions = (
        PruneDecision("guide-0", kept=True, why="gain"),
        PruneDecision("guide-1", kept=False, why="gain"),
    )
    stats = PruneStats("threshold", "gain", 2, 1, tokens_after=10, decisions=decisions)
    before = Pruned(stats, (Hit(chunk("Bread.", 1)),))
    after = brought_back(before, {"guide-1"}, 7)

    assert (True, False) == (before.may_return, after.may_return)
    assert (2, 1, 17) == (after.stats.kept, after.stats.reinstated, after.stats.tokens_after)
    assert [("gain", True), ("reinstated", True)] == [
        (item.why, item.kept) for item in after.stats.decisions
    ]
