"""Limits fitted to a user's own documents, and what they may be used for.

Two kinds: the confidence of a first search from which on a question is searched as it is
(`confidence.bypass`), and how sure a model has to be of an answer (`answer.min_answerable`,
`verify.max_entropy`). Each takes the place of the setting it is named after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from math import ceil, exp, floor, lgamma, log
from operator import attrgetter

BYPASS = "confidence.bypass"
MIN_ANSWERABLE = "answer.min_answerable"
MAX_ENTROPY = "verify.max_entropy"
NEVER = 1.01
"""A threshold that no confidence reaches."""
STEPS = 20
"""Thresholds that are tried are multiples of 1 / STEPS: chosen before any question is asked."""
DOUBT = 0.05
"""Chance that the error rate is above its bound all the same."""
LEAST_SHARE = 0.2
"""Of the answers seen, that a limit has to let pass: else it was found by chance too easily."""
DIGITS = 10_000
"""Limits of answers are multiples of 1 / DIGITS."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One question with a known outcome."""

    confidence: float
    right: bool
    """The first hits hold a chunk that the question was made from."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One drafted answer with a known outcome."""

    doubt: float
    """Larger where the answer is likelier to be wrong: 1 - P(answerable), or mean entropy."""
    wrong: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question that was asked with or without its chunks, and the answer."""

    given: bool
    """A supported answer was drafted; a refusal is neither right nor wrong."""
    wrong: bool
    """It cites no chunk that the question was made from."""
    answerable: float | None = None
    """Probability that the evidence answers the question; None where it was not asked."""
    mean_entropy: float | None = None
    """Nats a token; None without log-probabilities."""


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
    """Questions that were asked."""
    source: str = ""
    """Who wrote the questions: a model's name, or "rules"."""

    @property
    def holds(self) -> bool:
        """Whether a threshold was found that keeps to the rate."""
        return self.value < NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimit:
    """A fitted limit of answers."""

    value: float
    rate: float
    """Share of wrong answers that was allowed among those within the limit."""
    answered: int
    """Answers within the limit."""
    wrong: int
    """Those of them that are wrong."""
    drafts: int
    """Answers that were drafted, within the limit or not."""
    writers: str
    """The models that wrote and checked the answers."""
    settings: str
    """A digest of the settings that answers are written with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What a calibration is for."""

    model: str
    """The embedding model."""
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
    answers: Mapping[str, AnswerLimit] = field(default_factory=dict)
    """By the name of the setting."""
    ignored: tuple[str, ...] = ()
    """What an earlier version had fitted besides; it is not used."""


@dataclass(frozen=True, slots=True)
class Point:
    """The answers whose doubt is at most `limit`."""

    limit: float
    answered: int
    wrong: int


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
    """Return how many questions have to reach a threshold, all of them right, to keep to `rate`.

    >>> least_questions(0.1), least_questions(0.2)
    (58, 28)
    """
    return int(log(DOUBT / (STEPS + 1)) / log(1 - rate)) + 1


def curve(judged: Sequence[Judged]) -> tuple[Point, ...]:
    """Return what each limit leads to that makes a difference, the strictest first.

    >>> curve([Judged(0.1, False), Judged(0.3, True), Judged(0.3, False)])
    (Point(limit=0.1, answered=1, wrong=0), Point(limit=0.3, answered=3, wrong=1))
    """
    points, answered, wrong = [], 0, 0
    by_doubt = attrgetter("doubt")
    for doubt, group in groupby(sorted(judged, key=by_doubt), key=by_doubt):
        same = list(group)
        answered += len(same)
        wrong += sum(one.wrong for one in same)
        points.append(Point(doubt, answered, wrong))
    return tuple(points)


