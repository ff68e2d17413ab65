"""The limit of a doubt up to which answers are given, so that few enough of them are wrong.

A doubt is any figure that is larger where an answer is likelier to be wrong: its mean entropy, or
1 - P(answerable). Nothing is assumed about how large doubts are, only that they order answers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Literal

LEAST_SHARE = 0.2
"""Of the answers seen: a limit that lets fewer pass was found by chance too easily."""
DIGITS = 10_000
"""Limits are rounded up to a multiple of 1 / DIGITS."""
Of = Literal["answered", "asked"]
"""What a rate is a share of: of the answers that are given, or of all that was asked."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One drafted answer with a known outcome."""

    doubt: float
    wrong: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What comes of giving the answers whose doubt is at most `limit`."""

    limit: float
    answered: int
    wrong: int

    @property
    def error(self) -> float:
        """Share of wrong answers among those given; 0 where none is given."""
        return self.wrong / self.answered if self.answered else 0.0


def curve(judged: Sequence[Judged]) -> tuple[Point, ...]:
    """Return what each limit leads to that makes a difference, the strictest first.

    >>> curve([Judged(0.1, False), Judged(0.3, True), Judged(0.3, False)])
    (Point(limit=0.1, answered=1, wrong=0), Point(limit=0.3, answered=3, wrong=1))
    """
    return tuple(_points(judged))


def _points(judged: Sequence[Judged]) -> Iterator[Point]:
    answered = wrong = 0
    for doubt, group in groupby(sorted(judged, key=_doubt), key=_doubt):
        same = list(group)
        answered += len(same)
        wrong += sum(one.wrong for one in same)
        yield Point(doubt, answered, wrong)


def risk_limit(
    judged: Sequence[Judged], rate: float, *, of: Of = "answered", refused: int = 0
) -> Point | None:
    """Return the largest limit at which the share of wrong answers is at most `rate`.

    Conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster, ICLR 2024, arXiv
    2208.02814) with the loss [answered] * ([wrong] - rate), whose mean is at most 0 where the
    share of errors among the answered is at most `rate`: the sum over the answers seen, with one
    wrong answer more, has to be at most 0, that is (wrong + 1) / (answered + 1) <= rate. The
    theorem wants a loss that only grows with the limit, which holds as far as the doubt orders
    the answers; how far it does is measured (docs/results.md). None where no limit will do, or
    none that lets `LEAST_SHARE` of the answers pass: a few right ones in a row are no order.

    With `of` "asked" the rate is of all that was asked: the answers seen, given or not, and those
    that were `refused` before any limit. Then the loss, [answered and
    wrong], does grow with the limit, whatever the doubt is worth, so the theorem holds as it
    stands: (wrong + 1) / (asked + 1) <= rate. That bounds how often a question gets a wrong answer,
    not how many of the answers given are wrong.

    >>> sure, unsure = [Judged(0.2, False)] * 9, [Judged(0.7, True)] * 9
    >>> risk_limit([*sure, *unsure], 0.2)
    Point(limit=0.2, answered=9, wrong=0)
    >>> risk_limit(unsure, 0.2) is None, risk_limit(sure[:3], 0.2) is None
    (True, True)
    >>> risk_limit([*sure, *unsure, *unsure], 0.4, of="asked")
    Point(limit=0.2, answered=9, wrong=0)
    """
    if of == "asked":
        asked = len(judged) + refused
        kept = [p for p in curve(judged) if (p.wrong + 1) / (asked + 1) <= rate]
        return kept[-1] if kept else None
    least = LEAST_SHARE * len(judged)
    held = [p for p in curve(judged) if p.answered >= least and _corrected(p) <= rate]
    return held[-1] if held else None


def least_answers(rate: float) -> int:
    """Return how many answers are needed, all of them right, before any limit can be found.

    >>> least_answers(0.2), least_answers(0.1)
    (4, 9)
    """
    return ceil(round(1 / rate, 9)) - 1


def rounded_up(limit: float) -> float:
    """Return a limit with few digits that lets pass all that `limit` lets pass.

    >>> rounded_up(0.123_41), rounded_up(0.5)
    (0.1235, 0.5)
    """
    return ceil(round(limit * DIGITS, 6)) / DIGITS


def shown(points: Sequence[Point], most: int) -> tuple[Point, ...]:
    """Return up to `most` points of a curve, evenly spaced by answers, with the last one.

    >>> points = [Point(i / 10, i, 0) for i in range(1, 11)]
    >>> [point.answered for point in shown(points, 3)]
    [4, 7, 10]
    """
    if not points:
        return ()
    total = points[-1].answered
    wanted = [ceil(total * (i + 1) / most) for i in range(most)]
    found = [next(point for point in points if point.answered >= number) for number in wanted]
    return tuple(dict.fromkeys(found))


def _corrected(point: Point) -> float:
    return (point.wrong + 1) / (point.answered + 1)


def _doubt(one: Judged) -> float:
    return one.doubt
