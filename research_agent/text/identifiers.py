"""Numbers, identifiers and quotations of a text: what a rewrite may neither lose nor invent.

They are found by the form of their characters alone, so this holds in any language.
"""

import re
import unicodedata
from collections.abc import Iterator

from research_agent.text.words import fold, word_spans

_PART = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_QUOTED = re.compile(
    '"([^"]+)"|\u201c([^\u201d]+)\u201d|\u201e([^\u201c\u201d]+)[\u201c\u201d]'
    "|\u00ab([^\u00bb]+)\u00bb|\u300c([^\u300d]+)\u300d|\u300e([^\u300f]+)\u300f"
    r"|(?<!\w)'([^']+)'(?!\w)"
)


def identifiers(text: str) -> frozenset[str]:
    """Return the words of `text` with a digit, an underscore or a capital behind the first letter.

    Each is given as its parts in lower case with one space between them.
    """
    words = (word for word in _words(text) if "_" in word or is_value(word))
    return frozenset(filter(None, (" ".join(_PART.findall(fold(word))) for word in words)))


def parts(text: str) -> str:
    """Return all words of `text`, taken apart as those of `identifiers` are.

    A space is before and behind each, so that `" 5 " in parts(text)` looks for a whole part.
    """
    found = (part for word in _words(text) for part in _PART.findall(fold(word)))
    return f" {' '.join(found)} "


def quotations(text: str) -> tuple[str, ...]:
    """Return the quoted texts in `text`, without their quotation marks."""
    return tuple(next(filter(None, match.groups())) for match in _QUOTED.finditer(text))


def is_value(word: str) -> bool:
    """Return whether a word has a digit, or a capital behind its first letter."""
    return any(map(str.isdigit, word)) or any(map(str.isupper, word[1:]))


def _words(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFKC", text)
    return (plain[start:end] for start, end in word_spans(plain))
