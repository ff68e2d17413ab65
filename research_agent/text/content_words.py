"""The words of a text by which sentences and passages are compared, in any language.

Words are cut to their first letters, so that most inflected forms meet without a table of any
language (a truncation stemmer; McNamee and Mayfield, Information Retrieval 7, 2004). Scripts
written without spaces give overlapping pairs of characters.
"""

import re
from functools import lru_cache

from research_agent.text.figures import plain_digits
from research_agent.text.words import STOP_WORDS, fold, whole_words

STEM = 5
_THOUSANDS = re.compile(r"(?<=\d)[,'](?=\d{3}(?!\d))")
_ALNUM = re.compile(r"[^\W_]+")
_JOINED = re.compile(r"[\d._/+#-]")

Word = tuple[str, ...]
"""A word as it is compared, followed by its parts where it is a compound."""


@lru_cache(maxsize=4096)
def wanted_words(sentence: str) -> frozenset[Word]:
    """Return the distinct words of a sentence without English stop words.

    A compound is one word however many parts it has, and a number is one without its thousands
    marks.

    >>> sorted(wanted_words("The ML-KEM-768 ciphertexts have 1,088 bytes."))
    [('1088',), ('bytes',), ('ciphe',), ('ml-kem-768', 'ml', 'kem', '768')]
    """
    readable = _THOUSANDS.sub("", plain_digits(fold(sentence)))
    return frozenset(
        (_stem(word[0]), *(_stem(part) for part in word[1:]))
        for word in whole_words(readable)
        if word[0] not in STOP_WORDS
    )


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Return the words that a text offers, compounds whole and in their parts.

    >>> sorted(content_words("The keys of ML-KEM"))
    ['kem', 'keys', 'ml', 'ml-kem']
    """
    return frozenset(form for word in wanted_words(text) for form in word)


def is_held(word: Word, words: frozenset[str]) -> bool:
    """Return whether a wanted word is among `words`: whole, or in all its parts."""
    return word[0] in words or (len(word) > 1 and words.issuperset(word[1:]))


def share_held(sentence: str, words: frozenset[str]) -> float:
    """Return the share of a sentence's words that are among `words`, 0 to 1; 0 without words."""
    wanted = wanted_words(sentence)
    return sum(is_held(word, words) for word in wanted) / len(wanted) if wanted else 0.0


def is_made_up(word: str, known: frozenset[str]) -> bool:
    """Return whether a word is a number, identifier or name by its form, and not `known`.

    >>> [is_made_up(word, frozenset({"1088"})) for word in ("Bell", "1,088", "1184", "bell")]
    [True, False, True, False]
    """
    by_form = any(char.isdigit() or char.isupper() for char in word)
    return by_form and not all(is_held(one, known) for one in wanted_words(word))


def is_named(name: str, text: str) -> bool:
    """Return whether a text holds a name, or a longer one that begins with it.

    Only letters and digits are compared, without their case.
    """
    return _plain(name).rstrip() in _plain(text)


def _stem(word: str) -> str:
    return word if _JOINED.search(word) else word[:STEM]


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    return f" {' '.join(_ALNUM.findall(fold(text)))} "
