"""Questions made from chunks, so that what answers them is known, and asked of the index."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.text.replies import object_schema, reply_object
from research_agent.text.words import length_in_words
from research_agent.types import Chunk, Hit, Message, Outcome, TraceEvent
from research_agent.types.evidence import fenced
from research_agent.verification.calibration import Observation

LEAST_CHARS = 200
"""A shorter chunk says too little to ask about."""
LEAST_WORDS, MOST_WORDS = 4, 40
"""Words of a written question; others are fragments, or answers."""
MOST_CHARS = 400
MAX_TOKENS = 80
LEAST_TOKENS = 40
SHOWN_CHARS = 2000
"""Of a chunk, to the model that writes a question about it."""
NEAR = 10
"""Chunks before and after one that may belong to its section."""
KINDS = ("text", "list", "table", "algorithm", "code")
SCHEMA = object_schema({"question": {"type": "string", "maxLength": MOST_CHARS}})
_POINTS_AT_TEXT = re.compile(
    r"\b(?:th(?:is|e(?: (?:given|above|provided))?) (?:passage|text|excerpt|document|paragraph))\b",
    re.IGNORECASE,
)
_WORDS_OF_HEADING = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"^\W*(?:[A-Z]\.)?[\d.]*\d\.?\s+")


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question, and the ids of the chunks that answer it."""

    text: str
    golds: frozenset[str]
    by: Literal["model", "heading"]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that was made, and its outcome."""

    question: MadeQuestion
    observed: Observation


def ask_made_questions(
    chunks: Sequence[Chunk],
    context: StepContext,
    *,
    most: int,
    by_model: bool,
    search: Callable[[str], tuple[Sequence[Hit], float]],
    on_progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Outcome[tuple[AskedQuestion, ...]]:
    """Make up to `most` questions from `chunks`, in their order, and `search` for each.

    A question is right where one of the first `evidence.max_chunks` hits answers it. With
    `by_model` the planner model writes them, until a call fails or is not paid; else rules do.
    """
    asked: dict[str, AskedQuestion] = {}
    notes: list[str] = []
    first = context.settings.evidence.max_chunks
    for made in _questions(chunks, context, notes, by_model=by_model):
        if made.text in asked:
            continue
        hits, confidence = search(made.text)
        right = any(hit.chunk.chunk_id in made.golds for hit in hits[:first])
        asked[made.text] = AskedQuestion(made, Observation(confidence, right))
        on_progress(len(asked), most)
        if len(asked) == most:
            break
    if len(asked) < most and context.meter.left().seconds <= 0:
        notes.append(f"calibrate: the time was over after {len(asked)} questions")
    return Outcome(tuple(asked.values()), TraceEvent(context.meter.calls, tuple(notes)))


def _questions(
    chunks: Sequence[Chunk], context: StepContext, notes: list[str], *, by_model: bool
) -> Iterator[MadeQuestion]:
    for chunk in chunks:
        if context.meter.left().seconds <= 0:
            return
        if chunk.kind not in KINDS or len(chunk.text) < LEAST_CHARS:
            continue
        golds = answering(chunk, context.ports.chunks.around(chunk.chunk_id, window=NEAR))
        made = None if by_model else by_headings(chunk, golds)
        if by_model:
            try:
                made = read_question(golds, _written(chunk, context))
            except (ModelError, BudgetError) as error:
                if context.meter.left().seconds <= 0:
                    return
                by_model, made = False, by_headings(chunk, golds)
                notes.append(f"calibrate: {error}; further questions were made by rules")
        if made:
            yield made


def _written(chunk: Chunk, context: StepContext) -> str:
    text = context.prompts.calibrate.render(text=fenced(chunk.text[:SHOWN_CHARS]))
    reply = context.meter.ask(
        context.ports.planner,
        "planner",
        [Message("user", text)],
        max_tokens=MAX_TOKENS,
        least_tokens=LEAST_TOKENS,
        schema=SCHEMA,
    )
    return reply.text


def answering(chunk: Chunk, near: Sequence[Chunk]) -> frozenset[str]:
    """Return the ids of a chunk, of its two neighbours, and of its section."""
    same = (
        other.chunk_id
        for other in near
        if abs(other.order - chunk.order) == 1 or (chunk.section and other.section == chunk.section)
    )
    return frozenset({chunk.chunk_id, *same})


def by_headings(chunk: Chunk, golds: frozenset[str]) -> MadeQuestion | None:
    """Return the last two headings of a chunk as a question; None where they say too little."""
    headings = [_NUMBER.sub("", heading).strip() for heading in chunk.section[-2:]]
    text = ": ".join(heading for heading in headings if heading)
    words = len(_WORDS_OF_HEADING.findall(text))
    if words < LEAST_WORDS - 1 and length_in_words(text) < LEAST_WORDS:
        return None
    return MadeQuestion(text[:MOST_CHARS], golds, "heading")


def read_question(golds: frozenset[str], reply: str) -> MadeQuestion | None:
    """Read the question in a model's reply; None where it is none that a person could ask.

    One that speaks of "the passage" is none: nobody who has not seen it could ask so.
    """
    written = reply_object(reply).get("question")
    text = " ".join(written.split()) if isinstance(written, str) else ""
    fits = LEAST_WORDS <= length_in_words(text) <= MOST_WORDS and len(text) <= MOST_CHARS
    if not fits or _POINTS_AT_TEXT.search(text):
        return None
    return MadeQuestion(text, golds, "model")
