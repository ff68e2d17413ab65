"""How well a score tells supported sentences from others: per family, and their mean."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.grounding_rows import Data
from benchmarks.intervals import SEED, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BINS = 10
MARKED = 0.1
"""Share of the supported sentences that is marked where catches are counted."""
RESAMPLES = 1000


def auroc(told: "NDArray[np.float64]", supported: "NDArray[np.int64]") -> float:
    """Return how likely a supported sentence has the higher score; ties count half.

    It is nan where all are supported, or none is.

    >>> import numpy as np
    >>> auroc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    0.875
    """
    import numpy as np

    _, place, counts = np.unique(told, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    yes = int(supported.sum())
    no = len(supported) - yes
    if not yes or not no:
        return float("nan")
    return float((ranks[supported == 1].sum() - yes * (yes + 1) / 2) / (yes * no))


def caught(told: "NDArray[np.float64]", supported: "NDArray[np.int64]") -> float:
    """Return the share of the unsupported that is marked where 10 % of the supported are.

    It is nan where either is missing. Where scores tie at the limit, the share between both
    sides of the tie is taken.
    """
    import numpy as np

    yes, no = np.sort(told[supported == 1]), np.sort(told[supported == 0])
    if not len(yes) or not len(no):
        return float("nan")
    levels = np.unique(told)
    false = np.searchsorted(yes, levels, side="right") / len(yes)
    true = np.searchsorted(no, levels, side="right") / len(no)
    return float(np.interp(MARKED, np.append(0.0, false), np.append(0.0, true)))


def balanced(left: "NDArray[np.float64]", supported: "NDArray[np.int64]") -> float:
    """Return the mean of the shares marked of the unsupported and left of the supported.

    `left` is 1 for a sentence without a mark, 0 for one that is marked.
    """
    if len(set(supported.tolist())) == 1:
        return float("nan")
    return float((1.0 - left[supported == 0].mean() + left[supported == 1].mean()) / 2)


def best_limit(
    told: "NDArray[np.float64]", supported: "NDArray[np.int64]", family: "NDArray[np.str_]"
) -> float:
    """Return the limit with the best balanced accuracy, families alike."""
    import numpy as np

    levels = np.quantile(told, np.linspace(0.02, 0.98, 49))
    means = [
        macro(lambda t, y, at=at: balanced((t >= at).astype(float), y), told, supported, family)
        for at in levels
    ]
    return float(levels[int(np.argmax(means))])


def calibration_error(told: "NDArray[np.float64]", supported: "NDArray[np.int64]") -> float:
    """Return the expected calibration error over ten bins of equal width."""
    import numpy as np

    bins = np.minimum((told * BINS).astype(int), BINS - 1)
    gaps = [
        (bins == one).mean() * abs(told[bins == one].mean() - supported[bins == one].mean())
        for one in np.unique(bins)
    ]
    return float(sum(gaps))


def macro(
    score: "Callable[..., float]",
    told: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
) -> float:
    """Return the mean of a score over the families."""
    import numpy as np

    return float(
        np.nanmean([score(told[family == f], supported[family == f]) for f in np.unique(family)])
    )


def macro_auroc(
    told: "NDArray[np.float64]", supported: "NDArray[np.int64]", family: "NDArray[np.str_]"
) -> float:
    """Return the mean of the families' AUROC."""
    return macro(auroc, told, supported, family)


def differences(
    score: "Callable[..., float]",
    pair: "tuple[NDArray[np.float64], NDArray[np.float64]]",
    measured: Data,
) -> dict[str, Interval]:
    """Return the first's score less the second's for each family and their mean, with intervals.

    Documents are drawn, not sentences, and both see the same ones.
    """
    import numpy as np

    dice = np.random.default_rng(SEED)
    given: dict[str, float] = {}
    drawn: dict[str, NDArray[np.float64]] = {}
    for name in sorted(set(measured.family.tolist())):
        of = np.flatnonzero(measured.family == name)
        groups = measured.group[of]
        members = [of[groups == group] for group in np.unique(groups)]

        def gap(some: "NDArray[np.int64]") -> float:
            ours, theirs = (score(told[some], measured.supported[some]) for told in pair)
            return ours - theirs

        given[name] = gap(of)
        picks = dice.integers(0, len(members), (RESAMPLES, len(members)))
        drawn[name] = np.array([gap(np.concatenate([members[i] for i in pick])) for pick in picks])
    drawn["mean"] = np.nanmean(list(drawn.values()), axis=0)
    given["mean"] = float(np.nanmean(list(given.values())))
    return {
        name: Interval(given[name], *map(float, np.nanpercentile(found, [2.5, 97.5])))
        for name, found in drawn.items()
    }
