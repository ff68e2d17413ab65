"""The ways in which the product answers that are compared; each differs in one thing.

"less-evidence" is as much as the chain of LangChain reads.
"""

from benchmarks.refinement_arms import Arm, changed
from research_agent.settings import Settings

BASE = Settings()
ARMS = (
    Arm("default", BASE),
    Arm("abstractive", changed(BASE, answer={"mode": "abstractive"}), "default"),
    Arm("extractive", changed(BASE, answer={"mode": "extractive"}), "default"),
    Arm("select_then_write", changed(BASE, answer={"mode": "select_then_write"}), "default"),
    Arm("refusing-prompt", changed(BASE, answer={"refusal": "prompt"}), "default"),
    Arm("no-refusal-check", changed(BASE, answer={"min_answerable": 0.0}), "default"),
    Arm("two-rounds", changed(BASE, budget={"rounds": 2}), "default"),
    Arm("repair", changed(BASE, answer={"repair": "reask"}), "default"),
    Arm("judge", changed(BASE, verify={"judge": "model"}), "default"),
    Arm("prune", changed(BASE, prune={"mode": "ratio", "by": "similarity"}), "default"),
    Arm(
        "less-evidence",
        changed(BASE, evidence={"max_chunks": 4, "max_tokens": 1000}),
        "default",
    ),
    Arm("any-value", changed(BASE, verify={"asked_value": "off"}), "default"),
    Arm(
        "verify-off",
        changed(BASE, verify={"asked_value": "off", "min_support": 0.0}),
        "default",
    ),
)
"""\"no-refusal-check\" still asks, so that the probability is known. "verify-off" is as little as
the settings allow: a sentence still needs a key and its numbers."""


def arm_named(name: str) -> Arm:
    """Return the arm of this name.

    >>> arm_named("extractive").settings.answer.mode
    'extractive'
    """
    return next(arm for arm in ARMS if arm.name == name)
