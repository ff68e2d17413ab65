"""Rank correlation with ties."""

from random import Random

import pytest

from research_agent.retrieval.reorder.rank_correlation import average_ranks, spearman


def seeded(seed: int) -> Random:
    """The same draws every time."""
    return Random(seed)  # noqa: S311 (no secret is drawn)


def test_ties_share_their_mean_rank() -> None:
    """A constant list has one rank for all."""
    assert (2.0, 2.0, 2.0) == average_ranks([5, 5, 5])
    assert (3.5, 1.0, 3.5, 2.0) == average_ranks([1, 9, 1, 4])


def test_constant_channel_has_no_correlation() -> None:
    """Neither -1 nor 0: nothing can be said."""
    assert None is spearman([1, 2, 3], [4, 4, 4])
    assert None is spearman([4, 4, 4], [1, 2, 3])
    assert None is spearman([1], [1])
    assert None is spearman([], [])


def test_known_value_with_ties() -> None:
    """Worked by hand: ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 give 4.5 / sqrt(4.5 * 5)."""
    assert pytest.approx(4.5 / (4.5 * 5) ** 0.5) == spearman([9, 5, 5, 1], [8, 7, 6, 5])


def test_codes_of_three_levels_are_not_biased() -> None:
    """Channels drawn apart from each other correlate by about 0, ties or not."""
    dice = seeded(4)
    left = [dice.random() for _ in range(4000)]
    right = [float(dice.randrange(3)) for _ in range(4000)]

    assert abs(spearman(left, right) or 1.0) < 0.05


def test_order_of_the_pairs_and_monotone_changes_do_not_matter() -> None:
    """For 50 seeded lists with many ties."""
    dice = seeded(5)
    for _ in range(50):
        size = dice.randrange(2, 30)
        left = [float(dice.randrange(6)) for _ in range(size)]
        right = [float(dice.randrange(6)) for _ in range(size)]
        order = dice.sample(range(size), size)
        shuffled = spearman([left[i] for i in order], [right[i] for i in order])
        stretched = spearman([value**3 for value in left], right)
        turned = spearman(left, [-value for value in right])
        plain = spearman(left, right)

        assert plain == shuffled == stretched
        assert turned == (None if plain is None else -plain)


def test_lists_of_different_lengths_are_refused() -> None:
    """Scores of other things cannot be compared."""
    with pytest.raises(ValueError, match="shorter"):
        spearman([1, 2], [1])
