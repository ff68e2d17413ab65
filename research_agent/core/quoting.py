"""Which words of a chunk carry a sentence best."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_agent.core.claim_checks.reading import read
from research_agent.core.claim_checks.rows import parts
from research_agent.core.claim_checks.synonyms import groups_of
from research_agent.core.claim_checks.values import BITS, converted
from research_agent.core.claim_checks.words import NUMBER_WORDS
from research_agent.core.reference_marks import without_reference_marks
from research_agent.core.sentences import sentence_spans
from research_agent.core.stems import stem
from research_agent.core.support import (
    Support,
    abbreviations,
    characters,
    claimed_words,
    content_words,
    held_figures,
    held_share,
    undivided,
    unproven,
)
from research_agent.core.tables import cells, head_of
from research_agent.core.types import Chunk
from research_agent.core.words import STOP_WORDS, index_words

MAX_SENTENCES = 3
"""A quote is a span of one to this many sentences or rows; a table or list may be quoted whole."""
LEAST_ASKED = 3
"""Words that do not stand above a chunk, from which on the others need not be held."""
_POWER = re.compile(r"(\d+)\^[{(]?-?(\d+(?:\.\d+)?)")
LENGTH_COST = 0.1
"""What a further sentence takes off a quote's rank, as a share of the words."""


def spans(chunk: Chunk) -> tuple[tuple[int, int], ...]:
    """Return the spans that may be quoted: sentences, or lines where a chunk consists of lines."""
    if chunk.kind == "text":
        return sentence_spans(chunk.text)
    return tuple(match.span() for match in re.finditer(r"[^\s][^\n]*", chunk.text))


@dataclass(frozen=True, slots=True)
class _Span:
    """Sentences or rows of a chunk that may be a quote, and what they offer."""

    start: int
    end: int
    words: frozenset[str]
    """Stems and names of groups of synonyms; in a table also those of its head."""
    figures: frozenset[str]
    cost: float
    """What is taken off its rank."""


@lru_cache(maxsize=256)
def _quotable(chunk: Chunk) -> tuple[_Span, ...]:
    """Return all spans of a chunk that may be a quote, the shortest first."""
    head = _head_words(chunk)
    units = [_unit(chunk.text, start, end, head) for start, end in spans(chunk)]
    found = list(units)
    for size in (*range(2, MAX_SENTENCES + 1), *_whole(chunk, len(units))):
        cost = LENGTH_COST * (min(size, MAX_SENTENCES + 1) - 1)
        for first in range(len(units) - size + 1):
            group = units[first : first + size]
            words = frozenset().union(*(unit.words for unit in group))
            figures = frozenset().union(*(unit.figures for unit in group))
            found.append(_Span(group[0].start, group[-1].end, words, figures, cost))
    return tuple(found)


@lru_cache(maxsize=256)
def above(chunk: Chunk) -> frozenset[str]:
    """Return the words of a chunk's title and headings: what it is about.

    >>> sorted(above(Chunk("x", "guide", "", title="Bread", section=("Baking",))))
    ['baking', 'bread']
    """
    return content_words(" ".join((chunk.title, *chunk.section)))


@lru_cache(maxsize=256)
def _head_words(chunk: Chunk) -> frozenset[str]:
    """Return the words of a table's captions and head, also as abbreviations: "^sig"."""
    if chunk.kind != "table":
        return frozenset()
    head = [" ".join(row) for row in parts(chunk.text)[0]]
    captions = [line for line in chunk.text.split("\n") if not cells(line)]
    words = content_words(" ".join((head_of(chunk.text), *head, *captions)))
    synonyms = frozenset(group for word in words for group in groups_of(word))
    return words | synonyms | abbreviations(words)


def _unit(text: str, start: int, end: int, head: frozenset[str]) -> _Span:
    said = without_reference_marks(text[start:end])
    own = index_words(undivided(said))
    words = frozenset(stem(word) for word in own if word not in STOP_WORDS) | characters(own)
    synonyms = (group for word in words for group in groups_of(word))
    spelled = (NUMBER_WORDS[word] for word in own if word in NUMBER_WORDS)
    figures = held_figures(said).union(spelled)
    return _Span(start, end, words.union(synonyms, head, figures), figures, 0.0)


def offered_words(quote: str, chunk: Chunk) -> frozenset[str]:
    """Return the words of a quote, of its table's head, and the groups of their synonyms.

    >>> sorted(offered_words("Kilns", Chunk("x", "guide", "Kilns are hot.")))
    ['kiln']
    """
    head = _head_words(chunk)
    return _unit(quote, 0, len(quote), head).words


