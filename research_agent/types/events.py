"""What happens while a question is answered: one stream of events for every door.

Each event is a plain value with a tag, `event`, so that it is the same object as JSON. They are
made from what the graph's steps write (`answering.events`); steps know nothing of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from research_agent.types import ChunkKind, Refused
from research_agent.types.claims import Verdict
from research_agent.types.filtering import ChunkDecision, Fallback, Mode
from research_agent.types.pruning import PruneStats
from research_agent.types.refinement import QueryVerdict
from research_agent.types.result import Citation, ResearchResult, Usage, usage_of
from research_agent.types.retrieval import RetrievalConfidence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    event: str = ""
    """Which kind of event it is."""
    at: float = 0.0
    """Seconds since the question was asked."""
    round: int = 0
    """The round of searching and answering that it belongs to, from 1; 0 before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(_Event):
    """The first event of a question."""

    event: Literal["asked"] = "asked"
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(_Event):
    """A node of the graph has begun."""

    event: Literal["step_started"] = "step_started"
    step: str
    """The node's name, such as "retrieve"; "plan_calls", "run_call", "collect" are in "search"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinished(_Event):
    """A node has ended; what it has done follows in events of other kinds."""

    event: Literal["step_finished"] = "step_finished"
    step: str
    seconds: float = 0.0
    summary: str = ""
    """What it did, in words for people; empty where there is nothing to say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HitPlace:
    """A chunk that a search found, without its text."""

    chunk_id: str
    doc_id: str
    place: str
    """Document, page and section, for people."""
    kind: ChunkKind = "text"
    score: float = 0.0
    similarity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits(_Event):
    """A search, or a look-up of chunks by their ids, has ended; the best hits come first."""

    event: Literal["hits"] = "hits"
    step: Literal["retrieve", "run_call"]
    """The probing search of a round, or one of the calls that follow."""
    tool: str = ""
    """The tool that was called; empty for the probing search."""
    query: str = ""
    """Empty where chunks were looked up by their ids."""
    hits: tuple[HitPlace, ...] = ()
    """The first `SHOWN_HITS` of them."""
    total: int = 0
    """How many there are."""
    problem: str = ""
    """Why there are none, where something was wrong with the call or the search failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence(_Event):
    """How clearly the probing search has found something."""

    event: Literal["confidence"] = "confidence"
    confidence: RetrievalConfidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries(_Event):
    """What will be searched for, and why; the first query is the question's own."""

    event: Literal["queries"] = "queries"
    kind: str
    """"keep", "rewrite", "decompose", "disambiguate" or another kind of refinement."""
    queries: tuple[str, ...]
    reason: str = ""
    author: str = ""
    verdicts: tuple[QueryVerdict, ...] = ()
    """What the validators say of each query that was proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A call of a tool that is about to be made, or one that is answered without making it."""

    index: int
    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls(_Event):
    """One turn of the search is planned."""

    event: Literal["calls"] = "calls"
    turn: int
    author: str
    calls: tuple[PlannedCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions(_Event):
    """What the filter has made of the hits of one search."""

    event: Literal["decisions"] = "decisions"
    query: str
    mode: Mode
    original: int
    kept: int
    expanded: int = 0
    decisions: tuple[ChunkDecision, ...] = ()
    """With the model's reasons, where it gave some."""
    fallback: str = ""
    """Why the ranking decided where the model should have; empty where the model did."""
    fallback_type: Fallback = ""
    dangling_before: int = 0
    """References of kept hits to chunks that are not in the result, before expansion."""
    dangling_after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePlace:
    """A chunk that the model will read, under its key."""

    key: str
    chunk_id: str
    doc_id: str
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceChosen(_Event):
    """What the model will answer from, of all rounds so far."""

    event: Literal["evidence"] = "evidence"
    evidence: tuple[EvidencePlace, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunksPruned(_Event):
    """Chunks pruned so far, and why; comes before the evidence."""

    event: Literal["pruned"] = "pruned"
    stats: PruneStats


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftWritten(_Event):
    """The draft, before it is checked; only for readers who ask for drafts."""

    event: Literal["draft"] = "draft"
    text: str
    answerable: float | None = None
    """Probability that the evidence answers the question; None where it was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceChecked(_Event):
    """One sentence of a draft with its keys and its verdict, in the order of the draft."""

    event: Literal["sentence"] = "sentence"
    index: int
    """Its place in the draft, from 0."""
    verdict: Verdict
    text: str = ""
    """Empty where a sentence is not supported and a further round may write it otherwise, except
    for those who ask for drafts."""
    keys: tuple[str, ...] = ()
    problem: str = ""
    """Why it is not supported; empty where its text is."""
    rekeyed: bool = False
    """Whether it has a key that the model did not write."""
    rewritten: bool = False
    """Whether the model wrote it again."""
    mean_entropy: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(_Event):
    """A draft is checked: what happens next, and why."""

    event: Literal["check"] = "check"
    decision: Literal["again", "stop"]
    reason: str
    refused: Refused = ""
    sentences: int = 0
    """Sentences of the best draft so far."""
    shown: int = 0
    """Those of them that the evidence supports."""
    mean_entropy: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations(_Event):
    """Where the sentences of the answer can be looked up."""

    event: Literal["citations"] = "citations"
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent(_Event):
    """Usage so far; after each step that asked a model."""

    event: Literal["usage"] = "usage"
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(_Event):
    """A warning, such as a fallback; each comes once."""

    event: Literal["warning"] = "warning"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(_Event):
    """The last event of a question that was answered or refused."""

    event: Literal["result"] = "result"
    result: ResearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(_Event):
    """The last event of a question that somebody ended, or that an error did."""

    event: Literal["stopped"] = "stopped"
    reason: Literal["cancelled", "error"]
    error: str = ""
    """The name of the error, such as "QuestionError"; empty where it was cancelled."""
    message: str = ""
    hint: str = ""
    usage: Usage = field(default_factory=lambda: usage_of(()))
    """What it has cost so far."""


Event = (
    Asked
    | StepStarted
    | StepFinished
    | Hits
    | Confidence
    | Queries
    | Calls
    | Decisions
    | ChunksPruned
    | EvidenceChosen
    | DraftWritten
    | SentenceChecked
    | Checked
    | Citations
    | Spent
    | Warned
    | Finished
    | Stopped
)
SHOWN_HITS = 100
"""Hits that an event names at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Who sees what happens in a question beside the reader of its events.

    They are called on the threads of its steps, one after the other.
    """

    drafts: bool = False
    """Events tell drafts too."""
    on_event: tuple[Callable[[Event], None], ...] = ()
    on_step: tuple[Callable[[str, int, Mapping[str, Any]], None], ...] = ()
    """Told a step's name, its round and what it wrote, drafts too, when it has ended."""
