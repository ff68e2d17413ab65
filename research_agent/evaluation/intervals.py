"""How sure a mean over questions is, and how sure a difference.

Intervals are percentile bootstraps with a fixed seed (Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, chapters 13 and 16) or Wilson's.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import comb, sqrt

NORMAL = 1.959963984540054
"""Standard deviations of a normal distribution within which 95 % lie."""
RESAMPLES = 5000
SEED = 20261122


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float], *, seed: int = SEED) -> Interval:
    """Return the mean of `values` with the interval in which 95 % of resampled means lie.

    Raises ValueError without values.
    """
    import numpy as np

    if not values:
        raise ValueError("no values, no mean")
    array = np.asarray(values, dtype=float)
    dice = np.random.default_rng(seed)
    means = array[dice.integers(0, len(array), (RESAMPLES, len(array)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(array.mean()), float(low), float(high))


def paired_difference(
    ours: Sequence[float], theirs: Sequence[float], *, seed: int = SEED
) -> Interval:
    """Return the mean of `ours` - `theirs`, of the same questions in the same order.

    An interval that holds 0 shows no difference. Raises ValueError where the lengths differ.
    """
    return mean_interval(
        [mine - other for mine, other in zip(ours, theirs, strict=True)], seed=seed
    )


def wilson(count: int, of: int) -> Interval:
    """Return a share with its 95 % interval; right also where the share is 0 or 1.

    See Wilson, Probable Inference, 1927, doi:10.1080/01621459.1927.10502953. Raises ValueError
    where `of` is 0.

    >>> found = wilson(11, 20)
    >>> round(found.low, 3), round(found.high, 3)
    (0.342, 0.742)
    """
    if not of:
        raise ValueError("no trials, no share")
    share, weight = count / of, NORMAL**2 / of
    middle = (share + weight / 2) / (1 + weight)
    half = sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
    return Interval(share, max(0.0, middle - half), min(1.0, middle + half))


def told_mean(interval: Interval, digits: int = 2, sign: str = "") -> str:
    """Return a mean with its interval; `sign` "+" for a difference.

    >>> told_mean(Interval(0.1, -0.05, 0.2), sign="+")
    '+0.10 (-0.05 to +0.20)'
    """
    mean, low, high = (f"{value:{sign}.{digits}f}" for value in astuple(interval))
    return f"{mean} ({low} to {high})"


def sign_test(more: int, fewer: int) -> float:
    """Return how likely a split as uneven as this one is by chance; two-sided, ties left out.

    It is McNemar's exact test where the two numbers are the pairs that differ.
    """
    trials = more + fewer
    tail = sum(comb(trials, i) for i in range(min(more, fewer) + 1))
    return min(1.0, 2 * tail / (1 << trials))
