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
    missing_numbers: tuple[str, ...] = ()
    """Numbers of the sentence that the quote does not hold."""


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


def unproven(sentence: str, known: str) -> frozenset[str]:
    """Return what a quote has to hold to the letter: numbers, and names with digits in them.

    What `known` says in the same way needs no proof: a name that it has, or a number after the
    same word, as in "FIPS 203".

    >>> sorted(unproven("In FIPS 203 ML-KEM-768 has 768 bytes.", "ML-KEM-768 in NIST.FIPS.203"))
    ['768']
    """
    said = " ".join(re.split(r"[\W_]+", fold(known)))
    words = [word for word in re.split(r"[^\w.,-]+", fold(sentence)) if word]
    named = {
        number.replace(",", "")
        for before, word in pairwise(words)
        for number in NUMBER.findall(word)
        if f" {before.strip('.,-')} {number} " in f" {said} "
    }
    names = {name.group() for name in COMPOUND.finditer(fold(sentence))}
    new = {name for name in names if " ".join(re.split(r"[\W_]+", name)) not in said}
    return (numbers(sentence) - named) | new


def held_figures(text: str) -> frozenset[str]:
    """Return the numbers and names that a quote may be said to hold: "7 856" is read both ways.

    >>> sorted(held_figures("7 856 bytes"))
    ['7', '7856', '856']
    """
    joined = {re.sub(r"\D", "", number) for number in SPACED.findall(text)}
    names = {name.group() for name in COMPOUND.finditer(fold(text))}
    return numbers(text) | joined | names


def spans(chunk: Chunk) -> tuple[tuple[int, int], ...]:
    """Return the spans that may be quoted: sentences, or lines where a chunk consists of lines."""
    if chunk.kind == "text":
        return sentence_spans(chunk.text)
    return tuple(match.span() for match in re.finditer(r"[^\s][^\n]*", chunk.text))


def best_support(sentence: str, chunk: Chunk, *, known: str = "") -> Support:
    """Return the quote of `chunk` that carries `sentence` best.

    A quote with every number is better than one without, then more words are, and a further
    sentence has to bring a tenth of the words or more. `known` is text that a sentence may repeat
    without proof (`unproven`): the question and the document's name. The words of a table's
    caption and head belong to each of its rows.
    """
    wanted, figures = wanted_words(sentence), unproven(sentence, known)
    best, best_rank = Support(missing_numbers=tuple(sorted(figures))), (-len(figures), 0.0)
    units = spans(chunk)
    context = content_words(head_of(chunk.text)) if chunk.kind == "table" else frozenset()
    for size in (*range(1, MAX_SENTENCES + 1), *_whole(chunk, len(units))):
        for first in range(len(units) - size + 1):
            start, end = units[first][0], units[first + size - 1][1]
            quote = chunk.text[start:end]
            share = held_share(wanted, content_words(quote) | context)
            missing = figures - held_figures(quote)
            rank = (-len(missing), share - LENGTH_COST * (min(size, MAX_SENTENCES + 1) - 1))
            if share and rank > best_rank:
                best = Support(share, quote, start, end, tuple(sorted(missing)))
                best_rank = rank
    return best


def _whole(chunk: Chunk, units: int) -> tuple[int, ...]:
    """Return the number of lines of a whole table or list: a sentence may list all its rows."""
    return (units,) if chunk.kind in {"table", "list"} and units > MAX_SENTENCES else ()


def supports(found: Support, *, min_support: float) -> bool:
    """Return whether the quote carries its sentence: enough words, and every number."""
    return found.score >= min_support and not found.missing_numbers


def best_of(candidates: Sequence[tuple[str, Support]]) -> tuple[str, Support]:
    """Return the key and quote with all numbers and the most words; the first among equals."""
    return max(
        candidates,
        key=lambda item: (-len(item[1].missing_numbers), item[1].score),
        default=("", Support()),
    )