def risk_limit(judged: Sequence[Judged], rate: float) -> Point | None:
    """Return the largest limit at which the share of wrong answers is at most `rate`.

    Conformal risk control (Angelopoulos et al., ICLR 2024, arXiv 2208.02814): with one wrong answer
    more, (wrong + 1) / (answered + 1) <= rate. It holds as far as the doubt orders the answers
    (measured in docs/results.md). None where no limit will do, or none that lets `LEAST_SHARE` of
    the answers pass.

    >>> sure, unsure = [Judged(0.2, False)] * 9, [Judged(0.7, True)] * 9
    >>> risk_limit([*sure, *unsure], 0.2)
    Point(limit=0.2, answered=9, wrong=0)
    """
    least = LEAST_SHARE * len(judged)
    held = [
        p for p in curve(judged) if p.answered >= least and (p.wrong + 1) / (p.answered + 1) <= rate
    ]
    return held[-1] if held else None


def least_answers(rate: float) -> int:
    """Return how many answers are needed, all of them right, before any limit can be found."""
    return ceil(round(1 / rate, 9)) - 1


def fit_limits(
    asked: Sequence[Answered], *, rate: float, writers: str, settings: str
) -> dict[str, AnswerLimit]:
    """Return the limits that keep the share of wrong answers at `rate`; without one, no entry.

    Each is fitted for itself, to all drafts with its measure.

    >>> sure = Answered(given=True, wrong=False, answerable=0.8)
    >>> unsure = Answered(given=True, wrong=True, answerable=0.55)
    >>> found = fit_limits([sure] * 9 + [unsure] * 9, rate=0.2, writers="m", settings="s")
    >>> [(name, limit.value, limit.answered, limit.wrong) for name, limit in found.items()]
    [('answer.min_answerable', 0.8, 9, 0)]
    """
    drafts = [one for one in asked if one.given]
    probable = [Judged(1 - x.answerable, x.wrong) for x in drafts if x.answerable is not None]
    entropies = [Judged(x.mean_entropy, x.wrong) for x in drafts if x.mean_entropy is not None]
    fitted = {}
    for name, judged in ((MIN_ANSWERABLE, probable), (MAX_ENTROPY, entropies)):
        if found := risk_limit(judged, rate):
            fitted[name] = AnswerLimit(
                value=as_setting(name, found.limit),
                rate=rate,
                answered=found.answered,
                wrong=found.wrong,
                drafts=len(judged),
                writers=writers,
                settings=settings,
            )
    return fitted


def as_setting(name: str, limit: float) -> float:
    """Return the limit of a doubt as a setting's value, rounded so that it lets as much pass.

    >>> as_setting(MIN_ANSWERABLE, 0.25), as_setting(MAX_ENTROPY, 0.12341)
    (0.75, 0.1235)
    """
    if name == MIN_ANSWERABLE:
        return max(0.0, floor(round((1.0 - limit) * DIGITS, 6)) / DIGITS)
    return ceil(round(limit * DIGITS, 6)) / DIGITS


def staleness(kept: Fingerprint, now: Fingerprint) -> tuple[bool, str]:
    """Return whether a calibration may still be used, and what has changed; empty: nothing.

    Where only documents have changed it may; with another model or other settings its numbers mean
    something else.
    """
    if kept.model != now.model:
        return False, f"the embedding model was {kept.model}"
    if kept.settings != now.settings:
        return False, "the settings of retrieval or confidence are others"
    if (kept.generation, kept.changed) != (now.generation, now.changed):
        return True, "the index has changed"
    return True, ""


def digest_mismatch(limit: AnswerLimit, *, writers: str, settings: str) -> str:
    """Return why a limit must not be used with other models or settings; empty where it may.

    Where `writers` is empty the models are not known, and not compared.
    """
    if writers and limit.writers != writers:
        return f"answers were written by {limit.writers}"
    if limit.settings != settings:
        return "the settings of answer or evidence are others"
    return ""


def sample(chunk_ids: Sequence[str], most: int) -> tuple[str, ...]:
    """Return up to `most` ids, chosen by their hash: an added chunk takes at most one place."""
    return tuple(sorted(chunk_ids, key=lambda name: sha256(name.encode()).hexdigest())[:most])
