"""What goes into an answer, how it is checked, and what it may cost."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How much goes into a prompt."""

    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 5
    """New chunks a round."""
    max_tokens: Annotated[int, Range(100, 200_000, "tokens")] = 1500
    """Tokens of evidence a round may add."""
    max_chars: Annotated[int, Range(400, 1_000_000, "characters")] = 12_000
    """Characters of evidence a round may add."""
    max_a_document: Annotated[int, Range(0, 100, "chunks")] = 0
    """New chunks of one document a round; 0: no limit."""
    neighbours: Annotated[int, Range(0, 5, "chunks")] = 0
    """Chunks before and after each one that enter where tokens and characters are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How the answer is written and refused."""

    mode: Literal["auto", "abstractive", "extractive", "select_then_write"] = "auto"
    """The model writes ("abstractive"); sentences of the evidence nearest to the question
    ("extractive"); the model writes from those alone ("select_then_write"); or it writes, but an
    algorithm that is asked for is shown as it stands, and sentences of the evidence take the
    place of an answer that only repeats the question ("auto")."""
    passages: Annotated[int, Range(1, 100, "passages")] = 6
    """Sentences, rows or algorithms that are shown, or written from, at most."""
    passage_words: Annotated[int, Range(10, 10_000, "words")] = 120
    """Words of them at most; the first is never cut."""
    min_new: Annotated[float, Range(0, 1, "share")] = 0.5
    """Mode "auto": an answer with a smaller share of words that its question does not have
    explains nothing."""
    refusal: Literal["check", "prompt"] = "check"
    """Decide afterwards, by a yes/no question about the written answer, or let the model refuse."""
    min_answerable: Annotated[float, Range(0, 1, "probability")] = 0.5
    """Mode "check": with a lower probability of "yes" the answer is a refusal."""
    max_tokens: Annotated[int, Range(16, 8000, "tokens")] = 300
    """Length of the answer at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifySettings:
    """When an answer counts as supported and certain."""

    max_entropy: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Mean entropy of the answer's tokens up to which the model counts as sure."""
    min_support: Annotated[float, Range(0, 1, "share")] = 0.5
    """Share of a sentence's content words that its quote has to hold."""
    asked_value: Literal["on", "off"] = "on"
    """Refuse where a number, a time or a name is asked for and no supported sentence has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Where the agent stops in any case."""

    rounds: Annotated[int, Range(1, 20, "rounds")] = 2
    """Passes from retrieve to verify."""
    llm_calls: Annotated[int, Range(1, 10_000, "calls")] = 40
    """Calls to language models, for one question like all that follow."""
    tool_calls: Annotated[int, Range(1, 10_000, "calls")] = 20
    """Searches."""
    tokens: Annotated[int, Range(100, 100_000_000, "tokens")] = 100_000
    """Tokens that language models read and write."""
    seconds: Annotated[float, Range(1, 86_400, "seconds")] = 900.0
    """Time for the whole question; what is left of it is each call's deadline."""
    cost: Annotated[float, Range(0, 1_000_000)] = 0.0
    """Money, in the unit of `models.prices`; 0: no limit."""
