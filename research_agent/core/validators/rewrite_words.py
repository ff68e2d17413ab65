"""The words of a language by which validators tell whether two questions ask the same.

They are structural: none belongs to a field of knowledge. Built in are English, Indonesian and
Chinese; `refinement.words` adds languages or takes the place of one of these.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteWords:
    """Words of one language; several that mean the same stand in one text, split by `|`."""

    language: str = ""
    spaced: bool = True
    """Whether words are written apart."""
    function: tuple[str, ...] = ()
    """Words that say nothing of what is asked about: articles, auxiliaries, question words."""
    articles: tuple[str, ...] = ()
    """Those of them that may come and go before a noun."""
    negations: tuple[str, ...] = ()
    """Words that turn a statement into its opposite."""
    not_negations: tuple[str, ...] = ()
    """Phrases that hold such a word and negate nothing: "not only"."""
    relations: tuple[tuple[str, ...], ...] = ()
    """Sides that exclude each other; none may be lost, gained or exchanged: before, after."""
    opposites: tuple[tuple[str, ...], ...] = ()
    """Sides that may be lost or gained but not exchanged: cause, effect."""
    synonyms: tuple[str, ...] = ()
    """Words that may stand for each other."""
    numbers: tuple[str, ...] = ()
    """Number words from two on; an empty text where one is ambiguous."""
    ordinals: tuple[str, ...] = ()
    """Ordinal number words from second on."""
    units: tuple[str, ...] = ()
    """Words behind a number that say what is counted."""
    markers: tuple[str, ...] = ()
    """Prepositions whose object may not change: from, to."""
    agents: tuple[str, ...] = ()
    """Words before the one who acts, in the passive voice: by."""
    conjunctions: tuple[str, ...] = ()
    """Words whose two sides may change places: and, or."""
    prefixes: tuple[str, ...] = ()
    """Beginnings of words that are no part of their root."""
    suffixes: tuple[str, ...] = ()
    """Endings of words that are no part of their root."""


def alternatives(text: str) -> tuple[str, ...]:
    """Return the words that stand in one text, split by `|`.

    >>> alternatives("before|prior to")
    ('before', 'prior to')
    """
    return tuple(word for word in text.split("|") if word)
