"""The verbatim words of a chunk that are nearest to a sentence."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_agent.text.content_words import Word, content_words, is_held, wanted_words
from research_agent.text.sentences import sentence_spans
from research_agent.text.tables import cells, head_of
from research_agent.types import Chunk

MAX_UNITS = 3
"""A quote has one to this many sentences, rows or lines; a table or list may be quoted whole."""
LENGTH_COST = 0.1
"""What each further sentence takes off a quote's rank, as a share of the words."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of one chunk; they are `chunk.text[start:end]`."""

    score: float = 0.0
    """Share of the sentence's content words that the quote and its headings hold, 0 to 1."""
    quote: str = ""
    start: int = 0
    """First character in the chunk's text."""
    end: int = 0


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences or rows of a chunk, and which of a sentence's words they hold."""

    start: int
    end: int
    held: int
    """One bit for each wanted word in the window or in the chunk's headings."""
    own: int
    """One bit for each wanted word in the window itself."""
    units: int

    def rank(self, wanted: int) -> float:
        """Return the share of the words it holds less the cost of its length."""
        return self.held.bit_count() / wanted - LENGTH_COST * (min(self.units, MAX_UNITS + 1) - 1)


def best_quotes(sentence: str, chunk: Chunk, *, most: int = 1) -> tuple[Quote, ...]:
    """Return at most `most` quotes that do not overlap, best first; none that shares no word.

    Words of the chunk's title, headings, and a table's caption and head count as held, but are
    not quoted.
    """
    wanted = tuple(wanted_words(sentence))
    return tuple(
        quote_of(window, chunk, wanted) for window in best_windows(wanted, chunk, most=most)
    )


def best_windows(wanted: Sequence[Word], chunk: Chunk, *, most: int) -> list[Window]:
    """Return at most `most` windows that do not overlap, best first; none without a word."""
    ranked = sorted(
        (window for window in windows(wanted, chunk) if window.own),
        key=lambda window: (-window.rank(len(wanted)), window.start),
    )
    chosen: list[Window] = []
    for window in ranked:
        if len(chosen) == most:
            break
        if all(window.end <= other.start or other.end <= window.start for other in chosen):
            chosen.append(window)
    return chosen


def quote_of(window: Window, chunk: Chunk, wanted: Sequence[Word]) -> Quote:
    """Return the words of a window, verbatim, with the share of `wanted` that it holds."""
    start, end = window.start, window.end
    return Quote(window.held.bit_count() / len(wanted), chunk.text[start:end], start, end)


def windows(wanted: Sequence[Word], chunk: Chunk) -> list[Window]:
    """Return every window of a chunk that may be quoted, and the words it holds."""
    units = _units(chunk)
    above = _bits(wanted, _above(chunk))
    own = [_bits(wanted, words) for _, _, words in units]
    sizes: Iterable[int] = range(1, MAX_UNITS + 1)
    if chunk.kind in {"table", "list"} and len(units) > MAX_UNITS:
        sizes = (*sizes, len(units))
    found = []
    for size in sizes:
        for first in range(len(units) - size + 1):
            held = 0
            for bits in own[first : first + size]:
                held |= bits
            last = units[first + size - 1]
            found.append(Window(units[first][0], last[1], held | above, held, size))
    return found


def unit_spans(chunk: Chunk) -> tuple[tuple[int, int], ...]:
    """Return start and end of each sentence, or of each line where a chunk consists of lines."""
    if chunk.kind == "text":
        return sentence_spans(chunk.text)
    return tuple(match.span() for match in re.finditer(r"[^\s][^\n]*", chunk.text))


@lru_cache(maxsize=256)
def _units(chunk: Chunk) -> tuple[tuple[int, int, frozenset[str]], ...]:
    return tuple(
        (start, end, content_words(chunk.text[start:end])) for start, end in unit_spans(chunk)
    )


def headings(chunk: Chunk) -> str:
    """Return what heads a chunk: its document's name, its headings, a table's caption and head."""
    heads = [chunk.doc_id, chunk.title, *chunk.section]
    if chunk.kind == "table":
        heads += [head_of(chunk.text), *(li for li in chunk.text.split("\n") if not cells(li))]
    return "\n".join(heads)


@lru_cache(maxsize=256)
def _above(chunk: Chunk) -> frozenset[str]:
    return content_words(headings(chunk))


def _bits(wanted: Sequence[Word], words: frozenset[str]) -> int:
    return sum(1 << place for place, word in enumerate(wanted) if is_held(word, words))
