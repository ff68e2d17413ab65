"""Refine: a better query or several, or the same one where the first search was convincing."""

from research_agent.steps.refine.before import Before
from research_agent.steps.refine.refining import refine

__all__ = ["Before", "refine"]
