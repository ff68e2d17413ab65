"""Scores on one scale, and the test for a collapse."""

from math import exp, fsum, inf, nan
from random import Random
from typing import get_args

import pytest

from research_agent.retrieval.reorder.blending_scales import Mode, Scale, scaled

MODES: tuple[Mode, ...] = get_args(Mode)


def seeded(seed: int) -> Random:
    """The same draws every time."""
    return Random(seed)  # noqa: S311 (no secret is drawn)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([0.3, 0.3, 0.3], "constant"),
        ([0.1 + 0.2, 0.3], "constant"),
        ([0.0, 0.0], "constant"),
        ([7.0], "constant"),
        ([], "constant"),
        ([1.0, nan], "not finite"),
        ([1.0, inf], "not finite"),
        ([1e308, -1e308], "not finite"),
    ],
)
def test_collapse_is_seen_in_every_mode(mode: Mode, values: list[float], why: str) -> None:
    """Equal scores, or what is no number, say nothing about an order."""
    found = scaled(values, Scale(mode))

    assert why == found.collapse
    assert (0.0,) * len(values) == found.values


def test_a_temperature_can_flatten_everything() -> None:
    """The scaling itself can lose the order; that is a collapse too."""
    assert "flat" == scaled([3.0, 2.0, 1.0], Scale("softmax", temperature=1e8)).collapse
    assert "" == scaled([3.0, 2.0, 1.0], Scale("softmax", temperature=1.0)).collapse


@pytest.mark.parametrize("mode", MODES)
def test_order_and_ties_are_kept(mode: Mode) -> None:
    """For 50 seeded lists: larger stays larger, equal stays equal, whatever the sign and size."""
    dice = seeded(7)
    for _ in range(50):
        size = dice.choice([1e-6, 1.0, 1e6])
        values = [size * dice.randrange(-5, 6) for _ in range(dice.randrange(3, 20))] + [0, size]
        found = scaled(values, Scale(mode)).values
        pairs = [(i, j) for i in range(len(values)) for j in range(len(values))]

        assert all((values[i] < values[j]) == (found[i] < found[j]) for i, j in pairs)


@pytest.mark.parametrize("mode", MODES)
def test_order_of_the_values_does_not_matter(mode: Mode) -> None:
    """Sums are exact, so a value's place in the list changes no bit of it."""
    dice = seeded(8)
    values = [dice.gauss(0, 1) for _ in range(40)]
    order = dice.sample(range(40), 40)
    found = scaled(values, Scale(mode)).values

    assert tuple(found[i] for i in order) == scaled([values[i] for i in order], Scale(mode)).values


@pytest.mark.parametrize("mode", ["z-score", "softmax", "rank", "min-max"])
def test_units_do_not_matter(mode: Mode) -> None:
    """BM25 counts in tens and cosines in tenths; both get the same weight."""
    values = [0.11, 0.14, 0.25, 0.31]
    tens = scaled([100 * value + 7 for value in values], Scale(mode)).values

    assert pytest.approx(scaled(values, Scale(mode)).values) == tens


def test_z_scores_are_not_min_max() -> None:
    """Mean 0 and deviation 1, where min-max gives 0 to 1."""
    z = scaled([1.0, 2.0, 3.0, 4.0], Scale("z-score")).values

    assert pytest.approx(0.0) == fsum(z)
    assert pytest.approx(4.0) == fsum(value * value for value in z)
    assert pytest.approx((0.0, 1 / 3, 2 / 3, 1.0)) == (
        scaled([1.0, 2.0, 3.0, 4.0], Scale("min-max")).values
    )


def test_softmax_is_shares_and_favours_the_best() -> None:
    """Two scores are one deviation each from their mean: shares differ by exp(2 / temperature)."""
    low, high = scaled([0.5, 0.6], Scale("softmax", temperature=0.5)).values

    assert pytest.approx(1.0) == low + high
    assert pytest.approx(exp(4)) == high / low


def test_ranks_with_ties() -> None:
    """Equal scores stand in the middle of the places they share."""
    assert (1.0, 0.5, 0.5, 0.0) == scaled([9.0, 5.0, 5.0, 1.0], Scale("rank")).values
