"""The way through the graph: which node ran when, for how long, and what it asked of models."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.interfaces.report.recording import Visit
from research_agent.types import ModelCall

MOST = 200


@dataclass(frozen=True, slots=True)
class StepRow:
    """One run of one node."""

    round: int
    node: str
    seconds: float
    start: float
    """Seconds after the first node began."""
    calls: tuple[ModelCall, ...]
    queries: tuple[str, ...]
    begins: float
    """Where its bar begins, as a share of the whole run, 0 to 1."""
    length: float


@dataclass(frozen=True, slots=True)
class Round:
    """The nodes of one round, in order; those that ran several times with their number."""

    number: int
    nodes: tuple[str, ...]
    seconds: float


def step_rows(visits: Sequence[Visit]) -> tuple[StepRow, ...]:
    """Return the runs in the order in which they began."""
    ordered = sorted(visits, key=lambda visit: visit.event.started)
    first = min((visit.event.started for visit in ordered), default=0.0)
    last = max((visit.event.started + visit.event.seconds for visit in ordered), default=0.0)
    whole = (last - first) or 1.0
    return tuple(
        StepRow(
            round=visit.round,
            node=visit.event.node,
            seconds=visit.event.seconds,
            start=visit.event.started - first,
            calls=visit.event.calls,
            queries=visit.event.queries,
            begins=(visit.event.started - first) / whole,
            length=visit.event.seconds / whole,
        )
        for visit in ordered[:MOST]
    )


def rounds(rows: Sequence[StepRow]) -> tuple[Round, ...]:
    """Return the rounds with their nodes.

    >>> row = StepRow(1, "run_call", 2.0, 0.0, (), (), 0.0, 0.5)
    >>> [(round_.number, len(round_.nodes), round_.seconds) for round_ in rounds([row, row])]
    [(1, 1, 4.0)]
    """
    numbers = dict.fromkeys(row.round for row in rows)
    return tuple(_round(number, [row for row in rows if row.round == number]) for number in numbers)


def _round(number: int, rows: Sequence[StepRow]) -> Round:
    runs: list[tuple[str, int]] = []
    for row in rows:
        if runs and runs[-1][0] == row.node:
            runs[-1] = (row.node, runs[-1][1] + 1)
        else:
            runs.append((row.node, 1))
    names = tuple(f"{node} \u00d7 {times}" if times > 1 else node for node, times in runs)
    return Round(number, names, sum(row.seconds for row in rows))
