"""How well a sentence of an answer is carried by words of a chunk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.core.sentences import sentence_spans
from research_agent.core.tables import head_of
from research_agent.core.types import Chunk
from research_agent.core.words import STOP_WORDS, index_words

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)*")
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
    """Return the stems of the words that carry meaning; compounds also in their parts.

    >>> sorted(content_words("The keys of ML-KEM are used."))
    ['kem', 'key', 'ml', 'ml-kem', 'used']
    """
    return frozenset(stem(word) for word in index_words(text) if word not in STOP_WORDS)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of `text`, without the commas between groups of digits.

    >>> sorted(numbers("1,184 bytes in FIPS 203, and 0.5"))
    ['0.5', '1184', '203']
    """
    return frozenset(number.replace(",", "") for number in NUMBER.findall(text))


def held_numbers(text: str) -> frozenset[str]:
    """Return the numbers that a quote may be said to hold: "7 856" is read both ways.

    >>> sorted(held_numbers("7 856 bytes"))
    ['7', '7856', '856']
    """
    joined = {re.sub(r"\D", "", number) for number in SPACED.findall(text)}
    return numbers(text) | joined


def spans(chunk: Chunk) -> tuple[tuple[int, int], ...]:
    """Return the spans that may be quoted: sentences, or lines where a chunk consists of lines."""
    if chunk.kind == "text":
        return sentence_spans(chunk.text)
    return tuple(match.span() for match in re.finditer(r"[^\s][^\n]*", chunk.text))


def best_support(sentence: str, chunk: Chunk, *, known: str = "") -> Support:
    """Return the quote of `chunk` that carries `sentence` best.

    A quote with every number is better than one without, then more words are, and a further
    sentence has to bring a tenth of the words or more. `known` is text whose numbers need no
    proof, such as the question's and the document's name: a sentence may repeat them. The words
    of a table's caption and head belong to each of its rows.
    """
    wanted, figures = content_words(sentence), numbers(sentence) - numbers(known)
    best, best_rank = Support(missing_numbers=tuple(sorted(figures))), (-len(figures), 0.0)
    units = spans(chunk)
    context = content_words(head_of(chunk.text)) if chunk.kind == "table" else frozenset()
    for size in (*range(1, MAX_SENTENCES + 1), *_whole(chunk, len(units))):
        for first in range(len(units) - size + 1):
            start, end = units[first][0], units[first + size - 1][1]
            quote = chunk.text[start:end]
            share = len(wanted & (content_words(quote) | context)) / len(wanted) if wanted else 0.0
            missing = figures - held_numbers(quote)
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
