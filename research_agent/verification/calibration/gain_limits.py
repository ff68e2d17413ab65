"""The least gain of a chunk for it to stay, so that few enough of the right chunks are left out.

The gains are those of chunks that are known to answer a question, and of others that the search
brought for it (`core.information_gain`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from research_agent.verification.calibration.risk_control import DIGITS

MIN_GAIN = "prune.min_gain"
POINTS = 8
"""Of a curve that is kept and shown."""
NEVER = -1.0
"""The gain of a chunk that makes the model write that it does not know: it is left out always."""


@dataclass(frozen=True, slots=True)
class Gains:
    """What was measured for one question."""

    right: float
    """Of the best hit that answers it."""
    other: float | None = None
    """Of the best hit that does not; None where there is none."""


@dataclass(frozen=True, slots=True)
class GainPoint:
    """What comes of leaving out the chunks whose gain is below `limit`."""

    limit: float
    right_lost: int
    others_lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GainLimit:
    """A fitted limit and what it rests on."""

    value: float
    rate: float
    """Share of questions whose right chunk may be left out."""
    questions: int
    right_lost: int
    others: int
    """Other chunks that were measured."""
    others_lost: int
    writers: str
    """The model that was measured."""
    settings: str
    """A digest of the settings that gains are measured with."""
    curve: tuple[GainPoint, ...] = ()
    """What other values would have led to, the laxest first."""


def fit_gain(
    seen: Sequence[Gains], *, rate: float, writers: str, settings: str
) -> GainLimit | None:
    """Return the largest limit that leaves out the right chunk of a share `rate` of questions.

    Conformal risk control (arXiv 2208.02814): with one more right chunk lost the share has to be
    at most the rate, (lost + 1) / (questions + 1) <= rate. The loss only grows with the limit, so
    the bound holds however little a gain is worth; what it is worth the others show, of which as
    many should be left out as possible. None where there are too few questions.

    >>> seen = [Gains(gain / 10, -0.5) for gain in range(10)]
    >>> found = fit_gain(seen, rate=0.2, writers="m", settings="s")
    >>> found.value, found.right_lost, found.others_lost
    (0.1, 1, 10)
    """
    allowed = floor(round(rate * (len(seen) + 1), 9)) - 1
    if allowed < 0 or not seen:
        return None
    points = [_point(limit, seen) for limit in sorted({_down(one.right) for one in seen})]
    kept = [point for point in points if point.right_lost <= allowed]
    if not kept or kept[-1].limit <= NEVER:  # (nothing would be left out but what always is)
        return None
    best = kept[-1]
    step = max(1, len(points) // POINTS)
    return GainLimit(
        value=best.limit,
        rate=rate,
        questions=len(seen),
        right_lost=best.right_lost,
        others=sum(one.other is not None for one in seen),
        others_lost=best.others_lost,
        writers=writers,
        settings=settings,
        curve=tuple(points[::step][:POINTS]),
    )


def _point(limit: float, seen: Sequence[Gains]) -> GainPoint:
    lost = sum(one.right < limit or one.right <= NEVER for one in seen)
    return GainPoint(limit, lost, sum(one.other is not None and one.other < limit for one in seen))


def _down(gain: float) -> float:
    """Return a gain with few digits, not larger than it is."""
    return floor(round(gain * DIGITS, 6)) / DIGITS
