"""The step that gives the hits of a search a new order, where the settings want one."""

from research_agent.steps.reorder.stages import Reorderer

__all__ = ["Reorderer"]
