"""How well a doubt tells wrong answers from right ones.

A doubt is larger where an answer is likelier to be wrong. Everything here is pure; chance comes
from generators with a fixed seed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.intervals import SEED, Interval
from research_agent.core.risk_control import Judged

Floats = NDArray[np.float64]
RESAMPLES = 2000


def auroc_by_group(groups: Sequence[Sequence[Judged]]) -> Interval:
    """Return the AUROC over pairs of one group, with a 95 % interval over resampled groups.

    For groups of a few that belong together, such as the chunks of a question.

    >>> auroc_by_group([[Judged(0.1, False), Judged(0.9, True)]] * 3)
    Interval(mean=1.0, low=1.0, high=1.0)
    """
    ones = np.ones((1, len(groups)))
    won, of = _group_pairs(groups)
    drawn = _resamples(len(groups))
    return _interval(float(_shares(won, of, ones)[0]), _shares(won, of, drawn))


def auroc_by_group_gain(
    ours: Sequence[Sequence[Judged]], theirs: Sequence[Sequence[Judged]]
) -> Interval:
    """Return how much larger the AUROC over pairs of one group is, for the same groups."""
    mine, other = _group_pairs(ours), _group_pairs(theirs)
    drawn, ones = _resamples(len(ours)), np.ones((1, len(ours)))
    gain = _shares(*mine, ones) - _shares(*other, ones)
    return _interval(float(gain[0]), _shares(*mine, drawn) - _shares(*other, drawn))


def _resamples(answers: int) -> Floats:
    """Return how often each answer was drawn, one row a resample."""
    if not answers:
        return np.ones((1, 0))
    dice = np.random.default_rng(SEED)
    return dice.multinomial(answers, [1 / answers] * answers, RESAMPLES).astype(float)


def _interval(value: float, resampled: Floats) -> Interval:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Interval(value, float(low), float(high))


def _pairs(judged: Sequence[Judged], drawn: Floats) -> tuple[Floats, Floats]:
    """Return how many pairs of a wrong and a right answer are in order, and how many there are."""
    doubts, wrong = arrays(judged)
    bad, good = wrong > 0, wrong == 0
    above = doubts[bad][:, None] - doubts[good][None, :]
    won = (above > 0) + (above == 0) / 2
    of: Floats = drawn[:, bad].sum(axis=1) * drawn[:, good].sum(axis=1)
    return ((drawn[:, bad] @ won) * drawn[:, good]).sum(axis=1), of


def _group_pairs(groups: Sequence[Sequence[Judged]]) -> tuple[Floats, Floats]:
    """Return for each group how many pairs are in order, and how many there are."""
    counted = [_pairs(group, np.ones((1, len(group)))) for group in groups]
    won = np.array([float(pair[0][0]) for pair in counted])
    return won, np.array([float(pair[1][0]) for pair in counted])


def _shares(won: Floats, of: Floats, drawn: Floats) -> Floats:
    """Return the share of pairs in order, a row drawn; 0.5 where there are none."""
    pairs = drawn @ of
    found: Floats = np.where(pairs > 0, (drawn @ won) / np.maximum(pairs, 1), 0.5)
    return found


def arrays(judged: Sequence[Judged]) -> tuple[Floats, Floats]:
    """Return the doubts, and 1 for each that is wrong, 0 for each that is right."""
    return (
        np.array([one.doubt for one in judged], dtype=float),
        np.array([one.wrong for one in judged], dtype=float),
    )
