"""The ways in which the product answers that are compared; each differs in one thing."""

from benchmarks.refinement_arms import Arm, changed
from research_agent.settings import Settings

BASE = Settings()
ARMS = (
    Arm("default", BASE),
    Arm("two-rounds", changed(BASE, budget={"rounds": 2}), "default"),
    Arm("no-judge", changed(BASE, verify={"judge": "off"}), "default"),
    Arm("prune", changed(BASE, prune={"mode": "ratio", "by": "similarity"}), "default"),
)


def arm_named(name: str) -> Arm:
    """Return the arm of this name.

    >>> arm_named("two-rounds").settings.budget.rounds
    2
    """
    return next(arm for arm in ARMS if arm.name == name)
