"""Whether a question can be meant of several documents or sections alike."""

from collections.abc import Iterable, Sequence
from typing import Literal

from research_agent.text.identifiers import identifiers
from research_agent.text.words import length_in_words
from research_agent.types import Chunk, Hit
from research_agent.types.conversation import Choices

MOST_OPTIONS = 5
"""With more of them the question is broad, not ambiguous."""
COMPARED = 12
"""So many of the best hits are looked at."""


def clarify(question: str, hits: Sequence[Hit], *, margin: float, max_words: int) -> Choices:
    """Return the documents, else the sections, that fit a short question equally well.

    Equally well: the best hit of each is at most `margin` less similar than the best of all. A
    question with an identifier or a number, or with more than `max_words` words, is never asked
    about: its words decide.

    >>> found = [Hit(Chunk(d, d, "text"), 1.0, s) for d, s in [("rye", 0.52), ("wheat", 0.51)]]
    >>> clarify("How long is it baked?", found, margin=0.02, max_words=6).options
    ('rye', 'wheat')
    >>> clarify("How long is it baked?", found, margin=0.0, max_words=6).options
    ()
    """
    if identifiers(question) or length_in_words(question) > max_words:
        return Choices()
    known = [hit for hit in hits[:COMPARED] if hit.similarity is not None]
    best = max((hit.similarity or 0.0 for hit in known), default=0.0)
    alike = [hit.chunk for hit in known if (hit.similarity or 0.0) >= best - margin]
    documents = _different(chunk.doc_id for chunk in alike)
    if len(documents) > 1:
        return _told("Which document do you mean?", documents, "document")
    sections = _different(map(_section, alike))
    if len(sections) > 1:
        return _told("Which section do you mean?", sections, "section")
    return Choices()


def chosen(choices: Choices, said: str) -> str:
    """Return the option that a person chose, by number or name; empty for all of them.

    >>> options = Choices("Which?", ("rye", "wheat"))
    >>> chosen(options, "2"), chosen(options, " RYE "), chosen(options, "all")
    ('wheat', 'rye', '')
    """
    plain = said.strip().casefold()
    if plain.isdecimal() and 0 < int(plain) <= len(choices.options):
        return choices.options[int(plain) - 1]
    return next((name for name in choices.options if name.casefold() == plain), "")


def _told(question: str, options: tuple[str, ...], kind: Literal["document", "section"]) -> Choices:
    return Choices(question, options, kind) if len(options) <= MOST_OPTIONS else Choices()


def _different(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _section(chunk: Chunk) -> str:
    return chunk.section[-1] if chunk.section else ""
