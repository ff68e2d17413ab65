"""A question as a list of items: words, numbers, names and phrases, each with what it says."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import takewhile

from research_agent.core.validators.lexicon import Facet, FacetKind, Lexicon, lexicon
from research_agent.core.validators.rewrite_words import RewriteWords
from research_agent.core.words import fold

_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_DENSE = f"\u0e01-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\u3041-\u30ff{_HAN}\uac00-\ud7a3"
_NUMERAL = "\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u4e24\u3007"
"""Chinese two to ten; one is left out, because it mostly is no number."""
_LATIN = rf"(?:(?![{_DENSE}])\w)"
_TOKEN = re.compile(
    rf"(?P<numeral>(?<=\u7b2c)\u4e00|[{_NUMERAL}][{_NUMERAL}\u4e00\u767e\u5343\u4e07\u4ebf]*)"
    rf"|(?P<dense>[{_DENSE}])"
    rf"|(?P<word>(?![\d_]){_LATIN}+(?:[-._/+]{_LATIN}+)*)"
    r"|(?P<number>\d{1,4}-\d{1,2}-\d{1,4}(?!\w)|(?:(?<!\S)[-\u2212])?\d+(?:[.,:/]\d+)*)|(?P<sign>[%$\u20ac\u00a3]|\u00b0[CF])|(?P<stop>[^\w\s])"
)
_NOT = re.compile(r"n['\u2019]t\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_QUOTED = re.compile(
    '["\u201c\u201e\u300c\u300e\u00ab]([^"\u201c\u201d\u300d\u300f\u00bb]{1,200})'
    "[\"\u201d\u201c\u300d\u300f\u00bb]|\u300a([^\u300b]{1,200})\u300b|(?<!\\w)'([^']{2,200})'(?!\\w)"
)
_ODD = re.compile(r"(?=.*[A-Z].*[A-Z]|.*\d|.*_|[a-z].*[A-Z])")
"""Words that are no plain words: two capitals, a digit, an underscore, an inner capital."""


@dataclass(frozen=True, slots=True)
class Item:
    """A word, phrase, number or run of characters, and what it says."""

    text: str
    """Folded; a phrase's words with one space between."""
    facets: frozenset[Facet] = frozenset()
    name: bool = False
    """Whether it has to stay as it is: an identifier, or capitalised within the sentence."""
    dense: bool = False
    """A run of characters of a script without spaces, in which words are not told apart."""
    acronym: bool = False
    number: str = ""
    """The value, where it is a number."""
    unit: int = -1
    """The group of the unit behind a number; -1 where none is."""
    forms: frozenset[str] = frozenset()
    bracket: bool = False
    """Whether an opening bracket stands right before it."""

    def has(self, *kinds: FacetKind) -> bool:
        """Return whether one of the facets is of one of these kinds."""
        return any(facet.kind in kinds for facet in self.facets)

    @property
    def content(self) -> bool:
        """Whether it says what the question is about."""
        if self.name or self.dense:
            return True
        silent = self.has(
            "function", "negation", "spared", "relation", "marker", "agent", "conjunction"
        )
        return not (silent or self.number or self.unit >= 0)


@dataclass(frozen=True, slots=True)
class Reading:
    """A text, read in one language."""

    language: str = ""
    """Empty where none of the languages fits."""
    items: tuple[Item, ...] = ()
    quotes: tuple[str, ...] = ()
    words: RewriteWords = field(default_factory=RewriteWords)

    @property
    def content(self) -> tuple[Item, ...]:
        """The items that say what the question is about."""
        return tuple(item for item in self.items if item.content)


def language_of(text: str, languages: Sequence[RewriteWords]) -> RewriteWords | None:
    """Return the language that knows most of the function words of `text`, None for none.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> language_of("What is it?", LANGUAGES).language, language_of("Apa itu?", LANGUAGES).language
    ('english', 'indonesian')
    >>> language_of("Wie lange gilt sie?", LANGUAGES) is None
    True
    """
    plain = fold(_NOT.sub(" not", text))
    found = re.findall(rf"[{_HAN}]|(?:(?![{_HAN}])[^\W\d_])+", plain)
    kana_or_thai = re.search(rf"(?![{_HAN}])[{_DENSE}]", plain)
    best: tuple[float, RewriteWords | None] = (0.0, None)
    for words in languages:
        if words.spaced:
            known = _structural(words)
            share = sum(word in known for word in found) / max(len(found), 1)
        else:
            han = sum(bool(re.match(rf"[{_HAN}]", word)) for word in found)
            share = 0.0 if kana_or_thai else han / max(len(found), 1) * 2
        if share > best[0]:
            best = (share, words)
    return best[1] if best[0] >= LEAST_SHARE else None


LEAST_SHARE = 0.2
"""Share of a text's words that have to be function words of its language."""


@cache
def _structural(words: RewriteWords) -> frozenset[str]:
    plain = (*words.function, *words.negations, *words.markers, *words.conjunctions)
    return frozenset(word for word in plain if " " not in word)


