"""Logistic regression with numpy alone, fitted on some families and tested on the one left out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.grounding_scores import best_limit, macro_auroc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PENALTIES = (1.0, 10.0, 100.0, 1000.0)
"""Weights of the squared coefficients that are tried on the training families alone."""
STEPS = 30


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
        told = 1.0 / (1.0 + np.exp(-inputs @ found))
        slope = inputs.T @ (weight * (told - supported)) + ridge @ found
        curve = (inputs * (weight * told * (1 - told))[:, None]).T @ inputs + ridge
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-8:  # noqa: PLR2004 (nothing moves any more)
            break
    return Fitted(means, scales, found[:-1], float(found[-1]))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Predictions for each family by what was fitted on the others."""

    probability: "NDArray[np.float64]"
    limit: "NDArray[np.float64]"
    """Below it 10 % of the supported sentences of the other families are."""
    middle: "NDArray[np.float64]"
    """The limit of the best balanced accuracy on the other families."""


def left_out(
    values: "NDArray[np.float64]", supported: "NDArray[np.int64]", family: "NDArray[np.str_]"
) -> LeftOut:
    """Return predictions family by family; the penalty is chosen on the other families."""
    import numpy as np

    told, limit, middle = (np.zeros(len(supported)) for _ in range(3))
    for name in np.unique(family):
        rest = family != name
        inner = values[rest], supported[rest], family[rest]
        penalty = chosen_penalty(*inner)
        told[~rest] = fit(*inner, penalty=penalty).probabilities(values[~rest])
        seen = predictions(*inner, penalty=penalty)
        limit[~rest] = marking_limit(seen, *inner[1:])
        middle[~rest] = best_limit(seen, inner[1], inner[2])
    return LeftOut(told, limit, middle)


def predictions(
    values: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
    *,
    penalty: float,
) -> "NDArray[np.float64]":
    """Return the probabilities of each family by what was fitted on the others."""
    import numpy as np

    told = np.zeros(len(supported))
    for name in np.unique(family):
        rest = family != name
        fitted = fit(values[rest], supported[rest], family[rest], penalty=penalty)
        told[~rest] = fitted.probabilities(values[~rest])
    return told


def chosen_penalty(
    values: "NDArray[np.float64]", supported: "NDArray[np.int64]", family: "NDArray[np.str_]"
) -> float:
    """Return the penalty with the best macro AUROC where each family is left out in turn."""
    scores = {
        penalty: macro_auroc(
            predictions(values, supported, family, penalty=penalty), supported, family
        )
        for penalty in PENALTIES
    }
    return max(scores, key=lambda penalty: scores[penalty])


def marking_limit(
    told: "NDArray[np.float64]",
    supported: "NDArray[np.int64]",
    family: "NDArray[np.str_]",
    *,
    share: float = 0.1,
) -> float:
    """Return the limit below which this share of the supported sentences is, families alike."""
    import numpy as np

    yes = supported == 1
    order = np.argsort(told[yes])
    names, counts = np.unique(family[yes], return_counts=True)
    weight = (1.0 / dict(zip(names, counts, strict=True))[name] for name in family[yes][order])
    below = np.cumsum(np.fromiter(weight, dtype=float))
    place = int(np.searchsorted(below / below[-1], share))
    return float(told[yes][order][place])
