"""What a limit of P(yes) refuses, and how it is chosen. Pure.

The rule, written before any figure was seen: the limit is the one with the largest balanced
accuracy among those that refuse at most `MOST_REFUSED` of the answerable questions it is chosen on;
of equal ones the lowest. Of the new wordings the one with the larger AUROC over pairs of the same
source is taken, unless the wording before is better by more than the interval.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.intervals import Interval, wilson
from research_agent.verification.calibration import Judged

MOST_REFUSED = 0.1
"""Share of the answerable questions that a limit may refuse where it is chosen."""
NEAR = 0.5
"""Token F1 from which on a draft counts as roughly right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One question with what is known of its draft."""

    id: str
    source: str
    answerable: bool
    p: Mapping[str, float]
    """How sure the model is of the draft, by wording, 0 to 1; -1: the draft itself refuses."""
    f1: float | None = None
    """Token F1 with the nearest reference answer; None where there is none."""
    right: bool | None = None
    """Whether the draft is roughly right; None where there is no reference answer."""


@dataclass(frozen=True, slots=True)
class Errors:
    """What one limit does to some questions."""

    wrongly: int
    """Answerable questions that are refused."""
    answerable: int
    rightly: int
    """Unanswerable questions that are refused."""
    unanswerable: int

    @property
    def balanced(self) -> float:
        """Mean of the shares of answerable ones shown and unanswerable ones refused."""
        shown = 1.0 - self.wrongly / max(1, self.answerable)
        return (shown + self.rightly / max(1, self.unanswerable)) / 2

    @property
    def wrongly_refused(self) -> Interval:
        """Share of the answerable questions that is refused."""
        return wilson(self.wrongly, self.answerable)

    @property
    def rightly_refused(self) -> Interval:
        """Share of the unanswerable questions that is refused."""
        return wilson(self.rightly, self.unanswerable)

    def plus(self, other: "Errors") -> "Errors":
        """Return both together."""
        return Errors(
            self.wrongly + other.wrongly,
            self.answerable + other.answerable,
            self.rightly + other.rightly,
            self.unanswerable + other.unanswerable,
        )


def errors_at(scored: Iterable[Scored], wording: str, limit: float) -> Errors:
    """Return what is refused where P(yes) is below `limit`.

    >>> rows = [Scored(id="1", source="a", answerable=True, p={"w": 0.4})]
    >>> errors_at(rows, "w", 0.5)
    Errors(wrongly=1, answerable=1, rightly=0, unanswerable=0)
    """
    counts = {True: [0, 0], False: [0, 0]}
    for one in scored:
        counts[one.answerable][0] += one.p[wording] < limit
        counts[one.answerable][1] += 1
    return Errors(*counts[True], *counts[False])


def best_limit(scored: Sequence[Scored], wording: str) -> float:
    """Return the limit that the rule above chooses; 0, which refuses nothing, at the least.

    A limit is half way between two neighbouring probabilities.

    >>> p = {True: (0.6, 0.9, 0.7, 0.8), False: (0.1, 0.5, 0.7, 0.2)}
    >>> rows = [Scored(id="", source="", answerable=a, p={"w": x}) for a in p for x in p[a]]
    >>> round(best_limit(rows, "w"), 2)
    0.55
    """
    seen = sorted({one.p[wording] for one in scored})
    limits = [0.0, *((low + high) / 2 for low, high in pairwise(seen) if low >= 0.0)]
    told = [(errors_at(scored, wording, limit), limit) for limit in limits]
    fair = [pair for pair in told if pair[0].wrongly <= MOST_REFUSED * pair[0].answerable]
    return max(fair, key=lambda pair: (pair[0].balanced, -pair[1]))[1]


def left_out(scored: Sequence[Scored], wording: str) -> dict[str, tuple[float, Errors]]:
    """Return for each source the limit chosen on the others, and what it does to this one."""
    found = {}
    for source in sorted({one.source for one in scored}):
        limit = best_limit([one for one in scored if one.source != source], wording)
        kept = [one for one in scored if one.source == source]
        found[source] = limit, errors_at(kept, wording, limit)
    return found


def judged(scored: Iterable[Scored], wording: str) -> list[Judged]:
    """Return the doubt of each draft; wrong is one to a question that cannot be answered."""
    return [Judged(1.0 - one.p[wording], not one.answerable) for one in scored]


def risk_at(scored: Sequence[Scored], wording: str, coverage: float) -> float:
    """Return the share of unanswerable questions among the surest `coverage` of all.

    Those as sure as the last one that enters count by their share.

    >>> p = {True: (0.9, 0.5), False: (0.5, 0.1)}
    >>> rows = [Scored(id="", source="", answerable=a, p={"w": x}) for a in p for x in p[a]]
    >>> risk_at(rows, "w", 0.25), risk_at(rows, "w", 0.5)
    (0.0, 0.25)
    """
    size = coverage * len(scored)
    last = sorted((one.p[wording] for one in scored), reverse=True)[max(0, round(size) - 1)]
    surer = [not one.answerable for one in scored if one.p[wording] > last]
    same = [not one.answerable for one in scored if one.p[wording] == last]
    return (sum(surer) + (size - len(surer)) * sum(same) / len(same)) / size


def token_f1(draft: str, answer: str) -> float:
    """Return the F1 of the words that a draft and a reference answer share, as SQuAD has it.

    >>> round(token_f1("The key has 1184 bytes.", "1184 bytes"), 2)
    0.57
    """
    ours, theirs = words(draft), words(answer)
    shared = sum(min(ours.count(word), theirs.count(word)) for word in set(ours))
    return 2 * shared / (len(ours) + len(theirs)) if shared else 0.0


def is_near(draft: str, answers: Sequence[str]) -> bool:
    """Return whether a draft is roughly right: no exact scoring of these answers exists.

    It holds an answer word for word, or has a token F1 of `NEAR` with one. To a question that is
    answered with yes, no or maybe, its first word is the answer.

    >>> is_near("It has 1184 bytes.", ["1184 bytes"]), is_near("Yes, it does.", ["no"])
    (True, False)
    """
    said = words(draft)
    for answer in answers:
        wanted = words(answer)
        if wanted in (["yes"], ["no"], ["maybe"]):
            if said[:1] == wanted:
                return True
        elif _holds(said, wanted) or token_f1(draft, answer) >= NEAR:
            return True
    return False


def words(text: str) -> list[str]:
    """Return the words of a text without case and punctuation; citation keys are none."""
    return re.findall(r"\w+", re.sub(r"\[c\d+(?:, ?c\d+)*\]", " ", text).lower())


def _holds(said: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return size > 0 and any(said[i : i + size] == wanted for i in range(len(said) - size + 1))
