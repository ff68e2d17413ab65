"""How far two lists of scores agree about the order of the same things."""

from collections.abc import Sequence
from itertools import groupby
from math import fsum, sqrt


def average_ranks(values: Sequence[float]) -> tuple[float, ...]:
    """Return the rank of each value, the largest being 1; equal values share their mean rank.

    >>> average_ranks([0.9, 0.1, 0.9, 0.5])
    (1.5, 4.0, 1.5, 3.0)
    """
    ranks = [0.0] * len(values)
    before = 0
    by_value = sorted(range(len(values)), key=lambda at: -values[at])
    for _, group in groupby(by_value, key=lambda at: values[at]):
        tied = list(group)
        for at in tied:
            ranks[at] = before + (len(tied) + 1) / 2
        before += len(tied)
    return tuple(ranks)


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation, in [-1, 1]: Pearson's of the average ranks.

    None where it is not defined: fewer than two values, or one list that is constant. Raises
    ValueError where the lengths differ. See Spearman 1904, doi:10.2307/1412159.

    >>> spearman([1, 2, 3], [10, 20, 30]), spearman([1, 2, 2], [3, 1, 1])
    (1.0, -1.0)
    >>> spearman([1, 2, 3], [5, 5, 5]) is None
    True
    """
    pairs = list(zip(average_ranks(left), average_ranks(right), strict=True))
    mean = (len(pairs) + 1) / 2
    spreads = [fsum((pair[side] - mean) ** 2 for pair in pairs) for side in (0, 1)]
    if not all(spreads):
        return None
    shared = fsum((a - mean) * (b - mean) for a, b in pairs)
    return max(-1.0, min(1.0, shared / sqrt(spreads[0] * spreads[1])))
