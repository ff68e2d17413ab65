"""How well a sentence of an answer is carried by words of a chunk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from research_agent.core.sentences import sentence_spans
from research_agent.core.tables import head_of
from research_agent.core.types import Chunk
from research_agent.core.words import STOP_WORDS, fold, index_words, whole_words

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)*")
COMPOUND = re.compile(r"(?<![\w.,-])(?=[\w./-]*[^\W\d_])(?=[\w./-]*\d)\w+(?:[-./]\w+)*")
"""A name with letters and digits: ml-kem-768, sha3, 800-56c."""
NAME = re.compile(r"\b(?=\w*[A-Z])(?![A-Z][a-z]+\b(?!-[A-Z]))[\w-]+\b")
SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)")
MAX_SENTENCES = 3
"""A quote is a span of one to this many sentences or rows; a table or list may be quoted whole."""
LENGTH_COST = 0.1
"""What a further sentence takes off a quote's rank, as a share of the words."""


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


def stem(word: str) -> str:
    """Return a crude stem, so that inflected forms meet.

    >>> stem("decapsulation") == stem("decapsulated"), stem("keys"), stem("ml-kem-768")
    (True, 'key', 'ml-kem-768')
    """
    if any(c.isdigit() for c in word):
        return word
    for ending in ("ations", "ation", "ating", "ated", "ates", "ings", "ing", "ions", "ion"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:  # noqa: PLR2004 (letters left)
            return word[: -len(ending)]
    for ending in ("ed", "es", "s", "e", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004 (letters left)
            return word[: -len(ending)]
    return word


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
    """Return the share of `wanted` that is there, whole or in all its parts.

    >>> held_share(wanted_words("ML-KEM cures cancer."), content_words("KEM of type ML"))
    0.3333333333333333
    """
    if not wanted:
        return 0.0
    held = sum(
        word[0] in offered or (len(word) > 1 and offered.issuperset(word[1:])) for word in wanted
    )
    return held / len(wanted)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of `text` that stand alone, without commas between groups of digits.

    >>> sorted(numbers("ML-KEM-768 has 1,184 bytes in FIPS 203, and 0.5"))
    ['0.5', '1184', '203']
    """
    alone = NUMBER.findall(COMPOUND.sub(" ", text))
    return frozenset(number.replace(",", "") for number in alone)


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
    said = f" {_plain(source)} "
    words = [word for word in re.split(r"[^\w.,-]+", fold(sentence)) if word]
    named = {
        number.replace(",", "")
        for before, word in pairwise(words)
        for number in NUMBER.findall(word)
        if f" {before.strip('.,-')} {number} " in said
    }
    strangers = {name for name in names(sentence) if f" {_plain(name)}" not in said}
    return numbers(sentence) - named, frozenset(strangers)


def _plain(text: str) -> str:
    """Return words alone, so that "ML-KEM.KeyGen" and "ML-KEM KeyGen" are the same."""
    return " ".join(re.split(r"[\W_]+", fold(text))).strip()


def held_figures(text: str) -> frozenset[str]:
    """Return the numbers that a quote may be said to hold: "7 856" is read both ways.

    >>> sorted(held_figures("7 856 bytes"))
    ['7', '7856', '856']
    """
    joined = {re.sub(r"\D", "", number) for number in SPACED.findall(text)}
    return numbers(text) | joined


def spans(chunk: Chunk) -> tuple[tuple[int, int], ...]:
    """Return the spans that may be quoted: sentences, or lines where a chunk consists of lines."""
    if chunk.kind == "text":
        return sentence_spans(chunk.text)
    return tuple(match.span() for match in re.finditer(r"[^\s][^\n]*", chunk.text))


def best_support(sentence: str, chunk: Chunk) -> Support:
    """Return the quote of `chunk` that carries `sentence` best.

    A quote with every number is better than one without, then more words are, and a further
    sentence has to bring a tenth of the words or more. The words of a table's caption and head
    belong to each of its rows. Names have to stand somewhere in the chunk or above it.
    """
    source = " ".join((chunk.doc_id, chunk.title, *chunk.section, chunk.text))
    figures, strangers = unproven(sentence, source)
    wanted = wanted_words(sentence)
    best, best_rank = Support(missing=tuple(sorted(figures | strangers))), (-len(figures), 0.0)
    units = spans(chunk)
    context = content_words(head_of(chunk.text)) if chunk.kind == "table" else frozenset()
    for size in (*range(1, MAX_SENTENCES + 1), *_whole(chunk, len(units))):
        for first in range(len(units) - size + 1):
            start, end = units[first][0], units[first + size - 1][1]
            quote = chunk.text[start:end]
            share = held_share(wanted, content_words(quote) | context)
            gone = figures - held_figures(quote)
            rank = (-len(gone), share - LENGTH_COST * (min(size, MAX_SENTENCES + 1) - 1))
            if share and rank > best_rank:
                best = Support(share, quote, start, end, tuple(sorted(gone | strangers)))
                best_rank = rank
    return best


def _whole(chunk: Chunk, units: int) -> tuple[int, ...]:
    """Return the number of lines of a whole table or list: a sentence may list all its rows."""
    return (units,) if chunk.kind in {"table", "list"} and units > MAX_SENTENCES else ()


def supports(found: Support, *, min_support: float) -> bool:
    """Return whether the quote carries its sentence: enough words, and every number."""
    return found.score >= min_support and not found.missing


def best_of(candidates: Sequence[tuple[str, Support]]) -> tuple[str, Support]:
    """Return the key and quote with all numbers and the most words; the first among equals."""
    return max(
        candidates,
        key=lambda item: (-len(item[1].missing), item[1].score),
        default=("", Support()),
    )
