"""A research agent over a person's own documents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research_agent.app.agent import ResearchAgent
    from research_agent.core.limits import Limits
    from research_agent.core.result import ResearchResult
    from research_agent.core.scope import Scope

__all__ = ["Limits", "ResearchAgent", "ResearchResult", "Scope"]
_HOMES = {
    "Limits": "research_agent.core.limits",
    "ResearchAgent": "research_agent.app.agent",
    "ResearchResult": "research_agent.core.result",
    "Scope": "research_agent.core.scope",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 (one of the public names)
    """Import the public names on first use: the library itself stays free of LangGraph."""
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(_HOMES[name]), name)
