"""A research agent over a person's own documents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research_agent.interfaces.agent import ResearchAgent
    from research_agent.types.limits import Limits
    from research_agent.types.result import ResearchResult
    from research_agent.types.scope import Scope

__all__ = ["Limits", "ResearchAgent", "ResearchResult", "Scope"]
_HOMES = {
    "Limits": "research_agent.types.limits",
    "ResearchAgent": "research_agent.interfaces.agent",
    "ResearchResult": "research_agent.types.result",
    "Scope": "research_agent.types.scope",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 (one of the public names)
    """Import the public names on first use: the library itself stays free of LangGraph."""
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(_HOMES[name]), name)
