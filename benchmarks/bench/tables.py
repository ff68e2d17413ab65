"""What the rows of a half come to: sums over all kinds and by kind, never a row."""

from collections.abc import Callable, Sequence
from itertools import chain
from statistics import fmean

from benchmarks.common import table_of, told_share
from research_agent.evaluation.intervals import (
    Interval,
    mean_interval,
    paired_difference,
    told_mean,
)
from research_agent.evaluation.metrics import summary_of
from research_agent.evaluation.rows import EvalRow

PRODUCT = "research_agent"
EVIDENCE = "evidence, tokens"
"""Among a row's scores: tokens of the chunks that the model has read."""
Systems = dict[str, dict[str, list[EvalRow]]]
"""By system and kind; the product's are there."""
Cells = Callable[[Sequence[EvalRow]], dict[str, str]]
Value = Callable[[EvalRow], float | None]
SHARES = {
    "right": "right",
    "right and a gold cited": "right_and_cited",
    "refused wrongly": "refused_wrongly",
    "unanswerable refused": "refused_rightly",
}
SURE = (0.25, 0.5, 0.75, 1.0)


def report(title: str, systems: Systems, cells: Cells, value: Value) -> str:
    """Return the tables of a half; systems are compared by `value`, on the questions of both."""
    whole = {name: list(chain(*of.values())) for name, of in systems.items()}
    ours = {row.qid: value(row) for row in whole[PRODUCT]}
    lines = [
        {"system": name} | cells(of) | {"product - this": _gap(ours, of, value)}
        for name, of in whole.items()
        if of
    ]
    by_kind = [
        {"kind": kind, "system": name} | cells(of[kind])
        for kind in dict.fromkeys(chain(*systems.values()))
        for name, of in systems.items()
        if of.get(kind)
    ]
    told = [table_of(lines), "By kind.", table_of(by_kind)] if lines else ["Nothing is recorded."]
    return "\n\n".join([f"## {title}", *told])


def _gap(ours: dict[str, float | None], theirs: Sequence[EvalRow], value: Value) -> str:
    both = [(ours.get(row.qid), value(row)) for row in theirs]
    known = [(mine, other) for mine, other in both if mine is not None and other is not None]
    if not known:
        return "-"
    found = paired_difference([mine for mine, _ in known], [other for _, other in known])
    return f"{told_mean(found, 3, '+')} of {len(known)}"


def ranking(rows: Sequence[EvalRow]) -> dict[str, str]:
    """Return the means of the rows' scores, with intervals."""
    names = rows[0].scores
    return {n: told_mean(mean_interval([row.scores[n] for row in rows]), 3) for n in names}


def answers(rows: Sequence[EvalRow]) -> dict[str, str]:
    """Return what answers are worth, and what they cost: means a question."""
    summary = summary_of(rows)
    of = {figure.name: figure for figure in summary.figures}
    cited, tokens = of.get("citation_precision"), summary.tokens_a_right_answer
    told = {
        head: told_share(round(of[name].mean * of[name].questions), of[name].questions)
        if name in of
        else "-"
        for head, name in SHARES.items()
    }
    curve = max(summary.curves.values(), key=len, default=())
    risks = [next(at.risk for at in curve if at.coverage >= share) for share in SURE if curve]
    return {
        "questions": f"{summary.answerable} + {summary.questions - summary.answerable}",
        **told,
        "citations right": told_mean(Interval(cited.mean, cited.low, cited.high)) if cited else "-",
        EVIDENCE: f"{fmean(row.scores.get(EVIDENCE, 0.0) for row in rows):,.0f}",
        "tokens read, written": ", ".join(
            f"{of[name].mean:,.0f}" for name in ("prompt_tokens", "completion_tokens") if name in of
        ),
        "tokens a right answer": f"{tokens:,.0f}" if tokens else "-",
        "calls": f"{of['llm_calls'].mean:.1f}" if "llm_calls" in of else "-",
        "seconds": f"{of['seconds'].mean:.0f}" if "seconds" in of else "-",
        "wrong of the surest 25, 50, 75, 100 %": ", ".join(f"{risk:.0%}" for risk in risks) or "-",
        "failed": str(summary.failed),
    }
