"""Doubts turned into chances to be wrong, and into limits; pure, with a fixed seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks.intervals import SEED
from benchmarks.uncertainty_metrics import Floats, arrays
from research_agent.core.risk_control import Judged, Of, Point, curve, risk_limit

SPLITS = 200
BINS = FOLDS = 10
Chances = Callable[[Sequence[Sequence[float | None]]], list[float]]
ROUNDS = 12
"""Newton steps of a logistic fit."""
RIDGE = 1e-3
"""Keeps a logistic fit finite where the doubt separates perfectly."""


def calibration_error(chances: Sequence[float], wrong: Sequence[bool]) -> float:
    """Return the expected calibration error of predicted chances to be wrong, in ten bins.

    See Naeini, Cooper and Hauskrecht, AAAI 2015.

    >>> round(calibration_error([0.1, 0.9], [False, True]), 3)
    0.1
    """
    predicted, seen = np.asarray(chances, dtype=float), np.asarray(wrong, dtype=float)
    bins = np.minimum((predicted * BINS).astype(int), BINS - 1)
    gaps = [
        abs(predicted[bins == i].mean() - seen[bins == i].mean()) * (bins == i).sum()
        for i in range(BINS)
        if (bins == i).any()
    ]
    return float(sum(gaps) / len(seen)) if len(seen) else 0.0


def isotonic(judged: Sequence[Judged]) -> Callable[[float], float]:
    """Return a step function from doubt to the chance to be wrong that never falls.

    Adjacent violators are pooled (Ayer et al. 1955); between two doubts the lower step holds.

    >>> chance = isotonic([Judged(0.1, False), Judged(0.5, True), Judged(0.9, True)])
    >>> chance(0.0), chance(0.2), chance(0.6)
    (0.0, 0.0, 1.0)
    """
    blocks: list[tuple[float, float, float]] = []  # (first doubt, mean, weight)
    before = Point(0.0, 0, 0)
    for point in curve(judged):
        same = point.answered - before.answered
        block = (point.limit, (point.wrong - before.wrong) / same, float(same))
        before = point
        while blocks and blocks[-1][1] >= block[1]:
            first, mean, weight = blocks.pop()
            both = weight + block[2]
            block = (first, (mean * weight + block[1] * block[2]) / both, both)
        blocks.append(block)
    starts, means = np.array([b[0] for b in blocks]), [b[1] for b in blocks]
    return lambda doubt: means[max(0, int(np.searchsorted(starts, doubt, side="right")) - 1)]


def logistic(judged: Sequence[Judged]) -> Callable[[float], float]:
    """Return Platt's fit of the chance to be wrong, 1 / (1 + exp(-(a + b * doubt))).

    >>> chance = logistic([Judged(0.1, False), Judged(0.9, True)] * 20)
    >>> chance(0.0) < 0.1 < 0.9 < chance(1.0)
    True
    """
    doubts, wrong = arrays(judged)
    middle, spread = doubts.mean(), doubts.std() or 1.0
    x = np.column_stack([np.ones(len(doubts)), (doubts - middle) / spread])
    weights = _weights(x, wrong, RIDGE)
    return lambda doubt: float(_chances(np.array([1.0, (doubt - middle) / spread]) @ weights))


@dataclass(frozen=True, slots=True)
class Halves:
    """Mean calibration errors over random halves: fitted on one, measured on the other."""

    before: float | None
    """Of the doubt itself; None where it is no chance."""
    isotonic: float
    platt: float


def calibration_halves(judged: Sequence[Judged], *, is_chance: bool) -> Halves:
    """Return calibration errors before and after two fits."""
    before: list[float] = []
    after: dict[str, list[float]] = {"isotonic": [], "platt": []}
    for fit, test in splits(judged):
        wrong = [one.wrong for one in test]
        if is_chance:
            before.append(calibration_error([one.doubt for one in test], wrong))
        for name, method in (("isotonic", isotonic), ("platt", logistic)):
            chance = method(fit)
            after[name].append(calibration_error([chance(one.doubt) for one in test], wrong))
    raw = fmean(before) if before else None
    return Halves(raw, fmean(after["isotonic"]), fmean(after["platt"]))


@dataclass(frozen=True, slots=True)
class Controlled:
    """What a fitted limit led to on the other halves."""

    error: float | None
    """Mean share of wrong answers among those given, over the halves where any was given."""
    pooled: float | None
    """Wrong answers of all halves, by all answers given there."""
    coverage: float
    """Mean share of the drafts that were given, over all halves."""
    without: int
    """Halves where no limit was found, so that nothing was given."""


def controlled(judged: Sequence[Judged], rate: float, *, of: Of = "answered") -> Controlled:
    """Fit the limit for `rate` on random halves and see what it does on the others."""
    return _controlled(splits(judged), rate, of)


def controlled_together(
    doubts: Sequence[Sequence[float | None]], wrong: Sequence[bool], rate: float
) -> Controlled:
    """Do the same with one doubt made of several, whose fit sees the first halves alone.

    The limit is fitted to doubts of which none took part in its own fit (`together`); the fit
    that the other half is judged by is of the whole first half.
    """
    order = [Judged(float(at), bad) for at, bad in enumerate(wrong)]
    pairs = []
    for fit, test in splits(order):
        known = [int(one.doubt) for one in fit]
        labels = [wrong[at] for at in known]
        if len(set(labels)) < len((True, False)):
            continue
        rows = [doubts[at] for at in known]
        chance = _fitted(rows, labels)
        made = together(rows, labels)
        others = chance([doubts[int(one.doubt)] for one in test])
        pairs.append(
            (
                [Judged(doubt, bad) for doubt, bad in zip(made, labels, strict=True)],
                [Judged(doubt, one.wrong) for doubt, one in zip(others, test, strict=True)],
            )
        )
    return _controlled(pairs, rate, "answered")


def surest(judged: Sequence[Judged], share: float) -> Point:
    """Return what giving at least a `share` of the answers leads to, the surest first.

    >>> surest([Judged(0.1, False), Judged(0.2, True), Judged(0.3, True)], 0.5)
    Point(limit=0.2, answered=2, wrong=1)
    """
    return next(one for one in curve(judged) if one.answered >= share * len(judged))


def together(doubts: Sequence[Sequence[float | None]], wrong: Sequence[bool]) -> list[float]:
    """Return one doubt made of several by a logistic fit; no answer takes part in its own fit.

    `doubts` has one row an answer. What an answer lacks is taken as the mean of the others. The
    answers are dealt to `FOLDS` folds by chance; each fold's doubts come from a fit to the others.

    >>> made = together([[0.1, 0.5], [0.9, 0.5]] * 20, [False, True] * 20)
    >>> max(made[::2]) < 0.5 < min(made[1::2])
    True
    """
    labels = np.array(wrong, dtype=float)
    fold = np.random.default_rng(SEED).permutation(len(labels)) % FOLDS
    made = np.zeros(len(labels))
    for i in range(FOLDS):
        others = np.flatnonzero(fold != i)
        chance = _fitted([doubts[int(at)] for at in others], [wrong[int(at)] for at in others])
        left = np.flatnonzero(fold == i)
        made[left] = chance([doubts[int(at)] for at in left])
    return made.tolist()


def splits(judged: Sequence[Judged]) -> list[tuple[list[Judged], list[Judged]]]:
    """Return `SPLITS` random halves of the answers, the same ones each time."""
    dice = np.random.default_rng(SEED)
    found, half = [], len(judged) // 2
    for _ in range(SPLITS):
        order = dice.permutation(len(judged))
        found.append(([judged[i] for i in order[:half]], [judged[i] for i in order[half:]]))
    return found


def _controlled(
    pairs: Sequence[tuple[Sequence[Judged], Sequence[Judged]]], rate: float, of: Of
) -> Controlled:
    """Fit a limit on the first of each pair and see what it does on the second."""
    errors, shares, none, wrong, given_in_all = [], [], 0, 0, 0
    for fit, test in pairs:
        found = risk_limit(fit, rate, of=of)
        given = [one for one in test if found and one.doubt <= found.limit]
        none += found is None
        shares.append(len(given) / len(test))
        bad, out_of = sum(one.wrong for one in given), len(given if of == "answered" else test)
        if out_of:
            errors.append(bad / out_of)
            wrong, given_in_all = wrong + bad, given_in_all + out_of
    mean = fmean(errors) if errors else None
    pooled = wrong / given_in_all if given_in_all else None
    return Controlled(mean, pooled, fmean(shares) if shares else 0.0, none)


def _fitted(doubts: Sequence[Sequence[float | None]], wrong: Sequence[bool]) -> Chances:
    """Return what makes one doubt of several, by a logistic fit to these answers."""
    given = _table(doubts)
    known = np.maximum((~np.isnan(given)).sum(axis=0), 1)
    middle = np.nansum(given, axis=0) / known
    spread = np.sqrt(np.nansum((given - middle) ** 2, axis=0) / known)
    spread = np.where(spread > 0, spread, 1.0)

    def scaled(rows: Floats) -> Floats:
        x = (np.where(np.isnan(rows), middle, rows) - middle) / spread
        return np.column_stack([np.ones(len(rows)), x])

    weights = _weights(scaled(given), np.array(wrong, dtype=float), 1.0)
    return lambda rows: _chances(scaled(_table(rows)) @ weights).tolist()


def _table(doubts: Sequence[Sequence[float | None]]) -> Floats:
    return np.array([[np.nan if d is None else d for d in row] for row in doubts], dtype=float)


def _weights(x: Floats, wrong: Floats, ridge: float) -> Floats:
    """Return the weights of a logistic fit, found by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(ROUNDS):
        p = _chances(x @ weights)
        slope = x.T @ (wrong - p) - ridge * weights
        bend = (x * (p * (1 - p))[:, None]).T @ x + ridge * np.eye(x.shape[1])
        weights = weights + np.clip(np.linalg.solve(bend, slope), -5, 5)
    return weights


def _chances(sums: Floats) -> Floats:
    chances: Floats = 1 / (1 + np.exp(-np.clip(sums, -30, 30)))
    return chances
