"""Which way of answering suits a model and its documents: counted on questions made from chunks.

Each question is answered in every mode. An answer is right where it cites one of the chunks that
its question was made from, and says what was asked about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from research_agent.text.content_words import content_words, share_held
from research_agent.types.result import ResearchResult

Mode = Literal["abstractive", "select_then_write", "extractive"]
MODES: tuple[Mode, ...] = ("abstractive", "select_then_write", "extractive")
"""The modes that are compared."""
MODE = "answer.mode"
LEAST_QUESTIONS = 12
"""Fewer say nothing about a mode."""
LEAST_HELD = 0.5
"""Share of the question's words that a right answer and its quotes hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What became of one question in one mode."""

    given: bool
    """It was answered; else it was refused."""
    right: bool


@dataclass(frozen=True, slots=True)
class ModeCount:
    """What became of all questions in one mode."""

    right: int
    given: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChoice:
    """The mode that `auto` takes, and what that rests on."""

    value: Literal["auto", "abstractive", "select_then_write", "extractive"]
    """"auto": none is better than the others for certain, so its own rule stays."""
    questions: int
    """Questions that were answered in every mode."""
    counts: Mapping[str, ModeCount] = field(default_factory=dict)
    """By mode."""
    reason: str = ""
    """Why none was chosen; empty where one was."""
    writers: str
    """The models that wrote and checked the answers."""
    settings: str
    """A digest of the settings that answers are written with."""


def tried(question: str, golds: frozenset[str], result: ResearchResult) -> Tried:
    """Return what an answer to a question was worth whose chunks are known."""
    given = result.status in ("answered", "partial")
    quotes = [one.quote for one in result.citations if one.chunk_id in golds]
    said = content_words(" ".join((result.answer, *quotes)))
    right = given and bool(quotes) and share_held(question, said) >= LEAST_HELD
    return Tried(given=given, right=right)


def choose_mode(asked: Sequence[Mapping[str, Tried]], *, writers: str, settings: str) -> ModeChoice:
    """Return the mode with the most right answers among the questions asked in every mode.

    With too few of them, or where two modes are level, none is chosen.

    >>> yes, no = Tried(given=True, right=True), Tried(given=True, right=False)
    >>> rows = [{"abstractive": no, "select_then_write": no, "extractive": yes}] * 12
    >>> choose_mode(rows, writers="m", settings="s").value
    'extractive'
    >>> choose_mode(rows[:11], writers="m", settings="s").reason
    '11 questions are too few, 12 are needed'
    """
    whole = [row for row in asked if all(mode in row for mode in MODES)]
    counts: dict[str, ModeCount] = {mode: _count([row[mode] for row in whole]) for mode in MODES}
    most = max(count.right for count in counts.values())
    best = [mode for mode in MODES if counts[mode].right == most]
    reason = ""
    if len(whole) < LEAST_QUESTIONS:
        reason = f"{len(whole)} questions are too few, {LEAST_QUESTIONS} are needed"
    elif len(best) > 1:
        reason = f"{' and '.join(best)} are level"
    return ModeChoice(
        value="auto" if reason else best[0],
        questions=len(whole),
        counts=counts,
        reason=reason,
        writers=writers,
        settings=settings,
    )


def _count(rows: Sequence[Tried]) -> ModeCount:
    return ModeCount(sum(row.right for row in rows), sum(row.given for row in rows))
