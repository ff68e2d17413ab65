"""Questions whose answer is known, made from chunks: by rules, or read from a model's reply."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from research_agent.text.words import length_in_words
from research_agent.types import Chunk
from research_agent.types.question_words import QuestionWords, spelled

LEAST_CHARS = 200
"""A shorter chunk says too little to ask about."""
LEAST_WORDS, MOST_WORDS = 4, 40
"""A written question has so many words; others are fragments, or answers."""
MOST_CHARS = 400
TERM_WORDS = 4

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"question": {"type": "string", "maxLength": MOST_CHARS}},
    "required": ["question"],
    "additionalProperties": False,
}
"""What a model that writes a question has to reply."""
_POINTS_AT_TEXT = re.compile(
    r"\b(?:th(?:is|e(?: (?:given|above|provided))?) (?:passage|text|excerpt|document|paragraph))\b",
    re.IGNORECASE,
)
_ARTICLE_OF_PRONOUN = re.compile(r"(?i)^(?:it|this|that|these|those|there|they|he|she|we|which)$")
_WORDS_OF_HEADING = re.compile(r"[^\W\d_]{3,}")
_NUMBER = re.compile(r"^\W*(?:[A-Z]\.)?[\d.]*\d\.?\s+")


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question, and the chunks that answer it."""

    text: str
    golds: frozenset[str]
    by: Literal["model", "definition", "heading"]


def can_be_asked_about(chunk: Chunk) -> bool:
    """Return whether a chunk holds enough to make a question from.

    >>> can_be_asked_about(Chunk("a", "d", "Too short."))
    False
    """
    kinds = ("text", "list", "table", "algorithm", "code")
    return chunk.kind in kinds and len(chunk.text) >= LEAST_CHARS


def by_rules(
    chunk: Chunk, golds: frozenset[str], languages: Sequence[QuestionWords]
) -> MadeQuestion | None:
    """Return a question for the term that a chunk defines, else for its section; None for neither.

    A section's question is its headings as they stand, which works in every language.

    >>> from research_agent.types.question_words import ENGLISH
    >>> text = "A KEM is a set of three algorithms."
    >>> by_rules(Chunk("a", "d", text), frozenset("a"), [ENGLISH]).text
    'What is KEM?'
    >>> chunk = Chunk("a", "d", "No.", section=("Guide", "4.2 Choosing parameter sets"))
    >>> by_rules(chunk, frozenset("a"), [ENGLISH]).text
    'Guide: Choosing parameter sets'
    """
    for words in languages:
        if words.definition and (term := _defined(chunk.text, words)):
            begins = words.definition[0].capitalize()
            return MadeQuestion(f"{begins} {term}?", golds, "definition")
    headings = [_NUMBER.sub("", heading).strip() for heading in chunk.section[-2:]]
    text = ": ".join(heading for heading in headings if heading)
    if (
        len(_WORDS_OF_HEADING.findall(text)) < LEAST_WORDS - 1
        and length_in_words(text) < LEAST_WORDS
    ):
        return None
    return MadeQuestion(text[:MOST_CHARS], golds, "heading")


def answering(chunk: Chunk, near: Sequence[Chunk]) -> frozenset[str]:
    """Return the ids of a chunk and of those `near` it that say the same or go on with it.

    These are the ones directly before and behind it, and those of its section.

    >>> chunks = [Chunk(c, "d", "", section=("S",) * (c in "ac"), order="abcde".index(c))
    ...     for c in "abcde"]
    >>> sorted(answering(chunks[0], chunks[1:]))
    ['a', 'b', 'c']
    """
    return frozenset(
        {chunk.chunk_id}
        | {
            other.chunk_id
            for other in near
            if abs(other.order - chunk.order) == 1
            or (chunk.section and other.section == chunk.section)
        }
    )


def read_question(golds: frozenset[str], reply: str) -> MadeQuestion | None:
    """Read the question in a model's reply; None where it is none that a person could ask.

    One that speaks of "the passage" is none: nobody who has not seen it could ask so.

    >>> golds = frozenset("a")
    >>> read_question(golds, '{"question": "How hot is bread baked?"}').text
    'How hot is bread baked?'
    >>> read_question(golds, '{"question": "What does the passage say?"}') is None
    True
    >>> read_question(golds, "I cannot.") is None
    True
    """
    try:
        value = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
    except json.JSONDecodeError:
        return None
    written = value.get("question") if isinstance(value, dict) else None
    text = " ".join(written.split()) if isinstance(written, str) else ""
    fits = LEAST_WORDS <= length_in_words(text) <= MOST_WORDS and len(text) <= MOST_CHARS
    if not fits or _POINTS_AT_TEXT.search(text):
        return None
    return MadeQuestion(text, golds, "model")


def _defined(text: str, words: QuestionWords) -> str:
    """Return the term that a sentence of `text` defines; empty where none does."""
    for match in _definition(words).finditer(text):
        term = match["term"].strip()
        if not _ARTICLE_OF_PRONOUN.match(term) and any(c.isupper() for c in term):
            return term
    return ""


@cache
def _definition(words: QuestionWords) -> re.Pattern[str]:
    article = f"(?:(?:{spelled(words.articles)})\\s+)?"
    term = rf"(?P<term>[^\W_][\w.-]*(?:[ -][\w.-]+){{0,{TERM_WORDS - 1}}}?)"
    begins = r"(?:^|(?<=[.!?]\s))"
    return re.compile(
        rf"{begins}(?i:{article}){term}\s+(?:{spelled(words.defines)})\b", re.MULTILINE
    )
