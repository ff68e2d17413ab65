"""How well a doubt tells wrong answers from right ones.

A doubt is larger where an answer is likelier to be wrong. Everything here is pure; chance comes
from generators with a fixed seed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.intervals import SEED, Interval
from research_agent.verification.calibration import Judged, curve

Floats = NDArray[np.float64]
RESAMPLES = 2000


def auroc(judged: Sequence[Judged]) -> float:
    """Return the chance that a wrong answer has a larger doubt than a right one; ties count half.

    0.5 where all are wrong, or none is.

    >>> auroc([Judged(0.9, True), Judged(0.1, False), Judged(0.9, False)])
    0.75
    """
    return float(_aurocs([judged], _once([judged]))[0])


def auroc_interval(judged: Sequence[Judged]) -> Interval:
    """Return the AUROC with the interval in which 95 % of those of resampled answers lie."""
    return auroc_within([judged])


def auroc_gain(ours: Sequence[Judged], theirs: Sequence[Judged]) -> Interval:
    """Return how much larger the AUROC of `ours` is, of the same answers in the same order.

    >>> sure = [Judged(0.1, False), Judged(0.9, True)]
    >>> auroc_gain(sure, [Judged(0.5, False), Judged(0.5, True)]).mean
    0.5
    """
    drawn = [_resamples(len(ours))]
    gains = _aurocs([ours], drawn) - _aurocs([theirs], drawn)
    return _interval(auroc(ours) - auroc(theirs), gains)


def auroc_within(sets: Sequence[Sequence[Judged]]) -> Interval:
    """Return the AUROC over pairs of answers of the same set, with its 95 % interval.

    Over all pairs a doubt can look good that only tells one set from another.

    >>> easy = [Judged(0.1, False), Judged(0.1, True)]
    >>> hard = [Judged(0.9, False), Judged(0.9, True), Judged(0.9, True)]
    >>> auroc_within([easy, hard]).mean, round(auroc([*easy, *hard]), 2)
    (0.5, 0.58)
    """
    drawn = [_resamples(len(one)) for one in sets]
    return _interval(float(_aurocs(sets, _once(sets))[0]), _aurocs(sets, drawn))


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


def area_under_risk(judged: Sequence[Judged]) -> float:
    """Return the area under risk and coverage: the mean error as the surest answers are added.

    Answers with the same doubt are added together. Smaller is better; a doubt that says nothing
    has the share of wrong answers. See Geifman, Uziel and El-Yaniv, ICLR 2019, arXiv 1805.08206.

    >>> area_under_risk([Judged(0.1, False), Judged(0.9, True)])
    0.25
    """
    total, before = 0.0, 0
    for point in curve(judged):
        total += point.wrong / point.answered * (point.answered - before)
        before = point.answered
    return total / before if before else 0.0


def _resamples(answers: int) -> Floats:
    """Return how often each answer was drawn, one row a resample."""
    if not answers:
        return np.ones((1, 0))
    dice = np.random.default_rng(SEED)
    return dice.multinomial(answers, [1 / answers] * answers, RESAMPLES).astype(float)


def _once(sets: Sequence[Sequence[Judged]]) -> list[Floats]:
    """Return each answer drawn once."""
    return [np.ones((1, len(one))) for one in sets]


def _interval(value: float, resampled: Floats) -> Interval:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Interval(value, float(low), float(high))


def _aurocs(sets: Sequence[Sequence[Judged]], drawn: Sequence[Floats]) -> Floats:
    """Return one AUROC, over pairs of one set, a row drawn; 0.5 where there are no such pairs."""
    parts = [_pairs(one, times) for one, times in zip(sets, drawn, strict=True)]
    won, of = sum(part[0] for part in parts), sum(part[1] for part in parts)
    found: Floats = np.where(of > 0, won / np.maximum(of, 1), 0.5)
    return found


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
