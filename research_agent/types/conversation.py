"""What a conversation keeps of its turns: plain values that later versions can still read.

Every field has a default, so that a turn of an older version lacks nothing; what it knew besides
is passed over.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from research_agent.answering.draft_redaction import public_result
from research_agent.text.alignment import PageSpan
from research_agent.types import Chunk, ModelCall
from research_agent.types.records import text_digest
from research_agent.types.result import Citation, ResearchResult
from research_agent.types.uncertainty import Unsure, in_words

Understanding = Literal["new", "rules", "model", "context"]
"""How a question was understood: "new": as it was typed; "model": completed by a model; "context":
together with the question before, because the model's reply could not be used. "rules" stands in
sessions of older versions only."""
MOST_KNOWN = 2
"""Chunks cited earlier that a follow-up starts from: one of each of the last two answers."""
DIGEST_CHARS = 16


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a person said, and the question that stands for it by itself."""

    text: str = ""
    question: str = ""
    how: Understanding = "new"
    reason: str = ""
    """Why it could not be completed."""
    calls: tuple[ModelCall, ...] = ()
    more: bool = False
    """It asks for more than an earlier answer told: what was cited is not read again."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person has to know about how the question was understood."""
        told = f"follow_up: asked together with the question before: {self.reason}"
        more = "follow_up: asked for more, so what was cited before is not read again"
        return (*[told] * (self.how == "context"), *[more] * self.more)


@dataclass(frozen=True, slots=True)
class Choices:
    """Readings of a question between which only a person can choose; none where it is clear."""

    question: str = ""
    """What to ask the person."""
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
    """The file's path."""
    page: int = 1
    spans: tuple[PageSpan, ...] = ()
    """Where the quote stands in the texts of its pages, where that is known."""
    quote: str = ""
    chunk_id: str = ""
    digest: str = ""
    """Of the chunk's text, to see later whether it is still the same."""

    @property
    def quoted_page(self) -> int:
        """The page on which the quote begins."""
        return self.spans[0].page if self.spans else self.page


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


def chunk_digest(chunk: Chunk) -> str:
    """Return by what a chunk is known to be the same as before.

    >>> chunk_digest(Chunk("x", "guide", "a key"))
    '8fa3aab2faa9b79e'
    """
    return text_digest(chunk.text)[:DIGEST_CHARS]


def turn_of(asked: FollowUp, result: ResearchResult) -> Turn:
    """Return what is kept of an answer; nothing of a draft that was refused."""
    result = public_result(result)
    digests = {item.hit.chunk.chunk_id: chunk_digest(item.hit.chunk) for item in result.evidence}
    usage = result.usage
    return Turn(
        text=asked.text,
        question=result.question,
        how=asked.how,
        reason=asked.reason,
        status=result.status,
        answer=result.answer,
        refusal_reason=result.refusal_reason,
        stop_reason=result.stop_reason,
        citations=tuple(_cited(citation, digests) for citation in result.citations),
        unanswered=result.unanswered if result.status != "refused" else (),
        queries=result.queries,
        filter_mode=result.filter_stats.mode,
        original=result.filter_stats.original,
        kept=result.filter_stats.kept,
        rounds=result.rounds,
        confidence=result.confidence.value,
        confidence_reason=result.confidence.reason,
        mean_entropy=result.uncertainty.mean_entropy,
        uncertainty=in_words(result.uncertainty),
        unsure=result.unsure,
        entropies=tuple(one.mean_entropy for one in result.trend),
        answerable=result.answerable,
        warnings=(*asked.warnings, *result.warnings),
        llm_calls=usage.llm_calls + len(asked.calls),
        prompt_tokens=usage.prompt_tokens + sum(call.prompt_tokens for call in asked.calls),
        completion_tokens=usage.completion_tokens
        + sum(call.completion_tokens for call in asked.calls),
        seconds=usage.elapsed_seconds + sum(call.seconds for call in asked.calls),
    )


def entered(ledger: Ledger, asked: FollowUp, result: ResearchResult) -> Ledger:
    """Return the ledger with what the answer to one more question has read, cited and left out."""
    read = {i.hit.chunk.chunk_id: chunk_digest(i.hit.chunk) for i in result.evidence}
    cited = {i.chunk_id: read[i.chunk_id] for i in result.citations if i.chunk_id in read}
    discarded = [
        one.chunk_id
        for one in result.filter_stats.decisions
        if one.verdict == "discard" and one.chunk_id not in read
    ]
    before = ledger.discarded if asked.more else ()
    return Ledger(
        {**ledger.seen, **read},
        {**ledger.cited, **cited},
        tuple(dict.fromkeys([*before, *discarded])),
    )


def known_chunks(asked: FollowUp, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the chunks that a follow-up starts from; none for a new question.

    They are the first that each of the last two answers cited, since a question may compare both;
    where that is one chunk, the next that was cited.

    >>> a, b = (Turn(citations=(Cited(chunk_id=one), Cited(chunk_id=f"{one}2"))) for one in "ab")
    >>> known_chunks(FollowUp(how="model"), [a, b, Turn()]), known_chunks(FollowUp(), [a])
    (('b', 'a'), ())
    """
    if asked.how == "new":
        return ()
    cited = [[item.chunk_id for item in turn.citations] for turn in turns if turn.citations]
    ranked = zip_longest(*reversed(cited[-2:]))
    ids = dict.fromkeys(one for rank in ranked for one in rank if one)
    return tuple(ids)[:MOST_KNOWN]


def _cited(citation: Citation, digests: Mapping[str, str]) -> Cited:
    return Cited(
        citation.key,
        citation.place,
        citation.doc_id,
        citation.title,
        citation.source,
        citation.start_page,
        citation.page_spans,
        citation.quote,
        citation.chunk_id,
        digests.get(citation.chunk_id, ""),
    )
