"""Bootstrap intervals: repeatable, and as wide as theory says."""

from math import sqrt
from statistics import NormalDist

import pytest

from benchmarks.intervals import mean_interval, paired_difference, wilson


def test_an_interval_is_the_same_in_every_run() -> None:
    """The dice are seeded."""
    values = [0.0, 1.0, 0.5, 0.25, 1.0]

    assert mean_interval(values) == mean_interval(values)


def test_an_interval_is_as_wide_as_the_normal_approximation() -> None:
    """With 400 yes/no values the interval is that of the standard error, to one hundredth."""
    values = [1.0] * 100 + [0.0] * 300
    half = NormalDist().inv_cdf(0.975) * sqrt(0.25 * 0.75 / 400)
    found = mean_interval(values)

    assert 0.25 == found.mean
    assert (0.25 - half, 0.25 + half) == pytest.approx((found.low, found.high), abs=0.01)


def test_pairs_show_what_means_alone_do_not() -> None:
    """A small gain on every question is sure, although both means are not."""
    theirs = [i / 20 for i in range(20)]
    ours = [value + 0.02 for value in theirs]
    difference = paired_difference(ours, theirs)

    assert 0.02 == pytest.approx(difference.low)
    assert mean_interval(ours).low < mean_interval(theirs).high


def test_nothing_to_compare_is_an_error() -> None:
    """No values have no mean, and questions of different number are no pairs."""
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 1.0], [1.0])


def test_a_share_of_none_or_all_has_an_interval_within_0_and_1() -> None:
    """Wilson's interval reaches neither below 0 nor above 1, and is not empty there."""
    none, every = wilson(0, 10), wilson(10, 10)

    assert (0.0, 1.0) == pytest.approx((none.low, every.high), abs=1e-12)
    assert 0.2775 == pytest.approx(none.high, abs=1e-4)
    assert 0.7225 == pytest.approx(every.low, abs=1e-4)
    with pytest.raises(ValueError, match="no trials"):
        wilson(0, 0)
