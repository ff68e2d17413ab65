"""Logistic regression with numpy alone, fitted on some families of sentences and tested on another.

With it how well a score tells supported sentences from others: per family, and their mean.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from research_agent.evaluation.intervals import SEED, Interval
from research_agent.evaluation.risk import auroc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PENALTIES = (1.0, 10.0, 100.0, 1000.0)
"""Weights of the squared coefficients that are tried on the training families alone."""
STEPS = 30
BINS = 10
MARKED = 0.1
"""Share of the supported sentences that is marked where catches are counted."""
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Data:
    """One place of each array is one sentence."""

    values: "NDArray[np.float64]"
    """Features, in the order of `FEATURES`."""
    coverage: "NDArray[np.float64]"
    """Share of the sentence's words that its best one to three sentences hold."""
    whole: "NDArray[np.float64]"
    """Share of the sentence's words that stand anywhere in the text."""
    supported: "NDArray[np.int64]"
    family: "NDArray[np.str_]"
    """The source's name before its first hyphen."""
    group: "NDArray[np.int64]"
    """Sentences of one document have one number."""
    contradicted: "NDArray[np.bool_]"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A logistic regression over standardised features."""

    means: "NDArray[np.float64]"
    scales: "NDArray[np.float64]"
    weights: "NDArray[np.float64]"
    bias: float

    def probabilities(self, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Return how likely each row is supported."""
        import numpy as np

        standard = (values - self.means) / self.scales
        return np.asarray(1.0 / (1.0 + np.exp(-(standard @ self.weights + self.bias))))


def fit(
    values: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
    *,
    penalty: float,
) -> Fitted:
    """Return the maximum of the penalised likelihood, each family with the same weight."""
    import numpy as np

    counts = {name: int((family == name).sum()) for name in np.unique(family)}
    weight = np.array([1.0 / counts[name] for name in family])
    weight *= len(weight) / weight.sum()
    means = np.average(values, axis=0, weights=weight)
    scales = np.sqrt(np.average((values - means) ** 2, axis=0, weights=weight)) + 1e-9
    inputs = np.column_stack([(values - means) / scales, np.ones(len(values))])
    ridge = np.diag([penalty] * values.shape[1] + [0.0])
    found = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        predicted = 1.0 / (1.0 + np.exp(-inputs @ found))
        slope = inputs.T @ (weight * (predicted - supported)) + ridge @ found
        curve = (inputs * (weight * predicted * (1 - predicted))[:, None]).T @ inputs + ridge
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-8:  # noqa: PLR2004 (nothing moves any more)
            break
    return Fitted(means, scales, found[:-1], float(found[-1]))


def left_out(
    values: "NDArray[np.float64]", supported: "NDArray[np.int64]", family: "NDArray[np.str_]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return probabilities and limits family by family, by what was fitted on the others.

    The penalty is chosen on the other families; below the limit are 10 % of their supported ones.
    """
    import numpy as np

    predicted, limit = np.zeros(len(supported)), np.zeros(len(supported))
    for name in np.unique(family):
        rest = family != name
        inner = values[rest], supported[rest], family[rest]
        penalty = chosen_penalty(*inner)
        predicted[~rest] = fit(*inner, penalty=penalty).probabilities(values[~rest])
        limit[~rest] = marking_limit(predictions(*inner, penalty=penalty), *inner[1:])
    return predicted, limit


def predictions(
    values: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
    *,
    penalty: float,
) -> "NDArray[np.float64]":
    """Return the probabilities of each family by what was fitted on the others."""
    import numpy as np

    predicted = np.zeros(len(supported))
    for name in np.unique(family):
        rest = family != name
        fitted = fit(values[rest], supported[rest], family[rest], penalty=penalty)
        predicted[~rest] = fitted.probabilities(values[~rest])
    return predicted


def chosen_penalty(
    values: "NDArray[np.float64]", supported: "NDArray[np.int64]", family: "NDArray[np.str_]"
) -> float:
    """Return the penalty with the best macro AUROC where each family is left out in turn."""
    scores = {
        penalty: macro(
            auroc, predictions(values, supported, family, penalty=penalty), supported, family
        )
        for penalty in PENALTIES
    }
    return max(scores, key=lambda penalty: scores[penalty])


def marking_limit(
    scores: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
    *,
    share: float = 0.1,
) -> float:
    """Return the limit below which this share of the supported sentences is, families alike."""
    import numpy as np

    yes = supported == 1
    order = np.argsort(scores[yes])
    names, counts = np.unique(family[yes], return_counts=True)
    weight = (1.0 / dict(zip(names, counts, strict=True))[name] for name in family[yes][order])
    below = np.cumsum(np.fromiter(weight, dtype=float))
    place = int(np.searchsorted(below / below[-1], share))
    return float(scores[yes][order][place])


def caught(scores: "NDArray[np.float64]", supported: "NDArray[np.int64]") -> float:
    """Return the share of the unsupported that is marked where 10 % of the supported are.

    It is nan where either is missing. Where scores tie at the limit, the share between both
    sides of the tie is taken.
    """
    import numpy as np

    yes, no = np.sort(scores[supported == 1]), np.sort(scores[supported == 0])
    if not len(yes) or not len(no):
        return float("nan")
    levels = np.unique(scores)
    false = np.searchsorted(yes, levels, side="right") / len(yes)
    true = np.searchsorted(no, levels, side="right") / len(no)
    return float(np.interp(MARKED, np.append(0.0, false), np.append(0.0, true)))


def calibration_error(scores: "NDArray[np.float64]", supported: "NDArray[np.int64]") -> float:
    """Return the expected calibration error over ten bins of equal width."""
    import numpy as np

    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    gaps = [
        (bins == one).mean() * abs(scores[bins == one].mean() - supported[bins == one].mean())
        for one in np.unique(bins)
    ]
    return float(sum(gaps))


def macro(
    score: "Callable[..., float]",
    scores: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
) -> float:
    """Return the mean of a score over the families."""
    import numpy as np

    return float(
        np.nanmean([score(scores[family == f], supported[family == f]) for f in np.unique(family)])
    )


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
