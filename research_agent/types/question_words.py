"""The words of a language that say what kind of answer a question wants, and how texts define.

They are settings (`retrieval.words`), one entry a language. A word may end in `*`: any ending.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """Structural words of one language; none of them belongs to a field of knowledge."""

    language: str = ""
    """For people."""
    definition: tuple[str, ...] = ()
    """How a question that wants a definition begins."""
    meaning: tuple[str, ...] = ()
    """How such a question may end: "what does X mean"."""
    overview: tuple[str, ...] = ()
    """How a question begins that wants reasons or a survey."""
    comparison: tuple[str, ...] = ()
    """Words of a question that compares what it names."""
    attribute: tuple[str, ...] = ()
    """Words of a question that wants one property: a size, a number, a time."""
    look_up: tuple[str, ...] = ()
    """Words of a question that wants a text as it stands."""
    shows: tuple[str, ...] = ()
    """Words of a question that wants to see a thing itself."""
    algorithms: tuple[str, ...] = ()
    """What an algorithm is called, and words for what algorithms have."""
    tables: tuple[str, ...] = ()
    """What a table is called."""
    numbered: tuple[str, ...] = ()
    """What has a number in documents: with one behind it, a question wants exactly that."""
    headed: tuple[str, ...] = ()
    """Those of them whose number stands in a heading: "5.2 Sizes" is Section 5.2."""
    formulas: tuple[str, ...] = ()
    """Those of them whose number stands in brackets at the end of a line."""
    joins: tuple[str, ...] = ()
    """What may stand between two numbers: "Tables 3 and 4"."""
    articles: tuple[str, ...] = ()
    """Words before a term that are no part of it."""
    plurals: tuple[str, ...] = ()
    """How words end that mean several things."""
    connectives: tuple[str, ...] = ()
    """Words that end a term."""
    sections: tuple[str, ...] = ()
    """Words in the headings of sections that say what a document is about."""
    glossaries: tuple[str, ...] = ()
    """Words in the headings of sections that define terms line by line."""
    defines: tuple[str, ...] = ()
    """What stands behind a term that is being defined."""
    introduces: tuple[str, ...] = ()
    """What stands before a term that is being introduced."""


ENGLISH = QuestionWords(
    language="english",
    definition=(
        "what is", "what are", "what's", "what does", "what do", "define", "explain", "describe",
        "definition of", "meaning of",
    ),
    meaning=("mean", "means", "stand for"),
    overview=("why", "tell me about", "give an overview", "overview of", "summarize", "summarise"),
    comparison=("differ*", "compar*", "versus", "vs", "both", "or"),
    attribute=(
        "size*", "byte*", "bit", "bits", "how many", "how much", "how large", "how long",
        "how big", "how fast", "how often", "rate", "rates", "speed", "number*", "count*",
        "length*", "when", "step*", "input*", "output*", "strength*", "value*", "probabilit*",
        "cost*", "categor*", "name", "names",
    ),
    look_up=("pseudocode", "pseudo-code"),
    shows=(
        "give", "show", "print", "list", "write", "step*", "lines", "pseudocode", "pseudo-code",
        "what is algorithm", "what's algorithm",
    ),
    algorithms=(
        "algorithm", "procedure", "protocol", "listing", "pseudocode", "pseudo-code", "step*",
        "input*", "output*",
    ),
    tables=("table",),
    numbered=(
        "algorithm", "table", "figure", "section", "appendix", "clause", "chapter", "equation",
        "listing", "theorem",
    ),
    headed=("section", "appendix", "clause", "chapter"),
    formulas=("equation",),
    joins=("and", "or", "to", "through"),
    articles=("a", "an", "the"),
    plurals=("s",),
    connectives=("and", "in", "of", "for", "on", "with"),
    sections=("abstract", "introduction", "purpose", "scope", "summary"),
    glossaries=(
        "glossary", "terms", "acronyms", "definition*", "abbreviations", "notation", "symbols",
    ),
    defines=(
        "is a", "is an", "is the", "is that", "are a", "are the", "means", "refers to",
        "denotes", "stands for",
    ),
    introduces=("called", "termed", "known as", "referred to as"),
)  # fmt: skip


@cache
def phrases(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern that finds any of `words` as whole words, in any case.

    >>> bool(phrases(("differ*",)).search("What differs?")), bool(phrases(()).search("x"))
    (True, False)
    """
    return re.compile(rf"\b(?:{spelled(words)})(?!\w)", re.IGNORECASE)


def spelled(words: tuple[str, ...]) -> str:
    """Return `words` as alternatives of a pattern; what never matches where there are none."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(_spelled(word) for word in longest_first) or "(?!)"


def _spelled(word: str) -> str:
    parts = re.escape(word.removesuffix("*")).replace("\\ ", "\\s+")
    return parts + ("\\w*" if word.endswith("*") else "")
