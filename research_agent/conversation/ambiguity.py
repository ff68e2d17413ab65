"""Detect ambiguity: whether a question fits several documents or sections alike, by one search."""

from collections.abc import Sequence
from typing import Literal

from research_agent.context import StepContext
from research_agent.errors import ModelError
from research_agent.text.identifiers import identifiers
from research_agent.text.words import length_in_words
from research_agent.types import Hit
from research_agent.types.conversation import Choices, FollowUp
from research_agent.types.scope import Scope

MOST_OPTIONS = 5
"""With more of them the question is broad, not ambiguous."""
COMPARED = 12
MARGIN = 0.02
"""Documents fit alike where the cosines of their best hits differ by no more."""
MAX_WORDS = 6
"""A question with more words is clear by itself."""


def detect_ambiguity(asked: FollowUp, scope: Scope, *, context: StepContext) -> Choices:
    """Return what a person has to choose between, by one search for meaning without a model."""
    if context.settings.sessions.clarify == "off":
        return Choices()
    ports = context.ports
    try:
        vector = ports.embedder.embed([asked.question])[0]
    except ModelError:
        return Choices()
    found = ports.vectors.search(vector, k=context.settings.retrieval.top_k)
    similar = {item.chunk_id: item.value for item in found}
    chunks = ports.chunks.chunks(list(similar))
    hits = [Hit(c, similarity=similar[c.chunk_id]) for c in chunks if scope.admits(c)]
    return clarify(asked.question, hits)


def clarify(question: str, hits: Sequence[Hit]) -> Choices:
    """Return the documents, else the sections, that fit as well as the best (within `MARGIN`).

    Not for a question with an identifier, a number or more than `MAX_WORDS` words.
    """
    if identifiers(question) or length_in_words(question) > MAX_WORDS:
        return Choices()
    known = [hit for hit in hits[:COMPARED] if hit.similarity is not None]
    best = max((hit.similarity or 0.0 for hit in known), default=0.0)
    alike = [hit.chunk for hit in known if (hit.similarity or 0.0) >= best - MARGIN]
    kinds: Sequence[tuple[Literal["document", "section"], list[str]]] = (
        ("document", [chunk.doc_id for chunk in alike]),
        ("section", [chunk.section[-1] for chunk in alike if chunk.section]),
    )
    for kind, names in kinds:
        options = tuple(dict.fromkeys(filter(None, names)))
        if len(options) > 1:
            many = len(options) > MOST_OPTIONS
            return Choices() if many else Choices(f"Which {kind} do you mean?", options, kind)
    return Choices()


def chosen(choices: Choices, reply: str) -> str:
    """Return the option that a person chose, by number or name; empty for all of them."""
    plain = reply.strip().casefold()
    if plain.isdecimal() and 0 < int(plain) <= len(choices.options):
        return choices.options[int(plain) - 1]
    return next((name for name in choices.options if name.casefold() == plain), "")
