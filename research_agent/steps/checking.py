"""Check an answer: what it says, how sure that is, and whether to search again."""

from collections.abc import Sequence

from research_agent.core.budget import Allowance
from research_agent.core.evidence import Evidence
from research_agent.core.rounds import Progress
from research_agent.core.types import Hit
from research_agent.core.verification import Answer, Check, Draft, verify
from research_agent.settings import Settings
from research_agent.steps.doubting import doubt_rule, most_rounds


def check_answer(  # noqa: PLR0913 (keyword-only state)
    question: str,
    answer: Answer,
    evidence: Sequence[Evidence],
    best: Draft,
    before: Check,
    *,
    allowance: Allowance,
    probe_failed: bool,
    round_: int,
    left_out: bool,
    seen: Sequence[Hit],
    settings: Settings,
) -> tuple[Check, Draft]:
    """Return what to do next, and the best draft so far (`core.verification`).

    `before` is the check of the last round. The hits `seen` tell which words are rare.
    """
    own, spent = settings.verify, settings.budget.tokens - allowance.tokens
    return verify(
        question,
        answer,
        evidence,
        best,
        allowance=allowance,
        probe_failed=probe_failed,
        round_=round_,
        max_rounds=most_rounds(settings),
        rule=doubt_rule(own),
        min_support=own.min_support,
        asked_value=own.asked_value == "on",
        left_out=left_out,
        seen=[hit.chunk for hit in seen],
        progress=Progress(before.rounds, spent, own.min_value),
    )
