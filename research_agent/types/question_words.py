"""English words that say what kind of answer a question wants, and how texts define and number.

A word may end in `*`: any ending. None of them belongs to a field of knowledge.
"""

import re
from functools import cache

DEFINITION = (
    "what is", "what are", "what's", "what does", "what do", "define", "explain", "describe",
    "definition of", "meaning of",
)  # fmt: skip
"""How a question that wants a definition begins."""
MEANING = ("mean", "means", "stand for")
"""How such a question may end: "what does X mean"."""
OVERVIEW = ("why", "tell me about", "give an overview", "overview of", "summarize", "summarise")
"""How a question begins that wants reasons or a survey."""
COMPARISON = ("differ*", "compar*", "versus", "vs", "both", "or")
"""Words of a question that compares what it names."""
ATTRIBUTE = (
    "size*", "byte*", "bit", "bits", "how many", "how much", "how large", "how long", "how big",
    "how fast", "how often", "rate", "rates", "speed", "number*", "count*", "length*", "when",
    "step*", "input*", "output*", "strength*", "value*", "probabilit*", "cost*", "categor*",
    "name", "names",
)  # fmt: skip
"""Words of a question that wants one property: a size, a number, a time."""
LOOK_UP = ("pseudocode", "pseudo-code")
"""Words of a question that wants a text word for word."""
SHOWS = (
    "give", "show", "print", "list", "write", "step*", "lines", "pseudocode", "pseudo-code",
    "what is algorithm", "what's algorithm",
)  # fmt: skip
"""Words of a question that wants to see a thing itself."""
ALGORITHMS = (
    "algorithm", "procedure", "protocol", "listing", "pseudocode", "pseudo-code", "step*",
    "input*", "output*",
)  # fmt: skip
"""What an algorithm is called, and words for what algorithms have."""
TABLES = ("table",)
NUMBERED = (
    "algorithm", "table", "figure", "section", "appendix", "clause", "chapter", "equation",
    "listing", "theorem",
)  # fmt: skip
"""What has a number in documents: with one behind it, a question wants exactly that."""
HEADED = ("section", "appendix", "clause", "chapter")
"""Those of them whose number is in a heading: "5.2 Sizes" is Section 5.2."""
FORMULAS = ("equation",)
"""Those of them whose number is in brackets at the end of a line."""
JOINS = ("and", "or", "to", "through")
"""What may be between two numbers: "Tables 3 and 4"."""
ARTICLES = ("a", "an", "the")
CONNECTIVES = ("and", "in", "of", "for", "on", "with")
"""Words that end a term."""
SECTIONS = ("abstract", "introduction", "purpose", "scope", "summary")
"""Words in the headings of sections that say what a document is about."""
GLOSSARIES = (
    "glossary", "terms", "acronyms", "definition*", "abbreviations", "notation", "symbols",
)  # fmt: skip
"""Words in the headings of sections that define terms line by line."""
DEFINES = (
    "is a", "is an", "is the", "is that", "are a", "are the", "means", "refers to", "denotes",
    "stands for",
)  # fmt: skip
"""What follows a term that is being defined."""
INTRODUCES = ("called", "termed", "known as", "referred to as")
"""What precedes a term that is being introduced."""


@cache
def phrases(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern that finds any of `words` as whole words, in any case.

    >>> bool(phrases(("differ*",)).search("What differs?"))
    True
    """
    return re.compile(rf"\b(?:{spelled(words)})(?!\w)", re.IGNORECASE)


def spelled(words: tuple[str, ...]) -> str:
    """Return `words` as alternatives of a pattern, the longest first."""
    return "|".join(_spelled(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def _spelled(word: str) -> str:
    parts = re.escape(word.removesuffix("*")).replace("\\ ", "\\s+")
    return parts + ("\\w*" if word.endswith("*") else "")
