"""How well a sentence of an answer is carried by words of a chunk."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from research_agent.core.claim_checks.proper_names import strange_names
from research_agent.core.claim_checks.synonyms import groups_of
from research_agent.core.reference_marks import without_reference_marks
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
SHORT = "^"
"""What a word of a table's head begins with that may be an abbreviation."""
LEAST_SHORT = 3
"""Letters of an abbreviation."""
_DIGITS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)-[a-z]+", re.IGNORECASE)
"""A number joined to its unit: 384-bit, 22-byte."""
_AROUND_YEAR = re.compile(r"(?:mid|early|late|pre|post)-(\d{4})", re.IGNORECASE)
_DECIMAL = re.compile(r"(\d+)\.0+|(\d+\.\d*[1-9])0+")
_EMPTY = frozenset(
    ["namely", "whichever", "whatever", "whereas", "thereby", "thus", "hence", "therefore",
     "moreover", "furthermore", "besides", "likewise", "respectively", "regardless", "namely",
     "also", "instead", "additionally", "overall", "accordingly", "consequently", "nevertheless",
     "nonetheless", "meanwhile", "otherwise", "according", "regarding", "concerning", "together",
     "among", "within", "without", "upon", "via", "per", "onto", "toward", "towards", "across",
     "along", "amongst", "may", "might", "should", "can", "could", "would", "one", "ones",
     "another", "whether", "since", "although", "though", "because", "unless", "rather",
     "exactly", "simply", "actually", "yang", "dan", "di", "ke", "dari", "untuk", "dengan",
     "pada", "adalah", "ialah", "itu", "ini", "tersebut", "juga", "oleh", "dalam", "akan",
     "telah", "sudah", "atau", "serta", "bagi"]
)  # fmt: skip
"""Words that join or announce what a sentence says: a quote need not hold them."""
_EMPTY_CHARS = frozenset(
    "\u7684\u4e86\u7740\u8fc7\u5417\u5462\u662f\u5728\u6709\u8fd9\u90a3\u5176\u4e4b"
    "\u4e8e\u4ee5\u4e3a\u548c\u4e0e\u53ca\u6216\u4e5f\u90fd\u5c31\u624d\u53c8\u6240"
    "\u4e2a\u4f4d\u79cd\u628a\u88ab\u7531\u5bf9\u4ece\u5230\u5411\u7ed9\u53ef\u80fd"
    "\u4f1a\u8981\u9700\u5c06\u5219\u5e76\u800c\u8be5\u6bcf"
)
"""The same of characters of a script without spaces."""
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


@lru_cache(maxsize=1024)
def claimed_words(sentence: str) -> frozenset[tuple[str, ...]]:
    """Return the words of a claim that its quote has to hold; without those that only join.

    >>> sorted(claimed_words("Thus ML-KEM may have 49,856 bytes."))
    [('49856',), ('byt',), ('ml-kem', 'ml', 'kem')]
    """
    words = (word for word in whole_words(undivided(sentence)) if _is_wanted(word[0]))
    return frozenset(tuple(stem(part) for part in word) for word in words)


def _is_wanted(word: str) -> bool:
    return word not in STOP_WORDS and word not in _EMPTY and not _EMPTY_CHARS.issuperset(word)


def undivided(text: str) -> str:
    """Return a text without commas between groups of digits.

    >>> undivided("49,856 bytes, 3 keys")
    '49856 bytes, 3 keys'
    """
    return _DIGITS.sub("", text)


def characters(words: Iterable[str]) -> frozenset[str]:
    """Return the characters of words in a script without spaces, each as a word.

    >>> sorted(characters(["key", "\u5bc6\u94a5"])) == ["\u5bc6", "\u94a5"]
    True
    """
    return frozenset(char for word in words if is_dense(word) for char in word)


def is_dense(word: str) -> bool:
    """Return whether a word is of a script without spaces between words.

    >>> is_dense("key"), is_dense("\u5bc6\u94a5")
    (False, True)
    """
    return "\u3041" <= word[:1] <= "\u9fff"


def held_share(wanted: frozenset[tuple[str, ...]], offered: frozenset[str]) -> float:
    """Return the share of `wanted` that is there, whole, in all its parts or as a synonym.

    >>> held_share(wanted_words("ML-KEM cures cancer."), content_words("KEM of type ML"))
    0.3333333333333333
    """
    if not wanted:
        return 0.0
    return sum(word[0] in offered or _is_held(word, offered) for word in wanted) / len(wanted)


