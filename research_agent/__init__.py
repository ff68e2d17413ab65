"""A research agent over a person's own documents."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from research_agent.app.agent import ResearchAgent

__all__ = ["ResearchAgent"]


def __getattr__(name: str) -> "type[ResearchAgent]":
    """Import the public names on first use: the library itself stays free of LangGraph."""
    if name not in __all__:
        raise AttributeError(name)
    from research_agent.app.agent import ResearchAgent

    return ResearchAgent
