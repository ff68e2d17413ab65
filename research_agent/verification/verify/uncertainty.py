"""When an answer counts as uncertain, and how often it is written, as the settings say."""

from research_agent.settings import Settings, VerifySettings
from research_agent.verification.uncertainty_rule import DoubtRule


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
