"""Measures of doubts: right by other means, and on known samples."""

from random import Random

from benchmarks.intervals import Interval
from benchmarks.uncertainty_metrics import auroc_by_group, auroc_by_group_gain
from research_agent.verification.calibration import Judged

DICE = Random(11)  # noqa: S311 (a sample for a test)
DOUBTS = [round(DICE.random(), 2) for _ in range(80)]
SAMPLE = [Judged(doubt, wrong=DICE.random() < doubt) for doubt in DOUBTS]


def test_auroc_is_the_share_of_pairs_in_the_right_order() -> None:
    """Counted pair by pair, ties a half."""
    wrong = [one.doubt for one in SAMPLE if one.wrong]
    right = [one.doubt for one in SAMPLE if not one.wrong]
    pairs = [(a > b) + (a == b) / 2 for a in wrong for b in right]

    assert abs(sum(pairs) / len(pairs) - auroc_by_group([SAMPLE]).mean) < 1e-9


def test_groups_are_resampled_whole() -> None:
    """Pairs of two groups do not count; a group without a pair says nothing."""
    right = [Judged(0.1, wrong=False), Judged(0.2, wrong=True)]
    turned = [Judged(0.9, wrong=False), Judged(0.8, wrong=True)]
    found = auroc_by_group([right, right, right, turned])

    assert 0.75 == found.mean
    assert found.low < 0.75 < found.high
    assert Interval(0.5, 0.5, 0.5) == auroc_by_group([right[:1], turned[1:]])
    gain = auroc_by_group_gain([right] * 4, [turned] * 4)
    assert Interval(1.0, 1.0, 1.0) == gain
