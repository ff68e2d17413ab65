"""Value types shared by every layer: immutable, comparable, plain Python inside.

Two values with the same content are equal. Sequences are tuples, numbers are `float` and `int`
(never numpy's: a checkpoint cannot store those). Where a field of the graph's state starts
empty, its type's defaults mean "nothing yet".
"""

from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

ChunkKind = Literal[
    "text",
    "list",
    "table",
    "code",
    "algorithm",
    "operation",
    "schema",
    "security",
    "contents",
    "references",
    "cover",
]
"""What a chunk holds: running text, list items, one table, code or an algorithm in numbered steps,
kept line by line; an operation, a schema or a security scheme of an API description; or parts
that only point elsewhere (`text.boilerplate_sections`), which are kept but not searched."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a user's document, the unit of retrieval."""

    chunk_id: str
    doc_id: str
    """The document's display name: the file's name without its ending."""
    text: str
    start_page: int = 1
    """First page, counted from 1 as a PDF reader counts; 1 where a format has no pages, 0 where
    whoever gave the text did not say."""
    end_page: int = 1
    start_label: str = ""
    """What is printed on the first page, such as "39" or "iv"; empty where nothing is. Of a page
    that was read by OCR how sure that is: "read by OCR, 91 % sure"."""
    end_label: str = ""
    section: tuple[str, ...] = ()
    """Headings above the chunk, the outermost first."""
    kind: ChunkKind = "text"
    title: str = ""
    """The document's title; empty where it has none."""
    date: str = ""
    """The document's date, ISO 8601 (a year, a month or a day); empty where it has none."""
    source: str = ""
    """The path of the file."""
    order: int = 0
    """Position among the chunks of its document, from 0."""


def chunk_header(chunk: Chunk) -> str:
    """Return the title and the headings above a chunk, without empty or repeated ones.

    >>> chunk_header(Chunk("id", "doc", "text", title="Guide", section=("Guide", "Setup", "")))
    'Guide > Setup'
    """
    parts = (part.strip() for part in (chunk.title, *chunk.section))
    return " > ".join(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class ScoredId:
    """A chunk id with the score that one index gave it; larger is better."""

    chunk_id: str
    value: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found. Only scores of one kind are ever compared."""

    chunk: Chunk
    score: float = 0.0
    """After fusion: its order means something, its size does not."""
    similarity: float | None = None
    """Cosine similarity to the query, in [-1, 1]; None where no dense search took part."""
    lexical: float | None = None
    """The lexical index's own score; None where that index did not find the chunk."""


@dataclass(frozen=True, slots=True)
class Probe:
    """The one search a round starts with: its query and everything both indexes found."""

    query: str = ""
    hits: tuple[Hit, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a model."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the likeliest tokens at a position, with its log-probability in nats."""

    text: str
    logprob: float


@dataclass(frozen=True, slots=True)
class Token:
    """A generated token, its log-probability (nats), and the likeliest tokens at its place."""

    text: str
    logprob: float
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A tool call as a model wrote it; `arguments` is JSON text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What one call to a model cost, in tokens; `cached_tokens` are part of `prompt_tokens`."""

    role: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    model: str = ""
    seconds: float = 0.0
    """From the request to the reply's end, with waiting and all tries."""
    price: float | None = None
    """Money, in the unit of `models.prices`; None where the model has no price there."""
    tries: int = 1
    """Requests sent; those before the last one failed."""
    reused: bool = False
    """The reply cache had the reply: nothing was sent, and no token counts."""
    failed: str = ""
    """The name of the error, where there was no reply."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply; `tokens` is empty where the server gives no log-probabilities."""

    text: str
    cost: ModelCall
    tool_calls: tuple[WrittenCall, ...] = ()
    tokens: tuple[Token, ...] = ()
    finish_reason: str = "stop"
    """"stop" or "tool_calls" for a whole reply, "length" for one cut at its token limit."""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One run of one node: what it called and which fallbacks it took, and how long it ran.

    Steps fill `calls`, `notes`, `queries` and `lookups`. `node`, `started` and `seconds` are
    filled in by `graphs/node_wrapper.py`, because steps may not read a clock.
    """

    calls: tuple[ModelCall, ...] = ()
    notes: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    """What was searched for."""
    lookups: int = 0
    """Calls of tools that search nothing, such as reading chunks by their ids."""
    unreadable: int = 0
    """Replies of a model that hold no tool call that can be run, or no verdict on any hit."""
    node: str = ""
    started: float = 0.0
    """Seconds on the run's clock."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """A step's value and what it has to tell the trace."""

    value: T
    event: TraceEvent = field(default_factory=TraceEvent)


REFUSAL = "not found in provided docs"
Refused = Literal[
    "",
    "no_evidence",
    "insufficient_evidence",
    "unsupported_draft",
    "model_failed",
    "budget",
]
"""Why nothing was answered (docs/answers.md); empty where something was. "unsupported_draft": the
evidence contradicts every sentence of the draft, or `answer.unconfirmed` lets it not be shown."""
