"""Measures of doubts and what is fitted to them: right by other means, and on known samples."""

from random import Random

import pytest
from benchmarks.uncertainty_fits import (
    calibration_error,
    calibration_halves,
    controlled,
    controlled_together,
    isotonic,
    logistic,
    surest,
    together,
)

from benchmarks.intervals import Interval
from benchmarks.uncertainty_metrics import (
    area_under_risk,
    auroc,
    auroc_by_group,
    auroc_by_group_gain,
    auroc_gain,
    auroc_interval,
)
from research_agent.core.risk_control import Judged

DICE = Random(11)  # noqa: S311 (a sample for a test)
DOUBTS = [round(DICE.random(), 2) for _ in range(80)]
SAMPLE = [Judged(doubt, wrong=DICE.random() < doubt) for doubt in DOUBTS]


def test_auroc_is_the_share_of_pairs_in_the_right_order() -> None:
    """Counted pair by pair, ties a half; its interval holds it."""
    wrong = [one.doubt for one in SAMPLE if one.wrong]
    right = [one.doubt for one in SAMPLE if not one.wrong]
    pairs = [(a > b) + (a == b) / 2 for a in wrong for b in right]
    found = auroc_interval(SAMPLE)

    assert sum(pairs) / len(pairs) == pytest.approx(auroc(SAMPLE))
    assert found.low < auroc(SAMPLE) < found.high
    assert Interval(0.0, 0.0, 0.0) == auroc_gain(SAMPLE, SAMPLE)
    assert auroc([]) == auroc([Judged(0.3, wrong=True)]) == 0.5


def test_area_under_risk_does_not_depend_on_the_order_of_ties() -> None:
    """Without any order it is the share of wrong answers; of nothing it is 0."""
    flat = [Judged(0.5, one.wrong) for one in SAMPLE]
    share = sum(one.wrong for one in SAMPLE) / len(SAMPLE)

    assert share == pytest.approx(area_under_risk(flat))
    assert area_under_risk(SAMPLE) == pytest.approx(area_under_risk(SAMPLE[::-1]))
    assert area_under_risk(SAMPLE) < share
    assert 0.0 == area_under_risk([])


def test_isotonic_steps_never_fall() -> None:
    """They are the pooled means, and their mean is the share of wrong answers."""
    chance = isotonic(SAMPLE)
    steps = [chance(i / 50) for i in range(51)]

    assert sorted(steps) == steps
    fitted = sum(chance(one.doubt) for one in SAMPLE)
    assert sum(one.wrong for one in SAMPLE) == pytest.approx(fitted)


def test_fits_lower_the_calibration_error() -> None:
    """A doubt of half the size is no chance as it is; what was right stays right."""
    halved = [Judged(one.doubt / 2, one.wrong) for one in SAMPLE * 4]
    found = calibration_halves(halved, is_chance=True)

    assert found.before is not None
    assert max(found.isotonic, found.platt) < found.before
    assert calibration_halves(halved, is_chance=False).before is None
    assert logistic(SAMPLE)(0.1) < 0.4
    assert logistic(SAMPLE)(0.9) > 0.6
    assert 0.0 == calibration_error([], [])


def test_controlled_answers_keep_to_the_rate() -> None:
    """Within three points of it, where the doubt says how likely an error is."""
    dice = Random(5)  # noqa: S311 (a sample for a test)
    doubts = [dice.random() for _ in range(600)]
    found = controlled([Judged(doubt, wrong=dice.random() < doubt) for doubt in doubts], 0.2)

    assert 0.2 == pytest.approx(found.error, abs=0.03)
    assert 0.3 < found.coverage < 0.45
    assert 0 == found.without
    none = controlled([Judged(0.5, wrong=True)] * 10, 0.2)
    assert (None, None, 0.0, 200) == (none.error, none.pooled, none.coverage, none.without)


def test_doubts_are_fitted_together_without_the_answers_own_worth() -> None:
    """Noise stays noise, and a column that says something is heard among others."""
    dice = Random(2)  # noqa: S311 (a sample for a test)
    noise = [[dice.random(), dice.random()] for _ in SAMPLE]
    heard = [[dice.random(), None if i % 9 == 0 else one.doubt] for i, one in enumerate(SAMPLE)]
    wrong = [one.wrong for one in SAMPLE]
    of = {
        name: auroc([Judged(d, w) for d, w in zip(together(rows, wrong), wrong, strict=True)])
        for name, rows in (("noise", noise), ("heard", heard))
    }

    assert of["noise"] < 0.65 < of["heard"]


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


def test_a_fit_that_sees_one_half_keeps_to_the_rate() -> None:
    """Of two columns, one of noise; noise alone has no limit."""
    dice = Random(5)  # noqa: S311 (a sample for a test)
    doubts = [dice.random() for _ in range(400)]
    wrong = [dice.random() < doubt for doubt in doubts]
    heard = [[doubt, dice.random()] for doubt in doubts]
    found = controlled_together(heard, wrong, 0.2)
    lost = controlled_together([[None, noise] for _, noise in heard], wrong, 0.2)

    assert 0.2 == pytest.approx(found.error, abs=0.03)
    assert 0.2 < found.coverage < 0.5
    assert lost.coverage < 0.05


def test_limits_of_all_that_is_asked_are_kept_without_any_order() -> None:
    """Six of ten wrong, and a doubt that says nothing: a third is given."""
    dice = Random(6)  # noqa: S311 (a sample for a test)
    found = controlled(
        [Judged(dice.random(), dice.random() < 0.6) for _ in range(200)], 0.2, of="asked"
    )

    assert 0.2 == pytest.approx(found.error, abs=0.03)
    assert 0.2 < found.coverage < 0.45


def test_the_surest_are_at_least_a_share() -> None:
    """Those of one doubt are given together."""
    judged = [Judged(0.1, wrong=False), *[Judged(0.2, wrong=True)] * 3]

    assert (1, 0) == (surest(judged, 0.25).answered, surest(judged, 0.25).wrong)
    assert (4, 3) == (surest(judged, 0.3).answered, surest(judged, 0.3).wrong)
