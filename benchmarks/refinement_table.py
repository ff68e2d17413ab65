"""What arms found for questions, as one table a data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmarks.intervals import Interval, paired_difference
from benchmarks.tables import markdown

FIRST = 5
"""As many hits as a round's evidence has."""
HITS = 20
"""Hits that a call returns here, so that ten different documents are among them."""
KS = (FIRST, 10)
JUDGED = ("blocked rightly", "blocked wrongly", "let through in vain")
"""Of proposed queries: useless and blocked, useful and blocked, useless and searched."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A query that was proposed, and what became of it."""

    query: str
    blocked: str
    """The validator's reason; empty where it was searched."""
    useful: bool
    """It finds something that the question alone does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one question found in one arm."""

    ranks: tuple[int | None, ...]
    """Of the golds, in their order; None: not found."""
    kind: str = "keep"
    """What became of the question."""
    queries: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    calls: int = 0
    tokens: int = 0
    model_seconds: float = 0.0
    """What the calls took when they were recorded."""
    milliseconds: float = 0.0
    """Everything else; in a live run with the calls that were made."""

    def found(self, k: int) -> int:
        """Return how many golds are among the first `k`."""
        return sum(rank is not None and rank <= k for rank in self.ranks)

    def recall(self, k: int) -> float:
        """Return the share of the golds among the first `k`.

        >>> asked = Asked(ranks=(1, None, 7, 9))
        >>> asked.recall(5), asked.recall(10), asked.all_found(10)
        (0.25, 0.75, False)
        """
        return self.found(k) / len(self.ranks)

    def all_found(self, k: int) -> bool:
        """Return whether every gold is among the first `k`."""
        return self.found(k) == len(self.ranks)


Rows = Mapping[str, Mapping[str, Asked]]
"""By arm and question id."""


def table(name: str, questions: int, rows: Rows, against: Mapping[str, str]) -> str:
    """Return figures and costs of every arm as Markdown.

    Behind a figure stands the 95 % interval of its difference to the arm that `against` names,
    over the questions that both have.
    """
    heads = ["arm", "questions", *(f"all @{k}" for k in KS), *(f"recall @{k}" for k in KS)]
    heads += ["changed", "helped", "hurt", *JUDGED, "calls", "tokens", "model s", "ms"]
    lines = [[arm, *_cells(of, rows.get(against.get(arm, ""), {}))] for arm, of in rows.items()]
    return f"## {name}: {questions} questions\n\n{markdown(heads, lines)}"


def helped_and_hurt(of: Mapping[str, Asked], base: Mapping[str, Asked]) -> tuple[int, int]:
    """Return on how many questions more, and fewer, golds are among the first hits than before.

    >>> helped_and_hurt({"a": Asked(ranks=(1,))}, {"a": Asked(ranks=(None,))})
    (1, 0)
    """
    gains = [one.found(FIRST) - base[qid].found(FIRST) for qid, one in of.items() if qid in base]
    return sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)


def _cells(of: Mapping[str, Asked], base: Mapping[str, Asked]) -> list[str]:
    asked = list(of.values())
    if not asked:
        return ["0", *([""] * 14)]
    both = [(one, base[qid]) for qid, one in of.items() if qid in base]
    figures = [
        _figure([value(one, k) for one in asked], [(value(a, k), value(b, k)) for a, b in both])
        for value in (Asked.all_found, Asked.recall)
        for k in KS
    ]
    proposals = [proposal for one in asked for proposal in one.proposals]
    helped, hurt = map(str, helped_and_hurt(of, base)) if both else ("", "")
    return [
        str(len(asked)),
        *figures,
        str(sum(one.kind != "keep" for one in asked)),
        helped,
        hurt,
        str(sum(bool(p.blocked) and not p.useful for p in proposals)),
        str(sum(bool(p.blocked) and p.useful for p in proposals)),
        str(sum(not p.blocked and not p.useful for p in proposals)),
        f"{fmean(one.calls for one in asked):.1f}",
        f"{fmean(one.tokens for one in asked):.0f}",
        f"{fmean(one.model_seconds for one in asked):.1f}",
        f"{fmean(one.milliseconds for one in asked):.0f}",
    ]


def _figure(values: Sequence[float], pairs: Sequence[tuple[float, float]]) -> str:
    """Return a mean in percent, with the interval of its difference where there is one.

    >>> _figure([1.0, 0.5], [(1.0, 0.5), (0.5, 0.0)])
    '75.0 (+50.0 to +50.0)'
    """
    mean = f"{100 * fmean(values):.1f}"
    if not pairs:
        return mean
    change: Interval = paired_difference([a for a, _ in pairs], [b for _, b in pairs])
    return f"{mean} ({100 * change.low:+.1f} to {100 * change.high:+.1f})"
