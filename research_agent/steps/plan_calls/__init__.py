"""The step that plans calls, and how it fills the gaps of queries that wait for others."""

from research_agent.steps.plan_calls.planning import TOOL, Before, plan_calls

__all__ = ["TOOL", "Before", "plan_calls"]
