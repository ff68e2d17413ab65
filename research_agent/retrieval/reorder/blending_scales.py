"""Scores of different kinds brought to one scale, so that they can be added."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, isfinite, sqrt
from typing import Literal

from research_agent.retrieval.reorder.rank_correlation import average_ranks

Mode = Literal["rank", "z-score", "min-max", "softmax"]
Collapse = Literal["", "constant", "not finite", "flat"]
"""Why a channel says nothing about the order: its scores are all equal up to rounding, one is no
finite number, or the scaling has made them equal."""

SAME = 1e-9
"""Scores that differ by less than this share of the largest are equal."""
FLAT = 1e-6
"""Scaled values within a range smaller than this are equal."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How scores are brought to one scale."""

    mode: Mode = "rank"
    temperature: float = 1.0
    """Mode "softmax": in standard deviations; smaller values favour the best hits more."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """Scores on the common scale, all 0 where they collapsed."""

    values: tuple[float, ...]
    collapse: Collapse = ""


def scaled(values: Sequence[float], scale: Scale) -> Scaled:
    """Return `values` on the common scale, larger still better.

    * rank: 1 for the best and 0 for the worst, evenly between; equal values share their mean
    * z-score: standard deviations above the mean
    * min-max: 1 for the largest and 0 for the smallest, in proportion between
    * softmax: shares of 1, by exp(z-score / temperature). Of the z-score and not of the value,
      because a temperature for cosines is none for BM25.

    The same values give the same result in any order: sums are exact.

    >>> scaled([3.0, 1.0, 2.0], Scale("rank")).values
    (1.0, 0.0, 0.5)
    >>> scaled([0.2, 0.2], Scale("z-score")).collapse
    'constant'
    >>> scaled([3.0, 1.0, 2.0], Scale("softmax", temperature=1e9)).collapse
    'flat'
    """
    nothing = tuple(0.0 for _ in values)
    if not all(isfinite(value) for value in values) or not isfinite(_range(values)):
        return Scaled(nothing, "not finite")
    if not values or _range(values) <= SAME * max(abs(value) for value in values):
        return Scaled(nothing, "constant")
    if scale.mode == "softmax":
        found = _shares(_z_scores(values), scale.temperature)
    else:
        found = _MODES[scale.mode](values)
    return Scaled(nothing, "flat") if _range(found) < FLAT else Scaled(found)


def _range(values: Sequence[float]) -> float:
    return max(values, default=0.0) - min(values, default=0.0)


def _ranks(values: Sequence[float]) -> tuple[float, ...]:
    return tuple((len(values) - rank) / (len(values) - 1) for rank in average_ranks(values))


def _min_max(values: Sequence[float]) -> tuple[float, ...]:
    low, size = min(values), _range(values)
    return tuple((value - low) / size for value in values)


def _z_scores(values: Sequence[float]) -> tuple[float, ...]:
    """Return the z-scores; of min-max values, so that no size of number overflows."""
    shares = _min_max(values)
    mean = fsum(shares) / len(shares)
    deviation = sqrt(fsum((share - mean) ** 2 for share in shares) / len(shares))
    return tuple((share - mean) / deviation for share in shares)


def _shares(z_scores: Sequence[float], temperature: float) -> tuple[float, ...]:
    top = max(z_scores)
    powers = [exp((z - top) / temperature) for z in z_scores]
    total = fsum(powers)
    return tuple(power / total for power in powers)


_MODES: Mapping[str, Callable[[Sequence[float]], tuple[float, ...]]] = {
    "rank": _ranks,
    "z-score": _z_scores,
    "min-max": _min_max,
}