def read(text: str, words: RewriteWords | None) -> Reading:
    """Read `text` with the words of its language; without any, every word is content.

    >>> from research_agent.core.validators.english import ENGLISH
    >>> [item.text for item in read("How long is the PX-200's hose?", ENGLISH).content]
    ['long', 'px-200', 'hose']
    """
    known = words or RewriteWords()
    table = lexicon(known)
    quotes = tuple(fold("".join(parts)).strip() for parts in _QUOTED.findall(text))
    plain = unicodedata.normalize("NFKC", _POSSESSIVE.sub("", _NOT.sub(" not", text)))
    tokens = list(_TOKEN.finditer(plain))
    items: list[Item] = []
    at, begins, bracket = 0, True, False
    while at < len(tokens):
        sign = tokens[at].group()
        if tokens[at].lastgroup == "stop":
            begins, bracket = begins or sign in ".?!:;\u3002", sign == "("
            at += 1
            continue
        after_number = bool(items and items[-1].number)
        size, item = _next(tokens, at, table, begins=begins, after_number=after_number)
        items.append(replace(item, bracket=bracket))
        at, begins, bracket = at + size, False, False
    return Reading(known.language, _runs(items), quotes, known)


def _next(
    tokens: Sequence[re.Match[str]], at: int, table: Lexicon, *, begins: bool, after_number: bool
) -> tuple[int, Item]:
    """Return how many tokens the next item takes, and the item."""
    token = tokens[at]
    if token.lastgroup in {"number", "numeral"}:
        return 1, Item(token.group(), number=_value(token.group()))
    for size, key in _phrases(tokens[at : at + table.longest], table):
        facets = table.phrases[key]
        unit = any(facet.kind == "unit" for facet in facets)
        if unit and after_number:
            return size, _unit(key, facets)
        if (size > 1 or token.lastgroup == "dense") and facets - _units(facets):
            text = ("" if token.lastgroup == "dense" else " ").join(key)
            return size, Item(text, facets - _units(facets), forms=frozenset({text}))
    if token.lastgroup == "sign":
        return 1, Item(token.group(), frozenset({Facet("function")}))
    if token.lastgroup == "dense":
        return 1, Item(fold(token.group()), dense=True)
    return 1, _word(token.group(), table, begins=begins)


def _phrases(
    window: Sequence[re.Match[str]], table: Lexicon
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the known phrases that the window begins with, the longest first."""
    alike = tuple(takewhile(lambda token: token.lastgroup == window[0].lastgroup, window))
    if not alike or alike[0].lastgroup not in {"dense", "word", "sign"}:
        return
    folded = tuple(fold(token.group()) for token in alike)
    for size in range(len(folded), 0, -1):
        if folded[:size] in table.phrases:
            yield size, folded[:size]


def _units(facets: frozenset[Facet]) -> frozenset[Facet]:
    return frozenset(facet for facet in facets if facet.kind == "unit")


def _unit(key: tuple[str, ...], facets: frozenset[Facet]) -> Item:
    return Item("".join(key), _units(facets), unit=min(facet.group for facet in _units(facets)))


def _word(raw: str, table: Lexicon, *, begins: bool) -> Item:
    """Return a word of a script with spaces; what is a name says nothing else."""
    folded = fold(raw)
    facets = table.facets(folded)
    facets -= _units(facets)
    silent = any(facet.kind == "function" for facet in facets)
    name = bool(_ODD.match(raw)) or (raw[:1].isupper() and not begins and not silent)
    name = name or (raw[:1].isupper() and not facets and bool(table.words.language))
    number = next((str(facet.group) for facet in facets if facet.kind == "number"), "")
    if name and not number:
        acronym = raw.isupper() and len(raw) > 1
        return Item(folded, name=True, acronym=acronym, forms=frozenset({folded}))
    return Item(folded, facets, number=number, forms=table.forms(folded))


def _runs(items: Sequence[Item]) -> tuple[Item, ...]:
    """Put neighbouring characters of a script without spaces together."""
    joined: list[Item] = []
    for item in items:
        if item.dense and joined and joined[-1].dense and not item.bracket:
            joined[-1] = replace(joined[-1], text=joined[-1].text + item.text)
        else:
            joined.append(item)
    return tuple(joined)


def _value(text: str) -> str:
    """Return a number in one spelling: digits without commas between thousands.

    >>> _value("1,184"), _value("\u4e09\u5341\u4e94"), _value("4.20")
    ('1184', '35', '4.20')
    """
    if text[-1] not in _DIGITS and text[-1] not in _SCALES:
        return re.sub(r",(?=\d{3}(?!\d))", "", text).replace("\u2212", "-")
    total = current = 0
    for char in text:
        if char in _SCALES:
            current = (current or 1) * _SCALES[char]
            total, current = total + current, 0
        else:
            current = _DIGITS.get(char, 0)
    return str(total + current)


_DIGITS = {
    c: i for i, c in enumerate("\u3007\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d")
} | {"\u4e24": 2}
_SCALES = {"\u5341": 10, "\u767e": 100, "\u5343": 1000, "\u4e07": 10_000, "\u4ebf": 100_000_000}
