"""What the steps of a question have written, as the last one reads it."""

from dataclasses import dataclass, field

from research_agent.types import TraceEvent
from research_agent.types.calls import Found
from research_agent.types.evidence import Evidence
from research_agent.types.pruning import Pruned
from research_agent.types.refinement import Refinement
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.scope import EVERYTHING, Scope
from research_agent.types.verification import Check, Draft


@dataclass
class State:
    question: str = "?"
    best: Draft = field(default_factory=Draft)
    check: Check = field(default_factory=Check)
    evidence: tuple[Evidence, ...] = ()
    confidence: RetrievalConfidence = field(default_factory=RetrievalConfidence)
    refinement: Refinement = field(default_factory=Refinement)
    found: Found = field(default_factory=Found)
    trace: tuple[TraceEvent, ...] = ()
    rounds: int = 1
    pruned: Pruned = field(default_factory=Pruned)
    scope: Scope = EVERYTHING
    unsaid: tuple[str, ...] = ()
