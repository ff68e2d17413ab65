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
    count = len(questions)
    told = f"{several(count, 'question')} to ask"
    if options.retrieval_only:
        return f"{told}: {several(count, 'search').replace('searchs', 'searches')}, no model"
    budget, judged = settings.budget, sum(map(is_judged, questions))
    least = count * (2 if settings.refuses_by == "check" else 1)
    hours = count * budget.seconds / 3600 / max(1, options.parallel)
    parts = [
        f"{least} to {count * budget.llm_calls} model calls",
        f"{judged} more to judge answers" if judged else "",
        f"at most {count * budget.tokens:,} tokens",
        f"at most {hours:.1f} hours",
        f"cost at most {count * budget.cost:g}" if budget.cost else "",
    ]
    told = f"{told}: {', '.join(filter(None, parts))} (budget)"
    rows = [row for row in known if row.asked and not row.error]
    if not rows:
        return told
    tokens = fmean(row.prompt_tokens + row.completion_tokens for row in rows)
    minutes = count * fmean(row.seconds for row in rows) / 60 / max(1, options.parallel)
    calls = count * fmean(row.llm_calls for row in rows)
    about = f"{calls:.0f} calls, {count * tokens:,.0f} tokens, {minutes:.1f} minutes"
    costs = [row.cost for row in rows if row.cost is not None]
    about += f", cost {count * fmean(costs):.4g}" if costs and any(costs) else ""
    return f"{told}; about {about}, by {several(len(rows), 'answer')} that there are"
