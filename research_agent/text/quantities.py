"""What a language calls numbers and units, by the tables of Unicode's CLDR."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Literal

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

    >>> [sorted(unit_names("en")[name]) for name in ("days", "mg", "square feet")]
    [['duration-day'], ['mass-milligram'], ['area-square-foot']]
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
            said = lowered(format_unit(count, unit, length, locale=locale))
            name = " ".join(re.sub(r"[\d.,]+", "", said).split())
            found.setdefault(name, set()).add(str(unit))
    return {name: frozenset(of) for name, of in found.items() if name}
