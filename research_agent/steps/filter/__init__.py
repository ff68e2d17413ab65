"""The step that decides which hits of a search are kept, and what they bring along."""

from research_agent.steps.filter.filtering import HitFilter
from research_agent.steps.filter.references import Expand, References

__all__ = ["Expand", "HitFilter", "References"]
