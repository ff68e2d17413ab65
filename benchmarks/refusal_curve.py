"""Right refusals against wrong ones over thresholds of `answer.min_answerable`.

All from the recorded probabilities. A question that another check refused stays refused. One that
the run's own threshold (`min_answerable`) refused counts as answered below its probability, though
a later check might have refused it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.answers_table import share
from benchmarks.questions import Row
from benchmarks.tables import markdown

STEPS = 20
"""Thresholds from 0 to 1 are one such part apart."""


@dataclass(frozen=True, slots=True)
class Point:
    """What one threshold does."""

    threshold: float
    near: int
    """Near misses that are refused, which is right."""
    removed: int
    """Questions without their gold pages that are refused, which is right."""
    wrongly: int
    """Answerable questions that are refused."""
    right: int
    """Answerable questions that are answered, and rightly; at least."""


def is_refused(row: Row, threshold: float) -> bool:
    """Return whether a question is refused under a threshold.

    >>> answered = {"status": "answered", "p_answerable": 0.6, "min_answerable": 0.5}
    >>> is_refused(answered, 0.5), is_refused(answered, 0.7)
    (False, True)
    >>> by_check = {"status": "refused", "p_answerable": 0.4, "min_answerable": 0.5}
    >>> is_refused(by_check, 0.3), is_refused(by_check | {"p_answerable": 0.6}, 0.3)
    (False, True)
    """
    sure = row["p_answerable"]
    if sure is not None and sure < threshold:
        return True
    by_check = sure is not None and sure < row["min_answerable"]
    return bool(row["status"] == "refused" and not by_check)


def curve(rows: Sequence[Row], removed: Sequence[Row]) -> list[Point]:
    """Return a point for each threshold; questions that do not count are left out before."""
    can = [row for row in rows if row["answerable"]]
    cannot = [row for row in rows if not row["answerable"]]
    points = []
    for step in range(STEPS + 1):
        t = step / STEPS
        points.append(
            Point(
                t,
                sum(is_refused(row, t) for row in cannot),
                sum(is_refused(row, t) for row in removed),
                sum(is_refused(row, t) for row in can),
                sum(row["right"] and not is_refused(row, t) for row in can),
            )
        )
    return points


def curve_table(rows: Sequence[Row], removed: Sequence[Row]) -> str:
    """Return the curve as Markdown; thresholds that change nothing share a line."""
    can = sum(row["answerable"] for row in rows)
    sizes = {"near": len(rows) - can, "removed": len(removed), "wrongly": can, "right": can}
    heads = ["min_answerable", "near misses refused", "gold removed, refused"]
    heads += ["wrongly refused", "right"]
    lines = []
    for first, last in _grouped(curve(rows, removed)):
        span = f"{first.threshold:.2f}"
        if last != first:
            span += f" to {last.threshold:.2f}"
        lines.append([span, *(share(getattr(first, name), of) for name, of in sizes.items())])
    return markdown(heads, lines)


def _grouped(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    groups: list[tuple[Point, Point]] = []
    for point in points:
        if groups and _counts(groups[-1][0]) == _counts(point):
            groups[-1] = (groups[-1][0], point)
        else:
            groups.append((point, point))
    return groups


def _counts(point: Point) -> tuple[int, ...]:
    return point.near, point.removed, point.wrongly, point.right
