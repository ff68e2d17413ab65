"""A quote of a chunk to the characters of the page that it was made from.

A chunk's text is a page's text made readable: lines joined, cut words whole, ligatures as letters,
running heads gone, tables row by row. So the quote is laid over the page in pieces, and white
space, hyphens, control characters, bars between cells and the marks of lists and indices do not
count.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import commonprefix

SEED = 8
"""This many characters in a row are a place on the page; shorter pieces have to be whole words."""
NEAR = 200
"""Characters between two pieces that follow one another, such as a running head."""
CONTEXT = 40
"""Characters around a quote that decide between several places."""
PLACES = 50
"""Places of a quote on a page that are compared at most."""
FOUND = 0.9
"""Share of a quote's characters that have to be found."""
SURE = 0.6
"""Share of them that have to be in pieces of SEED characters or more, except cells of tables."""

_CELLS = re.compile(r"[|\n]")
_TOKEN = re.compile(r"[^\W_]+|[\W_]")
_SILENT = frozenset("-|^_{}\u00ad\u2010\u2011\u2022\u2043\ufffe\uffff")


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A part of a page's text as its file has it, in the numbers of the library's characters."""

    page: int
    start: int
    end: int
    """The first character behind it."""


def page_spans(
    quote: str, pages: Mapping[int, str], *, before: str = "", after: str = ""
) -> tuple[PageSpan, ...]:
    """Return the parts of consecutive pages (text by number) that make up a quote; () for none.

    `before` and `after` are what stands around the quote in its chunk.
    """
    text = "\n".join(pages[page] for page in sorted(pages))
    found = []
    for start, end in quote_spans(quote, text, before=before, after=after) or ():
        first = 0
        for page in sorted(pages):
            behind = first + len(pages[page])
            if start < behind and end > first:
                inside = max(start, first) - first, min(end, behind) - first
                found.append(PageSpan(page, *inside))
            first = behind + 1
    return tuple(found)


def quote_spans(
    quote: str, page: str, *, before: str = "", after: str = ""
) -> tuple[tuple[int, int], ...] | None:
    r"""Return start and end of the parts of `page` that make up `quote`.

    There are several where something stands between them on the page that the quote leaves out,
    or where the page has another order. None where less than nine tenths are found, or where
    what is found are single words (in a quote without cells and lines of its own).

    >>> quote_spans("The first office", "1\r\nThe \ufb01rst of-\r\n2 \ufb01ce.")
    ((3, 14), (19, 22))
    """
    wanted, found = _Said.of(quote), _Said.of(page)
    if not wanted.chars:
        return None
    whole = _whole(wanted.chars, found.chars, _Said.of(before).chars, _Said.of(after).chars)
    if whole is not None:
        return tuple(_joined([(whole, len(wanted.chars))], found))
    cells = bool(_CELLS.search(quote))
    pieces = _Cover(wanted, found, cells=cells).pieces(_Said.of(before[-2 * CONTEXT :]).chars)
    sure = sum(length for _, length in pieces if cells or length >= SEED)
    if min(sum(length for _, length in pieces) / FOUND, sure / SURE) < len(wanted.chars):
        return None
    return tuple(_joined(pieces, found))


@dataclass(frozen=True, slots=True)
class _Said:
    """The characters of a text that say something, in one way of writing."""

    chars: str
    places: Sequence[int]
    """The place of each in the text."""
    words: Sequence[tuple[int, int]]
    """Start and end of each word in `chars`."""

    @classmethod
    def of(cls, text: str) -> "_Said":
        chars: list[str] = []
        places: list[int] = []
        words: list[tuple[int, int]] = []
        for token in _TOKEN.finditer(text):
            begin = len(chars)
            for place in range(*token.span()):
                written = _said(text[place])
                chars += written
                places += [place] * len(written)
            if len(chars) > begin:
                words.append((begin, len(chars)))
        return cls("".join(chars), places, words)


def _said(char: str) -> str:
    """Return what a character says: a ligature its letters, an accented letter the letter."""
    if char in _SILENT or char.isspace():
        return ""
    if char.isascii():
        return char if char.isprintable() else ""
    plain = unicodedata.normalize("NFKD", char)
    return "".join(c for c in plain if unicodedata.category(c) not in {"Mn", "Cc", "Cf", "Zs"})


def _whole(quote: str, page: str, before: str, after: str) -> int | None:
    best, most, at = None, -1, page.find(quote)
    for _ in range(PLACES):
        if at < 0:
            break
        left = commonprefix([before[::-1][:CONTEXT], page[max(at - CONTEXT, 0) : at][::-1]])
        right = commonprefix([after[:CONTEXT], page[at + len(quote) :][:CONTEXT]])
        fit = len(left) + len(right)
        if fit > most:
            best, most = at, fit
        at = page.find(quote, at + 1)
    return best


class _Cover:
    """A quote, laid over a page piece by piece: each goes on as far as both are equal."""

    def __init__(self, quote: _Said, page: _Said, *, cells: bool) -> None:
        self._quote, self._page, self._cells = quote, page, cells
        self._used = bytearray(len(page.chars))
        self._behind = {end for _, end in page.words}
        self._ends = [end for _, end in quote.words]
        self._words: defaultdict[str, list[int]] = defaultdict(list)
        for start, end in page.words:
            self._words[page.chars[start:end]].append(start)

    def pieces(self, before: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        start, at = 0, self._begin(before)
        while start < len(self._quote.chars):
            end = self._ends[bisect_right(self._ends, start)]
            place = self._place(start, end, at)
            if place is None:
                start = end
                continue
            length = self._length(start, place)
            found.append((place, length))
            self._used[place : place + length] = b"\1" * length
            start, at = start + length, place + length
        return found

    def _begin(self, before: str) -> int:
        page, quote = self._page.chars, self._quote.chars
        for context in (before[-2 * SEED :], before[-SEED:]):
            if context and (at := page.find(context)) >= 0:
                return at + len(context)
        for start in range(0, len(quote), SEED):
            if (at := page.find(quote[start : start + 2 * SEED])) >= 0:
                return max(at - start - NEAR // 2, 0)
        return 0

    def _place(self, start: int, end: int, at: int) -> int | None:
        """Return where the quote goes on: nearby, else at the next place of its characters."""
        page, seed = self._page.chars, self._quote.chars[start : start + SEED]
        near = page.find(seed, at, at + NEAR + len(seed))
        if near >= 0:
            return near
        word = self._word(self._quote.chars[start:end], at)
        if word is not None and at <= word <= at + NEAR:
            return word
        far = page.find(seed) if len(seed) == SEED else -1
        if far >= 0 and not self._used[far]:
            return far
        return word if self._cells else None

    def _word(self, word: str, at: int) -> int | None:
        places = self._words.get(word, [])
        first = bisect_left(places, at)
        nearest = (*places[first : first + PLACES], *places[max(first - PLACES, 0) : first][::-1])
        return next((place for place in nearest if not self._used[place]), None)

    def _length(self, start: int, place: int) -> int:
        """Return how far quote and page agree: up to the quote's end, or a word's on the page."""
        rest = self._quote.chars[start:]
        length = len(commonprefix([rest, self._page.chars[place : place + len(rest)]]))
        if length == len(rest):
            return length
        ends = (less for less in range(length, 0, -1) if place + less in self._behind)
        return next(ends, length)


def _joined(pieces: Sequence[tuple[int, int]], page: _Said) -> Iterator[tuple[int, int]]:
    first, *others = sorted(pieces)
    begin, end = first[0], sum(first)
    for place, length in others:
        if place > end:
            yield page.places[begin], page.places[end - 1] + 1
            begin = place
        end = max(end, place + length)
    yield page.places[begin], page.places[end - 1] + 1
