"""What a conversation keeps of its turns: plain values that later versions can still read.

Every field has a default, so that a turn of an older version lacks nothing; what it knew besides
is passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from research_agent.text.alignment import PageSpan
from research_agent.types import ModelCall
from research_agent.types.uncertainty import Unsure

Understanding = Literal["new", "rules", "model", "context"]
"""How a question was understood: "new": as it was typed; "model": completed by a model; "context":
together with the question before, because the model's reply could not be used; "rules": in
sessions of older versions."""
MORE = "asked for more, so what was cited before is not read again"
"""What a person has to know about a question that asks for more than an earlier answer said."""
MOST_KNOWN = 2
"""Chunks cited earlier that a follow-up starts from: one of each of the last two answers."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a person said, and the question that is asked for it."""

    text: str = ""
    question: str = ""
    how: Understanding = "new"
    reason: str = ""
    """Why it could not be completed."""
    calls: tuple[ModelCall, ...] = ()
    more: bool = False
    """It asks for more than an earlier answer said: cited chunks are not read again."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person has to know about how the question was understood."""
        told = f"follow_up: asked together with the question before: {self.reason}"
        return (*[told] * (self.how == "context"), *[f"follow_up: {MORE}"] * self.more)


@dataclass(frozen=True, slots=True)
class Choices:
    """Readings of a question between which only a person can choose; none where it is clear."""

    question: str = ""
    options: tuple[str, ...] = ()
    """Names of documents, or headings of sections of one document."""
    kind: Literal["document", "section"] = "document"


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation as a conversation keeps it."""

    key: str = ""
    place: str = ""
    doc_id: str = ""
    title: str = ""
    source: str = ""
    page: int = 1
    spans: tuple[PageSpan, ...] = ()
    """Places of the quote in the texts of its pages, where that is known."""
    quote: str = ""
    quotes: tuple[str, ...] = ()
    """The words of every sentence that cites it; those of a table below its head."""
    chunk_id: str = ""
    digest: str = ""
    """Of the chunk's text, to see later whether it is still the same."""

    @property
    def quoted_page(self) -> int:
        """The page on which the quote begins."""
        return self.spans[0].page if self.spans else self.page

    @property
    def words(self) -> tuple[str, ...]:
        """All its quotes, as far as they were kept."""
        return self.quotes or (self.quote,)


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation and its answer."""

    text: str = ""
    """As it was typed."""
    question: str = ""
    """As it was asked."""
    how: str = "new"
    reason: str = ""
    status: str = ""
    answer: str = ""
    refusal_reason: str = ""
    stop_reason: str = ""
    citations: tuple[Cited, ...] = ()
    unanswered: tuple[str, ...] = ()
    """What it lacks; an empty one is a part of the question that nobody has named."""
    scope: str = ""
    """What it was limited to, in words; empty where everything could be read."""
    queries: tuple[str, ...] = ()
    filter_mode: str = ""
    original: int = 0
    """Chunks that the filter looked at."""
    kept: int = 0
    rounds: int = 0
    confidence: float = 0.0
    confidence_reason: str = ""
    mean_entropy: float | None = None
    uncertainty: str = ""
    """What it was measured by, in words."""
    unsure: tuple[Unsure, ...] = ()
    entropies: tuple[float | None, ...] = ()
    """The same of every round that wrote an answer."""
    answerable: float | None = None
    warnings: tuple[str, ...] = ()
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """Which chunks a conversation has dealt with, by id, with the digest of their text."""

    seen: Mapping[str, str] = field(default_factory=dict)
    """All that a model has read."""
    cited: Mapping[str, str] = field(default_factory=dict)
    discarded: tuple[str, ...] = ()
    """Chunks that the filter left out for the last question, and for those it asks more of."""

    @property
    def told(self) -> Mapping[str, str]:
        """What is of no use to a question that asks for more."""
        return {**dict.fromkeys(self.discarded, ""), **self.cited}
