"""How well a sentence of an answer is carried by words of a chunk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from research_agent.core.claim_checks.reading import groups_of
from research_agent.core.stems import stem
from research_agent.core.words import STOP_WORDS, fold, index_words, whole_words

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)*")
_DENSE = "\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
_CHAR = rf"(?:(?![{_DENSE}])\w)"
COMPOUND = re.compile(
    rf"(?<![A-Za-z\d_.,-])(?=[\w./-]*[^\W\d_{_DENSE}])(?={_CHAR}*(?:[-./]{_CHAR}+)*?\d)"
    rf"(?={_CHAR}*(?:[-./]{_CHAR}+)*?[^\W\d_{_DENSE}]){_CHAR}+(?:[-./]{_CHAR}+)*"
)
"""A name with letters and digits: ml-kem-768, sha3, 800-56c."""
NAME = re.compile(
    rf"(?<!{_CHAR})(?={_CHAR}*[A-Z])(?![A-Z][a-z]+\b(?!-[A-Z])){_CHAR}(?:{_CHAR}|-)*(?<!-)"
)
SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)")


@dataclass(frozen=True, slots=True)
class Support:
    """The words of one chunk that carry a sentence best; they stand verbatim in it."""

    score: float = 0.0
    """Share of the sentence's content words that the quote holds, 0 to 1."""
    quote: str = ""
    start: int = 0
    """Where the quote begins in the chunk's text, in characters."""
    end: int = 0
    missing: tuple[str, ...] = ()
    """Numbers of the sentence that the quote, and names that its source, does not hold."""
    problem: str = ""
    """What the quote says otherwise, in words; empty where no check found anything."""


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that a quote offers; compounds also in their parts.

    >>> sorted(content_words("The keys of ML-KEM are used."))
    ['kem', 'key', 'ml', 'ml-kem', 'used']
    """
    return frozenset(stem(word) for word in index_words(text) if word not in STOP_WORDS)


def wanted_words(sentence: str) -> frozenset[tuple[str, ...]]:
    """Return the words that a quote has to hold, each as its stem and those of its parts.

    A compound is one word, however many parts it has: a name must not outweigh what is said of it.

    >>> sorted(wanted_words("ML-KEM cures cancer."))
    [('cancer',), ('cur',), ('ml-kem', 'ml', 'kem')]
    """
    words = (word for word in whole_words(sentence) if word[0] not in STOP_WORDS)
    return frozenset(tuple(stem(part) for part in word) for word in words)


def held_share(wanted: frozenset[tuple[str, ...]], offered: frozenset[str]) -> float:
    """Return the share of `wanted` that is there, whole, in all its parts or as a synonym.

    >>> held_share(wanted_words("ML-KEM cures cancer."), content_words("KEM of type ML"))
    0.3333333333333333
    """
    if not wanted:
        return 0.0
    return sum(word[0] in offered or _is_held(word, offered) for word in wanted) / len(wanted)


def _is_held(word: tuple[str, ...], offered: frozenset[str]) -> bool:
    whole, *parts = word
    if parts and offered.issuperset(parts):
        return True
    groups = groups_of(whole)
    return bool(groups) and not offered.isdisjoint(groups)


@lru_cache(maxsize=256)
def numbers(text: str) -> frozenset[str]:
    """Return the numbers of `text` that stand alone, without commas between groups of digits.

    >>> sorted(numbers("ML-KEM-768 has 1,184 bytes in FIPS 203, and 0.5"))
    ['0.5', '1184', '203']
    """
    alone = NUMBER.findall(COMPOUND.sub(" ", text))
    return frozenset(number.replace(",", "") for number in alone)


@lru_cache(maxsize=256)
def names(text: str) -> frozenset[str]:
    """Return the names in `text`: words with digits, or with capitals beyond the first letter.

    >>> sorted(names("In FIPS 203 X-Wing and hqc-128 use a KEM."))
    ['FIPS', 'KEM', 'X-Wing', 'hqc-128']
    """
    found = {*COMPOUND.findall(text), *NAME.findall(text)}
    return frozenset(name for name in found if len(name) > 1)


def unproven(sentence: str, source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers that a quote has to hold, and the names that its source does not have.

    A sentence may not name what its source does not name: the value of one thing would be given
    to another. A number that follows the same word in the source, as in "FIPS 203", is part of a
    name; any other has to stand in the quote.

    >>> claim, source = "In FIPS 203 X-Wing has 768 bytes.", "ML-KEM in NIST.FIPS.203"
    >>> [sorted(found) for found in unproven(claim, source)]
    [['768'], ['X-Wing']]
    """
    said = _plain(source)
    words = [word for word in re.split(r"[^\w.,-]+", sentence) if word]
    named = {
        number.replace(",", "")
        for before, word in pairwise(words)
        for number in NUMBER.findall(word)
        if before[0].isupper()
        and before.lower() not in STOP_WORDS
        and f" {fold(before).strip('.,-')} {number} " in said
    }
    strangers = {name for name in names(sentence) if _plain(name).rstrip() not in said}
    return numbers(sentence) - named, frozenset(strangers)


def is_named(name: str, source: str) -> bool:
    """Return whether a text holds a name, or a longer one that begins with it.

    >>> is_named("ML-KEM", "the ML-KEM-768 key")
    True
    """
    return _plain(name).rstrip() in _plain(source)


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    """Return words alone, so that "ML-KEM.KeyGen" and "ML-KEM KeyGen" are the same."""
    words = " ".join(re.split(r"[\W_]+", fold(text))).strip()
    return f" {words} "


def held_figures(text: str) -> frozenset[str]:
    """Return the numbers that a quote may be said to hold: "7 856" is read both ways.

    >>> sorted(held_figures("7 856 bytes"))
    ['7', '7856', '856']
    """
    joined = {re.sub(r"\D", "", number) for number in SPACED.findall(text)}
    return numbers(text) | joined


def supports(found: Support, *, min_support: float) -> bool:
    """Return whether the quote carries its sentence: enough words, every number, no problem."""
    return found.score >= min_support and not found.missing and not found.problem


def best_of(candidates: Sequence[tuple[str, Support]]) -> tuple[str, Support]:
    """Return the key and quote with all numbers and the most words; the first among equals."""
    return max(
        candidates,
        key=lambda item: (-len(item[1].missing), item[1].score),
        default=("", Support()),
    )
