"""The facts that `research-agent doctor` judges."""

from research_agent.assembly.diagnosis.gathering import OnBytes, gather

__all__ = ["OnBytes", "gather"]
