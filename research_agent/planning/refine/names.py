"""Strings of a question that a rewrite has to keep: numbers with units, names, quotations."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import Literal

from research_agent.text.figures import plain_digits
from research_agent.text.identifiers import quotations
from research_agent.text.language import function_words, languages_of
from research_agent.text.words import HYPHENS

_LENGTHS: tuple[Literal["long", "short"], ...] = ("long", "short")
_COUNTS = (1, 2, 5)
"""One of each plural form of most languages."""
_SPELLED = (*range(2, 21), *range(30, 101, 10), 1000, 10_000, 100_000_000)
"""Numbers that are mostly written as one word; that for one is often an article."""


def lowered(text: str) -> str:
    """Return a text in which the same letters are spelled the same, without case.

    Unlike `words.fold` it leaves the 2 of a square metre where it is.
    """
    return unicodedata.normalize("NFC", text).casefold()


@cache
def number_words(language: str) -> Mapping[str, str]:
    """Return the words of a language for numbers, lowered, with their digits."""
    from unicode_rbnf import RbnfEngine

    if language not in RbnfEngine.get_supported_languages():
        return {}
    engine = RbnfEngine.for_language(language)
    forms = ((n, engine.format_number(n).text_by_ruleset.values()) for n in _SPELLED)
    pairs = ((lowered(text), str(n)) for n, texts in forms for text in texts)
    return {word: digits for word, digits in pairs if word.isalpha()}


@cache
def unit_names(language: str) -> Mapping[str, frozenset[str]]:
    """Return what a language calls units, in full and short, lowered, with the units' CLDR names.

    A name may be that of several units, more of them with each edition of CLDR.

    >>> units = unit_names("en")
    >>> "duration-day" in units["days"], "mass-milligram" in units["mg"]
    (True, True)
    >>> {"mass-gram", "acceleration-g-force"} <= units["g"]
    True
    """
    from babel import Locale, UnknownLocaleError
    from babel.units import format_unit

    found: dict[str, set[str]] = {}
    # "meters" and, in the English of the rest of the world, "metres"
    for locale in (language, f"{language}_001") if language else ():
        try:
            units = Locale.parse(locale).unit_display_names
        except UnknownLocaleError:
            continue
        for unit, length, count in product(units, _LENGTHS, _COUNTS):
            text = lowered(format_unit(count, unit, length, locale=locale))
            name = " ".join(re.sub(r"[\d.,]+", "", text).split())
            found.setdefault(name, set()).add(str(unit))
    return {name: frozenset(of) for name, of in found.items() if name}


NOUNS_WITH_CAPITALS = frozenset({"de"})
"""Languages in which a capital marks every noun, so no name."""
LONGEST_UNIT, UNIT_WORDS = 40, 3
"""Characters and words behind a number that may be its unit."""
_NUMBER = re.compile(
    r"(?<!\d)\d{1,3}(?:[ \u00a0\u2009\u202f,.'\u2019]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*"
)
_WORD = re.compile(r"[^\W\d_]\w*(?:[-._/+]\w+)*")
_STARTS = re.compile(r"(?:^|[.?!:;\u3002\u00bf\u00a1\"\u201c\u201e\u00ab\n])\W*$")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text."""

    value: str
    """Its digits, without marks between thousands, with a point before decimals."""
    units: frozenset[str] = frozenset()
    """The units that the words behind it may name; empty for none that is known."""
    name: str = ""
    """The letters of the name, lowered, that it is part of or follows: FIPS of FIPS 203."""


@dataclass(frozen=True, slots=True)
class Named:
    """Strings of a text that a rewrite has to keep."""

    text: str
    """The text, lowered."""
    numbers: tuple[Number, ...]
    names: tuple[str, ...]
    """As written: words with a capital that does not begin a sentence, and identifiers."""
    quotes: tuple[str, ...]
    ideographs: frozenset[str]
    """Chinese characters that are no function word and no number: without capitals to tell names
    by, each counts as part of one."""
    initials: frozenset[str]
    """Of names of several words."""


def is_identifier(name: str) -> bool:
    """Return whether a word has a digit, an underscore, two capitals or one within.

    >>> [word for word in ("PX-200", "AES", "snake_case", "Paris", "E-Mail") if is_identifier(word)]
    ['PX-200', 'AES', 'snake_case']
    """
    capitals = (
        sum(map(str.isupper, part)) > 1 or re.search(r"[a-z][A-Z]", part)
        for part in re.split(r"[-./+]", name)
    )
    return "_" in name or any(map(str.isdigit, name)) or any(capitals)


