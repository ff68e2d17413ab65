"""The tools' calls and what they give back: the values that every caller of a tool sees.

A call's `index` counts through the whole search, so results have one order whichever of
several parallel calls comes back first.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from research_agent.types import Hit, TraceEvent
from research_agent.types.budget import NOTHING, Allowance, BudgetStop
from research_agent.types.filtering import FilterStats
from research_agent.types.records import DocumentOutline
from research_agent.types.references import FOLLOWED, LinkKind

SearchStop = Literal["planned", "no_new_evidence", "max_turns", "model_done", "error", BudgetStop]
PART_SLOT = 3
"""The best new hits of a further query enter after this rank of the question's own hits."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool, ready to run; or one that is answered without running anything."""

    index: int
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    """JSON values, those that differ from the tool's defaults."""
    problem: str = ""
    """What is wrong with it, for the model to read; then it is not run."""
    repeats: int | None = None
    """The index of an earlier call that is the same and whose result counts for this one too."""
    part: int = -1
    """Which of the refinement's queries it searches, where rules wrote it."""
    slot: int = PART_SLOT
    """Rank of the question's own hits after which its best new ones enter; 0: after all."""
    bridges: tuple[str, ...] = ()
    """Ids of the chunks that hold the answers which fill its query's gaps."""

    @property
    def query(self) -> str:
        """What is searched for; empty where the tool searches nothing."""
        return str(self.arguments.get("query", ""))

    @property
    def runs(self) -> bool:
        """Whether a tool is run for it."""
        return not self.problem and self.repeats is None


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The calls of one turn of the loop."""

    turn: int = 0
    author: Literal["model", "planner"] = "planner"
    calls: tuple[ToolCall, ...] = ()
    share: Allowance = NOTHING
    """What each of the calls may use."""
    stop: SearchStop | Literal[""] = ""
    """Why no turn can follow; empty where one can."""
    waiting: int = 0
    """Queries that are searched in later turns, with what this one finds."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One chunk that another one refers to."""

    chunk_id: str
    kind: LinkKind
    place: str


def dangling(references: Mapping[str, Sequence[Reference]], there: Collection[str]) -> int:
    """Return how many references lead to a chunk that is not `there`; mentions do not count."""
    known = set(there)
    return sum(
        one.kind in FOLLOWED and one.chunk_id not in known
        for found in references.values()
        for one in found
    )


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, filter record and cost of one search."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    event: TraceEvent = field(default_factory=TraceEvent)
    total_found: int = 0
    """Chunks that the search found, before any was left out."""
    files_searched: int = 0
    """Documents that the search was limited to, or all."""
    search_time_ms: float = 0.0
    """With filter and expansion."""
    references: Mapping[str, tuple[Reference, ...]] = field(default_factory=dict)
    """What the hits refer to, by chunk id; those that refer to nothing are left out."""

    @property
    def filtering_stats(self) -> FilterStats:
        """The filter's record, under the name that callers of the tool know."""
        return self.stats


@dataclass(frozen=True, slots=True)
class ChunksResult:
    """Chunks that were asked for by their ids, and what they refer to."""

    hits: tuple[Hit, ...] = ()
    """Those asked for in the order of asking, then the others by depth; without scores."""
    requested: int = 0
    """How many of `hits` were asked for; the others were reached from them."""
    unknown: tuple[str, ...] = ()
    """Ids that the index does not have."""
    depths: Mapping[int, int] = field(default_factory=dict)
    """How many chunks there are of each depth; those asked for have depth 0."""
    truncated: bool = False
    """There was more than `max_total_chunks` allows."""
    tokens: int = 0
    references: Mapping[str, tuple[Reference, ...]] = field(default_factory=dict)
    event: TraceEvent = field(default_factory=TraceEvent)

    @property
    def expanded(self) -> int:
        """How many chunks were not asked for."""
        return len(self.hits) - self.requested


@dataclass(frozen=True, slots=True)
class DocumentsResult:
    """Everything that can be searched."""

    documents: tuple[DocumentOutline, ...] = ()
    outline: str = ""
    """All of it in a few words, for models."""
    event: TraceEvent = field(default_factory=TraceEvent)
    names: str = ""
    """The same without titles and headings, for the description of a tool."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What one call of the search's loop found."""

    call: ToolCall
    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    told: str = ""
    """Text for the model besides the hits: the list of documents, or an error."""
    searched: bool = True
    """Hits were ranked by a query; else they were asked for by name, or there are none."""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything the search has found so far, and whether to go on."""

    hits: tuple[Hit, ...] = ()
    stats: FilterStats = field(default_factory=FilterStats)
    decision: Literal["again", "stop"] = "stop"
    reason: SearchStop | Literal["new_evidence", "told", "waiting", ""] = ""
    """"told": a call was wrong, listed the documents, or read chunks; the model may go on from it.

    "waiting": a query needs what another one has found.
    """
