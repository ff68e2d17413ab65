"""Refine: a better query or several, or the same one where the first search was convincing."""

from research_agent.steps.refine.refining import Before, refine

__all__ = ["Before", "refine"]