@lru_cache(maxsize=256)
def source_of(chunk: Chunk) -> str:
    """Return a chunk's text with all that stands above it: its document's name and headings."""
    return " ".join((chunk.doc_id, chunk.title, *chunk.section, chunk.text))


def quotes_of(
    sentence: str, chunk: Chunk, *, most: int, min_support: float = 0.0, asked: str = ""
) -> tuple[Support, ...]:
    """Return the best quotes, at most so many and at least one; they do not overlap.

    A quote with every number is better than one without, then more words are, and a further
    sentence has to bring a tenth of the words or more. The words of a table's caption and head
    belong to each of its rows. Names have to stand somewhere in the chunk or above it; proper
    names may also stand in the question that was `asked`.

    Where the chunk as a whole holds less than `min_support` of the words, only single sentences
    are looked at.

    >>> from research_agent.core.types import Chunk
    >>> chunk = Chunk("x", "guide", "Bread is baked. Bread is sold. It rains.")
    >>> [found.quote for found in quotes_of("Bread is baked", chunk, most=2)]
    ['Bread is baked.', 'Bread is sold.']
    """
    figures, strangers = _unproven(sentence, chunk, asked)
    wanted = claimed_words(sentence)
    ranked: list[_Ranked] = []
    named = above(chunk)
    given = frozenset(word for word in wanted if word[0] in named)
    whole = held_share(wanted, _all_words(chunk) | named) >= min_support
    for place, span in enumerate(_quotable(chunk)):
        if not whole and span.cost:
            break
        share = _share(wanted, given, span.words)
        if share:
            missing = figures - span.figures
            gone = _gone(sentence, chunk.text[span.start : span.end], missing, span.figures)
            ranked.append((len(gone), span.cost - share, place, span, share, gone))
    ranked.sort(key=lambda item: item[:3])
    if not ranked or (ranked[0][0] == len(figures) and ranked[0][1] >= 0):
        return (Support(missing=tuple(sorted(figures | strangers))),)
    found: list[Support] = []
    for _, _, _, span, share, gone in _apart(ranked, most):
        quote = chunk.text[span.start : span.end]
        found.append(Support(share, quote, span.start, span.end, tuple(sorted(gone | strangers))))
    return tuple(found)


def _share(
    wanted: frozenset[tuple[str, ...]], given: frozenset[tuple[str, ...]], offered: frozenset[str]
) -> float:
    """Return the share of the words that are held; of what stands above the chunk none has to."""
    if not given:
        return held_share(wanted, offered)
    asked = frozenset(word for word in wanted if word not in given or word[0] in offered)
    return held_share(asked if len(asked) >= LEAST_ASKED else wanted, offered)


@lru_cache(maxsize=256)
def _all_words(chunk: Chunk) -> frozenset[str]:
    return frozenset().union(*(span.words for span in _quotable(chunk)))


@lru_cache(maxsize=512)
def _unproven(sentence: str, chunk: Chunk, asked: str) -> tuple[frozenset[str], frozenset[str]]:
    return unproven(sentence, source_of(chunk), asked)


_Ranked = tuple[int, float, int, _Span, float, frozenset[str]]


def _apart(ranked: Sequence[_Ranked], most: int) -> list[_Ranked]:
    """Return the first spans of which none overlaps a better one."""
    chosen: list[_Ranked] = []
    for item in ranked:
        if len(chosen) == most:
            break
        if all(item[3].end <= other[3].start or other[3].end <= item[3].start for other in chosen):
            chosen.append(item)
    return chosen


def _gone(
    sentence: str, quote: str, missing: frozenset[str], held: frozenset[str]
) -> frozenset[str]:
    """Return the missing numbers that are not held in another unit: 32 bytes are 256 bits."""
    if not missing:
        return missing
    missing -= {part for base, by in powers(sentence) if base + by in held for part in (base, by)}
    if not missing:
        return missing
    possible = {
        number
        for number in missing
        if number.isdigit()
        and not held.isdisjoint({str(int(number) * BITS), str(int(number) // BITS)})
    }
    if not possible:
        return missing
    said, quoted = read(sentence), read(quote)
    exchanged = {
        word.value
        for place, word in enumerate(said.words)
        if word.value in possible and converted(said, quoted, place)
    }
    return missing - exchanged


def _whole(chunk: Chunk, units: int) -> tuple[int, ...]:
    """Return the number of lines of a whole table or list: a sentence may list all its rows."""
    return (units,) if chunk.kind in {"table", "list"} and units > MAX_SENTENCES else ()


def powers(text: str) -> tuple[tuple[str, str], ...]:
    """Return base and exponent of the powers in a text, without signs.

    >>> powers("2^64 and 2^-164.8")
    (('2', '64'), ('2', '164.8'))
    """
    return tuple((match[1], match[2]) for match in _POWER.finditer(text))
