"""Chunks one after the other, each by what it adds to those that are there already.

A single chunk's gain says nothing of what two say twice: with one of them, the other adds nothing.
Here a chunk stays for NU(q|S) - NU(q|S and d), so duplicates go and complements stay.

Evaluation is lazy as in CELF (Leskovec et al. 2007, doi:10.1145/1281192.1281239): a gain that was
measured with fewer chunks counts as an upper bound, and is measured anew only where it leads. That
is exact where gains never grow with the set; those of a model sometimes do, so here it is a
heuristic that saves calls.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from research_agent.answering.select_evidence.information_gain import Measured, gain

Measure = Callable[[tuple[int, ...]], Measured]
"""Measures the question with the chunks at some places, in that order; () is without any."""


@dataclass
class Greedy:
    """What the search has found, by the places of the chunks."""

    kept: list[int] = field(default_factory=list)
    """In the order in which they were taken; those given first."""
    undecided: set[int] = field(default_factory=set)
    """Without a value, or with one of an earlier set that would let them stay. They stay."""
    refused: set[int] = field(default_factory=set)
    """Given them, the model wrote that it does not know."""
    last: dict[int, Measured] = field(default_factory=dict)
    """The last measurement of each chunk."""
    gains: dict[int, float] = field(default_factory=dict)
    """By the last measurement of each."""
    start: Measured = field(default_factory=Measured)
    """Before any chunk was taken."""
    now: Measured = field(default_factory=Measured)


def greedy(
    count: int, measure: Measure, *, given: Sequence[int], min_gain: float, least: int
) -> Greedy:
    """Take from `count` chunks those that make the model surer, one after the other.

    It begins with those that are `given`. The best of the others is taken while its gain over all
    that is there reaches `min_gain`, and while fewer than `least` are there. Gains over a start
    that is no measure, a refusal or a wrong guess that every chunk makes less sure, bound nothing:
    after the first chunk all are measured anew. A chunk that has no value (`Measured.missing`)
    stays outside the prompt, and is kept. Where the start has none, nothing is decided.

    >>> nu = {(): 0.5, (0,): 0.2, (1,): 0.2, (2,): 0.4, (0, 1): 0.2, (0, 2): 0.1, (0, 2, 1): 0.1}
    >>> found = greedy(3, lambda at: Measured(nu[at]), given=(), min_gain=0.05, least=1)
    >>> found.kept, {at: round(value, 2) for at, value in found.gains.items()}
    ([0, 2], {0: 0.3, 1: 0.0, 2: 0.1})
    """
    found = Greedy(kept=list(given))
    found.start = found.now = measure(tuple(given))
    rest = [at for at in range(count) if at not in given]
    if found.now.nu is None:
        found.undecided.update(rest)
        return found
    queue = [(-value, at, 0) for at in rest if (value := _gain(found, at, measure)) is not None]
    heapify(queue)
    turn = 0
    while queue:
        negative, at, measured_in = heappop(queue)
        needed = len(found.kept) < least
        if -negative < min_gain and not needed:
            break  # (what is behind it has a smaller one, or had with fewer chunks)
        if measured_in == turn:
            no_measure = -negative < min_gain or (turn == 0 and found.start.refused)
            found.kept.append(at)
            found.now, turn = found.last[at], turn + 1
            if no_measure:
                queue = [(-math.inf, other, -1) for _, other, _ in queue]
                heapify(queue)
        elif (value := _gain(found, at, measure)) is not None:
            heappush(queue, (-value, at, turn))
    return found


def _gain(found: Greedy, at: int, measure: Measure) -> float | None:
    """Measure one chunk more; None where it is out of the running, with the reason kept."""
    with_it = measure((*found.kept, at))
    if with_it.refused:
        found.refused.add(at)
        found.last[at] = with_it
        found.gains.pop(at, None)
        return None
    value = gain(found.now, with_it)
    if value is None:
        found.undecided.add(at)
        found.last.setdefault(at, with_it)
        return None
    found.last[at], found.gains[at] = with_it, value
    return value