@lru_cache(maxsize=256)
def read(text: str) -> Named:
    """Return the strings of `text` that a rewrite has to keep."""
    plain = HYPHENS.sub("-", unicodedata.normalize("NFC", re.sub(r"['\u2019]s\b", "", text)))
    plain = _spaced(plain_digits(plain))
    language = next(iter(languages_of(plain)), "")
    names, inside = _names(plain, capitals=language not in NOUNS_WITH_CAPITALS)
    telling = _without_function_words(plain)
    return Named(
        lowered(plain),
        (*_digits(plain, language, inside), *_number_words(telling, language)),
        tuple(names),
        tuple(" ".join(lowered(quote).split()) for quote in quotations(plain)),
        frozenset(c for c in telling if _is_ideograph(c) and not _numeral(c)),
        frozenset(_initials(plain)),
    )


def _names(text: str, *, capitals: bool) -> tuple[list[str], Mapping[int, str]]:
    """Return the names, and for each place in or right behind one the letters of the name."""
    shouted = text.isupper() and " " in text
    names, inside = list[str](), dict[int, str]()
    for match in _WORD.finditer(text):
        word = match.group()
        begins = bool(_STARTS.search(text[: match.start()]))
        identifier = is_identifier(word) and not (shouted and word.isalpha())
        plain = capitals and not begins and not shouted and len(word) > 1 and word[0].isupper()
        if identifier or plain:
            names.append(word)
            letters = lowered(re.split(r"[-_./+]?\d", word)[0])
            inside |= dict.fromkeys(range(match.start(), match.end() + 2), letters)
    return names, inside


def _digits(text: str, language: str, inside: Mapping[int, str]) -> Iterator[Number]:
    table = unit_names(language) if _NUMBER.search(text) else {}
    for match in _NUMBER.finditer(text):
        whole = match.group()
        thousands = re.fullmatch(r"(\d{1,3}(?:\D\d{3})+)(?:[.,](\d+))?", whole)
        parts = [re.sub(r"\D", "", part or "") for part in thousands.groups()] if thousands else []
        value = ".".join(filter(None, parts)) or whole.replace(",", ".")
        rest = lowered(text[match.end() :]).lstrip(" \u00a0\u202f-")
        units = next((table[name] for name in _beginnings(rest) if name in table), frozenset[str]())
        before = text[match.start() - 1 : match.start()].strip()
        if before and unicodedata.category(before) == "Sc":
            units = frozenset({before})
        yield Number(value, units, inside.get(match.start(), ""))


def _beginnings(text: str) -> Iterator[str]:
    words = re.findall(r"\u00b0\s?\w+|\w+|[^\w\s]", text[:LONGEST_UNIT])[:UNIT_WORDS]
    yield from (" ".join(words[:n]) for n in range(len(words), 0, -1))
    if words and _is_caseless(words[0][0]):
        yield from (words[0][:n] for n in range(len(words[0]) - 1, 0, -1))


def _number_words(text: str, language: str) -> Iterator[Number]:
    table = number_words(language)
    for word in re.findall(r"[^\W\d_]+", lowered(text)):
        if word in table and not any(map(_is_ideograph, word)):
            yield Number(table[word])
    yield from (Number(f"{_numeral(char):g}") for char in text if _numeral(char) > 1)


def _without_function_words(text: str) -> str:
    silent = [
        word
        for word in function_words(text)
        if all(map(_is_ideograph, word)) and not all(map(_numeral, word))
    ]
    longest_first = sorted(silent, key=lambda word: (-len(word), word))
    return re.sub("|".join(longest_first), " ", text) if silent else text


def _spaced(text: str) -> str:
    """Return `text` with a space where letters without case meet other letters or digits."""
    pairs = pairwise(f" {text}")
    gap = (
        (a.isalnum() and b.isalnum() and _is_caseless(a) != _is_caseless(b), b) for a, b in pairs
    )
    return "".join(" " * apart + char for apart, char in gap)


def _is_caseless(char: str) -> bool:
    return unicodedata.category(char) == "Lo"


def _is_ideograph(char: str) -> bool:
    return unicodedata.name(char, "").startswith("CJK UNIFIED")


def _numeral(char: str) -> float:
    """Return the value of a Chinese character that CLDR writes numbers with, 0 for any other."""
    return unicodedata.numeric(char, 0.0) if char in _numerals() else 0.0


@cache
def _numerals() -> frozenset[str]:
    return frozenset("".join(number_words("zh")))


def _initials(text: str) -> Iterator[str]:
    """Yield the initials of names of several words; a small word may be between two."""
    run, gap = "", 0
    for word in [*re.findall(r"[^\W\d_]+", text), "", ""]:
        if word[:1].isupper():
            run, gap = run + word[0], 0
            yield from (run[start:] for start in range(len(run) - 1))
        else:
            gap += 1
            run = run if gap <= 1 else ""
