"""Check an answer as the settings say: when it counts as uncertain, and how often it is written."""

from collections.abc import Sequence

from research_agent.core.budget import Allowance
from research_agent.core.doubting import DoubtRule
from research_agent.core.evidence import Evidence
from research_agent.core.rounds import Progress
from research_agent.core.types import Hit
from research_agent.core.verification import Answer, Check, Draft, verify
from research_agent.settings import Settings, VerifySettings


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


def doubt_rule(verify: VerifySettings) -> DoubtRule:
    """Return how the doubt of an answer is measured, and its limit.

    Seed system 1 asks for a confidence of at least DRAGIN_THRESHOLD; its doubt is the rest to 1.

    >>> doubt_rule(VerifySettings(profile="seed", seed_threshold=0.7)).limit
    0.30000000000000004
    >>> doubt_rule(VerifySettings()) == DoubtRule("entropy", 0.6)
    True
    """
    limits = {
        "entropy": verify.max_entropy,
        "dragin": verify.max_doubt,
        "seed": 1.0 - verify.seed_threshold,
        "seed_fifth": verify.seed_threshold,
    }
    limit = limits[verify.profile]
    return DoubtRule(verify.profile, limit, verify.max_disagreement, verify.max_entropy)


def most_rounds(settings: Settings) -> int:
    """Return how many rounds a question may have: the seed's rules have a limit of their own.

    >>> most_rounds(Settings(verify=VerifySettings(profile="seed", seed_iterations=1)))
    1
    """
    by_seed = settings.verify.profile in {"seed", "seed_fifth"}
    own = settings.verify.seed_iterations if by_seed else settings.budget.rounds
    return min(own, settings.budget.rounds)
