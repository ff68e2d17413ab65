"""What an evaluation will take, before it starts: from budgets, or from rows that are known."""

from collections.abc import Sequence
from statistics import fmean

from research_agent.evaluation.judge import is_judged
from research_agent.evaluation.questions import Question
from research_agent.evaluation.rows import EvalRow
from research_agent.interfaces.evaluation.running import EvalOptions
from research_agent.interfaces.steps import several
from research_agent.settings import Settings


def estimate(
    questions: Sequence[Question],
    settings: Settings,
    options: EvalOptions,
    known: Sequence[EvalRow] = (),
) -> str:
    """Return what asking `questions` takes at the most, and about, where `known` rows tell."""
    count, budget = len(questions), settings.budget
    told = f"{several(count, 'question')} to ask"
    if options.retrieval_only:
        return f"{told}: no model is asked"
    least = count * (2 if settings.refuses_by == "check" else 1) + sum(map(is_judged, questions))
    hours = count * budget.seconds / 3600 / options.parallel
    told += f": {least} to {count * budget.llm_calls} model calls, {count * budget.tokens:,} tokens"
    told += f" and {hours:.1f} hours at most"
    told += f", cost {count * budget.cost:g}" if budget.cost else ""
    if rows := [row for row in known if row.asked and not row.error]:
        tokens = fmean(row.prompt_tokens + row.completion_tokens for row in rows)
        minutes = count * fmean(row.seconds for row in rows) / 60 / options.parallel
        cost = count * fmean(row.cost or 0.0 for row in rows)
        told += f"; about {count * tokens:,.0f} tokens, {minutes:.1f} minutes"
        told += f", cost {cost:.4g}" if cost else ""
    return told
