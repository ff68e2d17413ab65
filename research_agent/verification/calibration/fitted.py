"""Thresholds that were fitted to a user's own documents, and how sure they are.

A threshold is for one index, one embedding model and one set of settings; `Fingerprint` says
which. Thresholds have the names of the settings whose place they take, so that later ones fit
into the same file. Those that answers need are in `core.answer_limits`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import exp, lgamma, log

from research_agent.verification.calibration.answer_limits import AnswerLimit
from research_agent.verification.calibration.gain_limits import GainLimit

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
    """The first hits hold what the question was made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A fitted threshold and what it rests on."""

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
    """Questions that were asked."""
    left_out: int = 0
    """The same questions, asked without the chunks they were made from."""
    left_out_passed: int = 0
    """Those of them that reached the threshold too."""
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
    """The embedding model."""
    generation: int
    """The state of the index: how often it had been published."""
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
    answers: Mapping[str, AnswerLimit] = field(default_factory=dict)
    """Limits from answers whose worth was known, by the name of the setting."""
    gain: GainLimit | None = None
    """From which gain on a chunk stays; None where gains were not measured, or say nothing."""


def error_bound(errors: int, questions: int, doubt: float = DOUBT) -> float:
    """Return an upper bound of an error rate: one-sided, exact, after Clopper and Pearson.

    With a chance of at most `doubt` the true rate is higher. Without questions it is 1. See
    Clopper and Pearson, Biometrika 1934, doi:10.1093/biomet/26.4.404.

    >>> [round(error_bound(errors, 30), 3) for errors in (0, 1, 30)]
    [0.095, 0.149, 1.0]
    """
    if errors >= questions:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):  # (halved until nothing is left to halve)
        rate = (low + high) / 2
        if _chance_of_at_most(errors, questions, rate) > doubt:
            low = rate
        else:
            high = rate
    return high


def fit_threshold(
    asked: Sequence[Observation],
    left_out: Sequence[float] = (),
    *,
    rate: float,
    doubt: float = DOUBT,
    source: str = "",
) -> Threshold:
    """Return the smallest threshold whose error rate is below `rate` for all we can tell.

    Of the questions that reach a threshold, those whose first hits are wrong are its errors. The
    thresholds tried are fixed beforehand and share `doubt` (Bonferroni), so the bound holds for
    whichever is taken. See Geifman and El-Yaniv, Selective Classification for Deep Neural
    Networks, NeurIPS 2017. `left_out` are the confidences of the questions whose answer was left
    out: no query finds it, so they decide nothing here, but show whether confidence notices.

    >>> sure, unsure = [Observation(0.6, True)] * 90, [Observation(0.3, False)] * 90
    >>> fitted = fit_threshold([*sure, *unsure], [0.2, 0.4], rate=0.1)
    >>> fitted.value, fitted.passed, fitted.errors, fitted.left_out_passed
    (0.35, 90, 0, 1)
    >>> fit_threshold(unsure, rate=0.1).holds
    False
    """
    share = doubt / (STEPS + 1)
    for step in range(STEPS + 1):
        value = step / STEPS
        reached = [one for one in asked if one.confidence >= value]
        errors = sum(not one.right for one in reached)
        bound = error_bound(errors, len(reached), share)
        if bound <= rate:
            break
    else:
        value, reached, errors, bound = NEVER, [], 0, 1.0
    return Threshold(
        value=value,
        rate=rate,
        bound=round(bound, 4),
        passed=len(reached),
        errors=errors,
        questions=len(asked),
        left_out=len(left_out),
        left_out_passed=sum(confidence >= value for confidence in left_out),
        source=source,
    )


def least_questions(rate: float, doubt: float = DOUBT) -> int:
    """Return how many questions have to reach a threshold, all of them right, to keep to `rate`.

    >>> least_questions(0.1), least_questions(0.2)
    (58, 28)
    """
    return int(log(doubt / (STEPS + 1)) / log(1 - rate)) + 1


def staleness(kept: Fingerprint, now: Fingerprint) -> tuple[bool, str]:
    """Return whether a calibration may still be used, and what has changed; empty: nothing.

    Where only documents have changed it may: most of what it was fitted to is still there. With
    another model or other settings its numbers mean something else.

    >>> from dataclasses import replace
    >>> kept = Fingerprint(model="m", generation=3, changed="2026-11-01", settings="s")
    >>> staleness(kept, kept), staleness(kept, replace(kept, generation=4))[0]
    ((True, ''), True)
    >>> staleness(kept, replace(kept, settings="t"))
    (False, 'the settings of retrieval or confidence are others')
    """
    if kept.model != now.model:
        return False, f"the embedding model was {kept.model}"
    if kept.settings != now.settings:
        return False, "the settings of retrieval or confidence are others"
    if (kept.generation, kept.changed) != (now.generation, now.changed):
        return True, "the index has changed"
    return True, ""


def sample(chunk_ids: Sequence[str], most: int) -> tuple[str, ...]:
    """Return up to `most` ids, the same ones whenever the ids are the same.

    Which ones is decided by a hash of the id, so a chunk that is added or removed changes little.

    >>> sample(["b", "a", "c"], 2) == sample(["c", "b", "a"], 2)
    True
    """
    return tuple(sorted(chunk_ids, key=lambda name: sha256(name.encode()).hexdigest())[:most])


def _chance_of_at_most(errors: int, questions: int, rate: float) -> float:
    """Return the chance of so many errors or fewer, where each question fails at `rate`."""
    if not 0 < rate < 1:
        return 1.0 if rate <= 0 else 0.0
    logs = (
        lgamma(questions + 1)
        - lgamma(k + 1)
        - lgamma(questions - k + 1)
        + k * log(rate)
        + (questions - k) * log(1 - rate)
        for k in range(errors + 1)
    )
    return sum(map(exp, logs))
