"""Limits fitted to answers whose worth is known: how sure a model has to be of what it wrote.

The answers are those to questions made from chunks, asked with these chunks and without them. An
answer is right where it cites one of the chunks that its question was made from; without them
every answer is wrong. Refusals are neither.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from research_agent.verification.calibration.risk_control import (
    DIGITS,
    Judged,
    Of,
    Point,
    curve,
    risk_limit,
    rounded_up,
    shown,
)

MIN_ANSWERABLE = "answer.min_answerable"
MAX_ENTROPY = "verify.max_entropy"
POINTS = 8
"""Of a curve that is kept and shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One question that was asked, and what came of it."""

    given: bool
    """A supported answer was drafted; else nothing is known about its doubts."""
    wrong: bool
    left_out: bool
    """The chunks that answer the question were left out."""
    answerable: float | None = None
    """Probability that the evidence answers the question; None where it was not asked."""
    mean_entropy: float | None = None
    """Nats a token; None without log-probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimit:
    """A fitted limit and what it rests on."""

    value: float
    rate: float
    """Share of wrong answers that was asked for: those within the limit of what `of` says."""
    answered: int
    """Answers within the limit."""
    wrong: int
    """Those of them that are wrong."""
    drafts: int
    """Answers that were drafted, within the limit or not."""
    left_out: int
    """Those of them that were drafted without the chunks that answer the question."""
    writers: str
    """The models that wrote and checked the answers."""
    settings: str
    """A digest of the settings that answers are written with."""
    of: Of = "answered"
    """What the rate is a share of."""
    curve: tuple[Point, ...] = ()
    """What other values would have led to, the strictest first; their limits are values too."""


def fit_limits(
    asked: Sequence[Answered], *, rate: float, writers: str, settings: str, of: Of = "answered"
) -> dict[str, AnswerLimit]:
    """Return the limits that keep the share of wrong answers at `rate`; without one, no entry.

    The share is that `of` the answers given, or of all that was asked, refusals included. Each is
    fitted for itself: the limit of entropy is for all drafts.

    >>> sure = Answered(given=True, wrong=False, left_out=False, answerable=0.8)
    >>> unsure = Answered(given=True, wrong=True, left_out=True, answerable=0.55)
    >>> found = fit_limits([sure] * 9 + [unsure] * 9, rate=0.2, writers="m", settings="s")
    >>> [(name, limit.value, limit.answered, limit.wrong) for name, limit in found.items()]
    [('answer.min_answerable', 0.8, 9, 0)]
    """
    fitted = {}
    for name, judged in judged_by(asked).items():
        found = risk_limit(judged, rate, of=of, refused=sum(not one.given for one in asked))
        if found is None:
            continue
        fitted[name] = AnswerLimit(
            value=as_setting(name, found.limit),
            rate=rate,
            of=of,
            answered=found.answered,
            wrong=found.wrong,
            drafts=len(judged),
            left_out=sum(one.given and one.left_out for one in asked),
            writers=writers,
            settings=settings,
            curve=curve_of(name, judged),
        )
    return fitted


def judged_by(asked: Sequence[Answered]) -> Mapping[str, Sequence[Judged]]:
    """Return the drafts with their doubts, by the name of the setting that limits the doubt."""
    drafts = [one for one in asked if one.given]
    return {
        MIN_ANSWERABLE: [
            Judged(1.0 - one.answerable, one.wrong) for one in drafts if one.answerable is not None
        ],
        MAX_ENTROPY: [
            Judged(one.mean_entropy, one.wrong) for one in drafts if one.mean_entropy is not None
        ],
    }


def curve_of(name: str, judged: Sequence[Judged]) -> tuple[Point, ...]:
    """Return what values of the setting `name` lead to, as its own values."""
    points = shown(curve(judged), POINTS)
    return tuple(
        Point(as_setting(name, point.limit), point.answered, point.wrong) for point in points
    )


def as_setting(name: str, limit: float) -> float:
    """Return the limit of a doubt as the value of a setting; a probability is 1 - its doubt.

    >>> as_setting(MIN_ANSWERABLE, 0.25), as_setting(MAX_ENTROPY, 0.25)
    (0.75, 0.25)
    """
    if name == MIN_ANSWERABLE:
        return max(0.0, floor(round((1.0 - limit) * DIGITS, 6)) / DIGITS)
    return rounded_up(limit)


def digest_mismatch(limit: AnswerLimit, *, writers: str, settings: str) -> str:
    """Return why a limit must not be used with other models or settings; empty where it may.

    Where `writers` is empty the models are not known, and not compared.

    >>> made = AnswerLimit(value=0.6, rate=0.2, answered=9, wrong=0, drafts=9, left_out=0,
    ...     writers="m", settings="s")
    >>> digest_mismatch(made, writers="m", settings="s")
    ''
    >>> digest_mismatch(made, writers="n", settings="s")
    'answers were written by m'
    """
    if writers and limit.writers != writers:
        return f"answers were written by {limit.writers}"
    if limit.settings != settings:
        return "the settings of answer or evidence are others"
    return ""
