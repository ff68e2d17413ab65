"""How well a score tells right answers from wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def auroc(scores: "NDArray[np.float64]", right: "NDArray[np.int64]") -> float:
    """Return how likely one that is right has a higher score than one that is not.

    Ties count half. It is nan where all are right, or none is.

    >>> import numpy as np
    >>> auroc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    0.875
    """
    import numpy as np

    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    yes = int(right.sum())
    no = len(right) - yes
    if not yes or not no:
        return float("nan")
    return float((ranks[right == 1].sum() - yes * (yes + 1) / 2) / (yes * no))


@dataclass(frozen=True, slots=True)
class Coverage:
    """The surest answers: their share of all, and the share of them that is wrong."""

    coverage: float
    risk: float


def risk_coverage(doubts: Sequence[float], right: Sequence[bool]) -> tuple[Coverage, ...]:
    """Return the risk at each coverage, the surest answers first; those of equal doubt together.

    See El-Yaniv and Wiener, JMLR 2010.

    >>> risk_coverage([0.2, 0.1], [False, True])
    (Coverage(coverage=0.5, risk=0.0), Coverage(coverage=1.0, risk=0.5))
    """
    rows = sorted(zip(doubts, right, strict=True))
    ends = [at for at in range(1, len(rows) + 1) if rows[at - 1][0] != (*rows, (None,))[at][0]]
    wrong = [sum(not one for _, one in rows[:at]) for at in ends]
    return tuple(Coverage(at / len(rows), of / at) for at, of in zip(ends, wrong, strict=True))


def area(curve: Sequence[Coverage]) -> float:
    """Return the mean risk over all coverages, each step at its own risk; smaller is better.

    >>> area(risk_coverage([0.2, 0.1], [False, True]))
    0.25
    """
    steps = zip((0.0, *(one.coverage for one in curve)), curve, strict=False)
    return sum((one.coverage - before) * one.risk for before, one in steps)
