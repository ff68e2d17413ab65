"""What arms found for questions, as one table a data set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.common import table_of
from benchmarks.figures import paired_difference

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FIRST = 5
"""As many hits as a round's evidence has."""
KS = (FIRST, 10)


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


def by_question(rows: "Mapping[str, Mapping[str, DataclassInstance]]") -> list[dict[str, object]]:
    """Return one row a question, with what is known of it in each arm."""
    qids = dict.fromkeys(qid for of in rows.values() for qid in of)
    return [
        {"qid": qid, "arms": {arm: asdict(of[qid]) for arm, of in rows.items() if qid in of}}
        for qid in qids
    ]


def table(name: str, questions: int, rows: Rows, against: Mapping[str, str]) -> str:
    """Return figures and costs of every arm as Markdown.

    Behind a figure is the 95 % interval of its difference to the arm that `against` names, over
    the questions that both have.
    """
    lines = []
    for arm, of in rows.items():
        base = rows.get(against.get(arm, ""), {})
        pairs = [(one, base[qid]) for qid, one in of.items() if qid in base]
        lines += [{"arm": arm} | _cells(list(of.values()), pairs)] if of else []
    shown = table_of(lines) if lines else ""
    return f"## {name}: {questions} questions\n\n{shown}"


def _cells(of: Sequence[Asked], pairs: Sequence[tuple[Asked, Asked]]) -> dict[str, str]:
    proposals = [proposal for one in of for proposal in one.proposals]
    gains = [one.found(FIRST) - base.found(FIRST) for one, base in pairs]
    kinds: dict[str, Callable[[Asked, int], float]] = {
        "all": Asked.all_found,
        "recall": Asked.recall,
    }
    return {
        "questions": str(len(of)),
        **{
            f"{name} @{k}": figure(
                [value(one, k) for one in of], [(value(a, k), value(b, k)) for a, b in pairs]
            )
            for name, value in kinds.items()
            for k in KS
        },
        "changed": str(sum(one.kind != "keep" for one in of)),
        "helped": str(sum(gain > 0 for gain in gains)) if pairs else "",
        "hurt": str(sum(gain < 0 for gain in gains)) if pairs else "",
        "blocked rightly": str(sum(bool(p.blocked) and not p.useful for p in proposals)),
        "blocked wrongly": str(sum(bool(p.blocked) and p.useful for p in proposals)),
        "let through in vain": str(sum(not p.blocked and not p.useful for p in proposals)),
        "calls": f"{fmean(one.calls for one in of):.1f}",
        "tokens": f"{fmean(one.tokens for one in of):.0f}",
        "model s": f"{fmean(one.model_seconds for one in of):.1f}",
    }


def figure(values: Sequence[float], pairs: Sequence[tuple[float, float]]) -> str:
    """Return a mean in percent, with the interval of its difference where there is one.

    >>> figure([1.0, 0.5], [(1.0, 0.5), (0.5, 0.0)])
    '75.0 (+50.0 to +50.0)'
    """
    mean = f"{100 * fmean(values):.1f}"
    if not pairs:
        return mean
    change = paired_difference([a for a, _ in pairs], [b for _, b in pairs])
    return f"{mean} ({100 * change.low:+.1f} to {100 * change.high:+.1f})"
