"""A research agent over a person's own documents.

`__all__` is the whole public API, beside the classes of `research_agent.errors`; docs/api.md
describes each name. What needs LangGraph is imported on first use, so that `import research_agent`
is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from research_agent.errors import ResearchAgentError as ResearchAgentError
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

if TYPE_CHECKING:
    from graphs.context import ResearchContext as ResearchContext
    from graphs.research import build_research_graph as build_research_graph
    from graphs.state import ResearchInput as ResearchInput
    from research_agent.interfaces.agent import ResearchAgent as ResearchAgent
    from research_agent.interfaces.evaluation.running import evaluate as evaluate
    from research_agent.interfaces.events import event_json as event_json
    from research_agent.interfaces.events import read_event as read_event

_LATER = {
    "ResearchAgent": "agent",
    "ResearchContext": "own_graphs",
    "ResearchInput": "own_graphs",
    "build_research_graph": "own_graphs",
    "evaluate": "evaluation.running",
    "event_json": "events",
    "read_event": "events",
}
_NAMES = """
ResearchAgent ResearchResult Citation Usage Claim Evidence Limits Scope ResearchContext
ResearchInput build_research_graph
SearchResult ChunksResult DocumentsResult DocumentOutline Chunk Hit IndexReport FileReport
Asked Calls Checked ChunksPruned Citations Confidence Decisions DraftWritten Event
EvidenceChosen Finished Hits Queries SentenceChecked Spent StepFinished StepStarted Stopped
Warned event_json read_event evaluate ResearchAgentError
"""
__all__ = list(_NAMES.split())


def __getattr__(name: str) -> Any:  # noqa: ANN401 (one of the public names)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.interfaces.{_LATER[name]}"), name)
