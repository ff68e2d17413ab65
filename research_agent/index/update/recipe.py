"""What chunks and vectors depend on, beside the document and the embedding model."""

from collections.abc import Sequence

from research_agent.types.question_words import ENGLISH, QuestionWords
from research_agent.types.records import text_digest

CHUNKING = 6
"""Version of how text becomes chunks and windows: documents of another one are cut anew."""


def recipe(chunk_chars: int, words: Sequence[QuestionWords] = (ENGLISH,)) -> str:
    """Return the settings and the version that an index is made with, to be compared and shown.

    Words count where they differ from those given by default: what is named by number, and which
    terms are defined, depends on them.

    >>> recipe(1000)
    'chunk_chars=1000 chunking=6'
    """
    kept = f"chunk_chars={chunk_chars} chunking={CHUNKING}"
    if _structure(words) == _structure((ENGLISH,)):
        return kept
    return f"{kept} words={text_digest(repr(_structure(words)))[:8]}"


def _structure(words: Sequence[QuestionWords]) -> list[tuple[tuple[str, ...], ...]]:
    """Return those of the words that tell how documents refer to themselves."""
    return [(w.numbered, w.headed, w.formulas, w.joins, w.glossaries) for w in words]
