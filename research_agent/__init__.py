"""A research agent over a person's own documents.

`__all__` is the whole public API, beside the classes of `research_agent.errors`; docs/api.md
describes each name. Names are imported on first use, so that `import research_agent` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphs.context import ResearchContext as ResearchContext
    from research_agent.errors import ResearchAgentError as ResearchAgentError
    from research_agent.interfaces.agent import ResearchAgent as ResearchAgent
    from research_agent.interfaces.events import event_json as event_json
    from research_agent.interfaces.events import read_event as read_event
    from research_agent.types import Chunk as Chunk
    from research_agent.types import Hit as Hit
    from research_agent.types.calls import ChunksResult as ChunksResult
    from research_agent.types.calls import DocumentsResult as DocumentsResult
    from research_agent.types.calls import SearchResult as SearchResult
    from research_agent.types.claims import Claim as Claim
    from research_agent.types.documents import FileReport as FileReport
    from research_agent.types.documents import IndexReport as IndexReport
    from research_agent.types.events import Asked as Asked
    from research_agent.types.events import Calls as Calls
    from research_agent.types.events import Checked as Checked
    from research_agent.types.events import ChunksPruned as ChunksPruned
    from research_agent.types.events import Citations as Citations
    from research_agent.types.events import Confidence as Confidence
    from research_agent.types.events import Decisions as Decisions
    from research_agent.types.events import DraftWritten as DraftWritten
    from research_agent.types.events import Event as Event
    from research_agent.types.events import EvidenceChosen as EvidenceChosen
    from research_agent.types.events import Finished as Finished
    from research_agent.types.events import Hits as Hits
    from research_agent.types.events import Queries as Queries
    from research_agent.types.events import SentenceChecked as SentenceChecked
    from research_agent.types.events import Spent as Spent
    from research_agent.types.events import StepFinished as StepFinished
    from research_agent.types.events import StepStarted as StepStarted
    from research_agent.types.events import Stopped as Stopped
    from research_agent.types.events import Warned as Warned
    from research_agent.types.evidence import Evidence as Evidence
    from research_agent.types.limits import Limits as Limits
    from research_agent.types.records import DocumentOutline as DocumentOutline
    from research_agent.types.result import Citation as Citation
    from research_agent.types.result import ResearchResult as ResearchResult
    from research_agent.types.result import Usage as Usage
    from research_agent.types.scope import Scope as Scope

_EVENTS = (
    "Asked Calls Checked ChunksPruned Citations Confidence Decisions DraftWritten Event "
    "EvidenceChosen Finished Hits Queries SentenceChecked Spent StepFinished StepStarted Stopped "
    "Warned"
)
_HOMES = {
    "interfaces.agent": "ResearchAgent",
    "types.result": "ResearchResult Citation Usage",
    "types.claims": "Claim",
    "types.evidence": "Evidence",
    "types.limits": "Limits",
    "types.scope": "Scope",
    "interfaces.own_graphs": "ResearchContext",
    "types.calls": "SearchResult ChunksResult DocumentsResult",
    "types.records": "DocumentOutline",
    "types": "Chunk Hit",
    "types.documents": "IndexReport FileReport",
    "types.events": _EVENTS,
    "interfaces.events": "event_json read_event",
    "errors": "ResearchAgentError",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = list(_HOME_OF)


def __getattr__(name: str) -> Any:  # noqa: ANN401 (one of the public names)
    """Import the public names on first use: the library itself stays free of LangGraph."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
