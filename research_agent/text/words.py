"""Text to the words of the lexical index.

A compound such as `ML-KEM.KeyGen` or `5.2` is one word and each of its parts is another, so that
a query finds it however it is written. The same folding is applied to documents and queries.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

MAX_WORD = 64
"""Characters of a word that are kept; what is longer is no word but data."""

_STOP = (
    "a about above after again against all am an and any are as at be because been before being "
    "below between both but by can could did do does doing down during each few for from further "
    "had has have having he her here hers him his how i if in into is it its itself just me more "
    "most my no nor not now of off on once only or other our ours out over own s same she should "
    "so some such t than that the their theirs them then there these they this those through to "
    "too under until up us very was we were what when where which while who whom why will with "
    "would you your yours"
)
STOP_WORDS = frozenset(_STOP.split())
"""English words that a query is better without."""

# Scripts written without spaces between words: Thai to Khmer, kana, Han, Hangul.
_DENSE = (
    "\u0e01-\u0e4e\u0e81-\u0edf\u1000-\u104f\u1780-\u17d3\u3041-\u30ff"
    "\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
# Vowel signs and accents, which regular expressions do not count as letters.
_MARKS = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0df3"
_LETTER = rf"(?:(?![{_DENSE}_])[\w{_MARKS}])"
_PIECES = re.compile(rf"[{_DENSE}]+|{_LETTER}+(?:[-._/+]{_LETTER}+)*(?:\+\+|#)?")
_PARTS = re.compile(rf"\d+|(?:(?!\d){_LETTER})+")
_IN_TEXT = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?!\d)|{_PIECES.pattern}")
_IS_DENSE = re.compile(rf"[{_DENSE}]")
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
"""Soft hyphens and other characters that are not seen."""
_THIN_SPACE = re.compile(r"(?<=\d)[\u2006-\u200a\u202f](?=\d)")
_LARGE = re.compile(r"[1-9]\d{4,}", re.ASCII)  # (four digits may be a year, which has no marks)
_IN_GROUPS = re.compile(r"(?<![\w.,'])[1-9]\d{0,2}(?:[.,' ]\d{3})+(?!\w|[.,']\d)")
HYPHENS = re.compile("[\u2010-\u2013\u2212]")
"""Hyphens, short dashes and the minus sign."""


def fold(text: str) -> str:
    r"""Return `text` with the differences removed that only typography makes.

    Compatibility forms become plain ones, letters lower case, every hyphen and minus `-`; soft
    hyphens and other invisible characters are dropped, thin spaces inside numbers too.

    >>> fold("\uff26IPS Key\u00adGen 7\u2009856 A\u2011B")
    'fips keygen 7856 a-b'
    """
    visible = _THIN_SPACE.sub("", INVISIBLE.sub("", text))
    return HYPHENS.sub("-", unicodedata.normalize("NFKC", visible)).casefold()


def index_words(text: str) -> tuple[str, ...]:
    """Return every word of `text` in order; a compound is followed by its parts.

    Scripts written without spaces give overlapping pairs of characters.

    >>> index_words("Use ML-KEM.KeyGen, see 5.2")
    ('use', 'ml-kem.keygen', 'ml', 'kem', 'keygen', 'see', '5.2', '5', '2')
    """
    return tuple(word for piece in _PIECES.findall(fold(text)) for word in _words(piece))


def whole_words(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of `text` in order, each followed by its parts where it has any."""
    words: list[tuple[str, ...]] = []
    for piece in _PIECES.findall(fold(text)):
        found = tuple(_words(piece))
        words += [(pair,) for pair in found] if _IS_DENSE.match(piece) else [found]
    return tuple(words)


def word_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of every word of `text`, in order.

    A compound is one word, and so is a number with commas; scripts written without spaces give
    overlapping pairs of characters.

    >>> text = "ML-KEM has 1,184 bytes."
    >>> [text[start:end] for start, end in word_spans(text)]
    ['ML-KEM', 'has', '1,184', 'bytes']
    """
    spans: list[tuple[int, int]] = []
    for match in _IN_TEXT.finditer(text):
        start, end = match.span()
        dense = _IS_DENSE.match(match.group())
        spans += [(i, min(i + 2, end)) for i in range(start, max(end - 1, start + 1))] * bool(dense)
        spans += [(start, end)] * (not dense)
    return tuple(spans)


def length_in_words(text: str) -> int:
    """Return how many words a text has; two characters of a script without spaces are one."""
    return sum(
        max(1, (len(piece) + 1) // 2) if _IS_DENSE.match(piece) else 1
        for piece in _PIECES.findall(fold(text))
    )


def query_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a query in order, without English stop words.

    A query of nothing but stop words keeps them: they are all it has.

    >>> query_words("What are the sizes of the keys? Keys!")
    ('sizes', 'keys')
    """
    words = dict.fromkeys(index_words(text))
    return tuple(word for word in words if word not in STOP_WORDS) or tuple(words)


def respelled_numbers(query: str, terms: Sequence[str]) -> Iterator[str]:
    """Yield the large numbers of a query as it does not have them: in groups of digits, or whole.

    `terms` are the words of the query. In an index groups are words, one after the other,
    whatever mark parts them.

    >>> list(respelled_numbers("59100 of 591,000", ["59100", "591", "000"]))
    ['59 100', '591000']
    """
    for term in filter(_LARGE.fullmatch, terms):
        yield f"{int(term):,}".replace(",", " ")
    for match in _IN_GROUPS.finditer(fold(query)):
        number = re.sub(r"\D", "", match[0])
        yield from [number] if _LARGE.fullmatch(number) else []


def _words(piece: str) -> Iterator[str]:
    if _IS_DENSE.match(piece):
        yield from (piece[i : i + 2] for i in range(max(1, len(piece) - 1)))
        return
    whole, parts = piece[:MAX_WORD], [part[:MAX_WORD] for part in _PARTS.findall(piece)]
    yield whole
    if parts != [whole]:
        yield from parts
