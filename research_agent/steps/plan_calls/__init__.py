"""The step that plans calls, and how it fills the gaps of queries that wait for others."""

from research_agent.steps.plan_calls.planning import plan_calls
from research_agent.steps.plan_calls.turn import TOOL, Before

__all__ = ["TOOL", "Before", "plan_calls"]