@lru_cache(maxsize=16384)
def is_short(own: str, word: str) -> bool:
    """Return whether a word of a table's head abbreviates another word.

    >>> is_short("sig", "signature"), is_short("keygen", "generation"), is_short("key", "lock")
    (True, True, False)
    """
    if len(own) < LEAST_SHORT or len(word) < LEAST_SHORT:
        return False
    return word.startswith(own) or own.startswith(word) or own.endswith(word[:LEAST_SHORT])


def abbreviations(words: Iterable[str]) -> frozenset[str]:
    """Return what `held_share` has to find among offered words that may be abbreviations.

    >>> sorted(abbreviations(["sign"]))
    ['^', '^<sig', '^<sign', '^>ign', '^sign']
    """
    found = {SHORT}
    for word in words:
        if word.isalpha() and len(word) >= LEAST_SHORT:
            found |= {f"{SHORT}{word}", f"{SHORT}>{word[-LEAST_SHORT:]}"}
            found |= {f"{SHORT}<{word[:k]}" for k in range(LEAST_SHORT, len(word) + 1)}
    return frozenset(found)


def _is_abbreviated(word: str, offered: frozenset[str]) -> bool:
    """Return whether a word begins with an offered one, or one with it, or ends as it begins."""
    if SHORT not in offered or len(word) < LEAST_SHORT:
        return False
    ends = f"{SHORT}<{word}" in offered or f"{SHORT}>{word[:LEAST_SHORT]}" in offered
    return ends or any(f"{SHORT}{word[:k]}" in offered for k in range(LEAST_SHORT, len(word) + 1))


def _is_held(word: tuple[str, ...], offered: frozenset[str]) -> bool:
    whole, *parts = word
    if parts and offered.issuperset(parts):
        return True
    if is_dense(whole):
        return all(char in _EMPTY_CHARS or char in offered for char in whole)
    if _is_abbreviated(whole, offered):
        return True
    groups = groups_of(whole)
    return bool(groups) and not offered.isdisjoint(groups)


@lru_cache(maxsize=256)
def numbers(text: str) -> frozenset[str]:
    """Return the numbers of `text` that stand alone, without commas between groups of digits.

    >>> sorted(numbers("ML-KEM-768 has 1,184 bytes in FIPS 203 [4], and 0.5"))
    ['0.5', '1184', '203']
    """
    alone = NUMBER.findall(COMPOUND.sub(" ", without_reference_marks(text)))
    return frozenset(number.replace(",", "") for number in alone)


@lru_cache(maxsize=256)
def names(text: str) -> frozenset[str]:
    """Return the names in `text`: words with digits, or with capitals beyond the first letter.

    >>> sorted(names("In FIPS 203 X-Wing and hqc-128 use a KEM."))
    ['FIPS', 'KEM', 'X-Wing', 'hqc-128']
    """
    found = {*COMPOUND.findall(text), *NAME.findall(text)}
    return frozenset(name for name in found if len(name) > 1)


def unproven(sentence: str, source: str, asked: str = "") -> tuple[frozenset[str], frozenset[str]]:
    """Return the numbers that a quote has to hold, and the names that its source does not have.

    A sentence may not name what its source does not name: the value of one thing would be given
    to another. A proper name may stand in the question that was `asked` instead. A number that
    follows the same word in the source, as in "FIPS 203", is part of a name; any other has to
    stand in the quote.

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
    known = names(sentence)
    strangers = {name for name in known if not _is_in(name, said)}
    proper = strange_names(sentence, source, asked=asked)
    strangers |= {name for name in proper if not any(name in other for other in known)}
    return numbers(sentence) - named, frozenset(strangers)


def _is_in(name: str, said: str) -> bool:
    """Return whether plain words hold a name, or the singular of which it is the plural."""
    plain = _plain(name).rstrip()
    return plain in said or (name[-1] == "s" and name[-2].isupper() and plain[:-1] in said)


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
    >>> sorted(held_figures("a 384-bit key of mid-2022 has 22.40 m"))
    ['2022', '22.4', '22.40', '384']
    """
    joined = {re.sub(r"\D", "", number) for number in SPACED.findall(text)}
    compounds = COMPOUND.findall(text)
    joined |= {match[1] for word in compounds if (match := _WITH_UNIT.fullmatch(word))}
    joined |= {match[1] for word in compounds if (match := _AROUND_YEAR.fullmatch(word))}
    found = numbers(text) | joined
    decimals = (match for word in found if (match := _DECIMAL.fullmatch(word)))
    return found.union(match[1] or match[2] for match in decimals)


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
