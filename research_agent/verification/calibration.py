"""The limit of retrieval confidence fitted to a user's own documents, in place of the setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import exp, lgamma, log

BYPASS = "confidence.bypass"
NEVER = 1.01
"""A threshold that no confidence reaches."""
STEPS = 20
"""Thresholds that are tried are multiples of 1 / STEPS: chosen before any question is asked."""
DOUBT = 0.05
"""Chance that the error rate is above its bound all the same."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One question with a known outcome."""

    confidence: float
    right: bool
    """The first hits hold a chunk that the question was made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A fitted threshold of confidence."""

    value: float
    """`NEVER` where no threshold keeps to the rate."""
    rate: float
    """Share of errors that was allowed among the questions that reach the threshold."""
    bound: float
    """The share of errors is below this with a certainty of 1 - `DOUBT`."""
    passed: int
    """Questions that reached the threshold."""
    errors: int
    """Those of them whose first hits were wrong."""
    questions: int
    source: str = ""
    """Who wrote the questions: a model's name, or "rules"."""

    @property
    def holds(self) -> bool:
        """Whether a threshold was found that keeps to the rate."""
        return self.value < NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What a calibration is for."""

    model: str
    generation: int
    """How often the index had been published."""
    changed: str
    """When it was published last."""
    settings: str
    """A digest of the settings that confidence depends on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What is kept beside an index."""

    fingerprint: Fingerprint
    made: str
    """When: ISO 8601, UTC."""
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    """By the name of the setting."""


def error_bound(errors: int, questions: int, doubt: float = DOUBT) -> float:
    """Return an upper bound of an error rate: one-sided, exact, after Clopper and Pearson.

    With a chance of at most `doubt` the true rate is higher (Biometrika 1934,
    doi:10.1093/biomet/26.4.404). Without questions it is 1.

    >>> [round(error_bound(errors, 30), 3) for errors in (0, 1, 30)]
    [0.095, 0.149, 1.0]
    """
    if errors >= questions:
        return 1.0
    ways = [
        lgamma(questions + 1) - lgamma(k + 1) - lgamma(questions - k + 1) for k in range(errors + 1)
    ]
    low, high = 0.0, 1.0
    for _ in range(60):  # (halved until nothing is left to halve)
        rate = (low + high) / 2
        hit, miss = log(rate), log(1 - rate)
        chance = sum(exp(way + k * hit + (questions - k) * miss) for k, way in enumerate(ways))
        low, high = (rate, high) if chance > doubt else (low, rate)
    return high


def fit_threshold(asked: Sequence[Observation], *, rate: float, source: str = "") -> Threshold:
    """Return the smallest threshold whose error rate is below `rate` with certainty 1 - `DOUBT`.

    The thresholds tried are fixed beforehand and share `DOUBT` (Bonferroni), so the bound holds for
    whichever is taken (Geifman and El-Yaniv, Selective Classification, NeurIPS 2017).

    >>> sure, unsure = [Observation(0.6, True)] * 90, [Observation(0.3, False)] * 90
    >>> fitted = fit_threshold([*sure, *unsure], rate=0.1)
    >>> fitted.value, fitted.passed, fitted.errors
    (0.35, 90, 0)
    """
    value, reached, errors, bound = NEVER, 0, 0, 1.0
    for step in range(STEPS + 1):
        passed = [one for one in asked if one.confidence >= step / STEPS]
        wrong = sum(not one.right for one in passed)
        highest = error_bound(wrong, len(passed), DOUBT / (STEPS + 1))
        if highest <= rate:
            value, reached, errors, bound = step / STEPS, len(passed), wrong, highest
            break
    return Threshold(
        value=value,
        rate=rate,
        bound=round(bound, 4),
        passed=reached,
        errors=errors,
        questions=len(asked),
        source=source,
    )


def least_questions(rate: float) -> int:
    """Return how many questions have to reach a threshold, all of them right, to keep to `rate`."""
    return int(log(DOUBT / (STEPS + 1)) / log(1 - rate)) + 1


def staleness(kept: Fingerprint, now: Fingerprint) -> tuple[bool, str]:
    """Return whether a calibration may still be used, and what has changed; empty: nothing."""
    if kept.model != now.model:
        return False, f"the embedding model was {kept.model}"
    if kept.settings != now.settings:
        return False, "the settings of retrieval or confidence are others"
    if (kept.generation, kept.changed) != (now.generation, now.changed):
        return True, "the index has changed"
    return True, ""


def sample(chunk_ids: Sequence[str], most: int) -> tuple[str, ...]:
    """Return up to `most` ids, chosen by their hash: an added chunk takes at most one place."""
    return tuple(sorted(chunk_ids, key=lambda name: sha256(name.encode()).hexdigest())[:most])
