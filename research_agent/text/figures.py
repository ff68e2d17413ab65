"""Numbers and dates in a text, read in every way that their marks allow, and arithmetic on them.

A mark such as "1,184" may part thousands or decimals, so a number has several readings; two are
the same where they share one. Signs are not read: a hyphen before a number is often a range.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from itertools import accumulate, chain, combinations, islice
from math import gcd

from research_agent.text.words import HYPHENS, INVISIBLE

MAX_DIGITS = 40
"""A longer number is compared as text."""
MAX_POWER = 320
ROUNDED = Decimal("0.05")
"""Share of a number by which its rounding may differ: as much as one to two digits does."""
_EXACT = Context(prec=MAX_POWER)
UNLIKELY = 4
"""Digits of a number that is not hit by chance if percentages are added to others."""
MAX_POOL = 24
"""Numbers that arithmetic is tried with."""
_EXPONENTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_MARKS = str.maketrans("\u066b\u066c\u2019\u2044", ".,'/")
_VULGAR = "".join(
    c for c in map(chr, range(0x2200)) if "<fraction>" in unicodedata.decomposition(c)
)
_AFTER_DIGIT = re.compile(rf"(?<=\d)(?=[{_VULGAR}])")
MAX_BELOW = 16
"""The largest number below the line of a mixed fraction."""
_PARTS = "|".join(f"{a}/{b}" for b in range(2, MAX_BELOW + 1) for a in range(b) if gcd(a, b) == 1)
_POWER = re.compile(
    r"(?<![\d.])(?:(\d+(?:[.,]\d+)?)\s?[x\u00d7\u00b7*]\s?)?(\d+)\s?(?:\^|\*\*)\s?[{(]?([-+]?\d+)[})]?"
    r"|(?<![\w.])(\d+(?:\.\d+)?)[eE]([-+]?\d+)(?!\w)"
)
_NUMBER = re.compile(
    rf"(?<![\d^.,/])\d{{1,3}} (?:{_PARTS})(?![/.,']?\d)"
    r"|(?<![\d^:.,])(?:[01]?\d|2[0-3]):[0-5]\d(?![:.,']?\d| \d{3}(?!\d))"
    r"|(?<![\d^])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\d.,']?\d)|(?<!\^)\d+(?:[.,']\d+)*"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3])[:.]([0-5]\d)")
_ELIDED = re.compile(r"(?<!\d)([1-9]\d)(\d\d)[-/](\d\d)(?![-/.]?\d)")
"""Two years, of which the second has its last digits alone."""
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")
_YEAR_SHORT = re.compile(r"(?<!\d)(?<!\d[-/.])(\d\d)([-/.])(\d\d)\2(\d\d)(?![-/.]?\d)")
_SCALES = tuple(Decimal(10) ** power for power in (-12, -9, -6, -3, -2, 2, 3, 6, 9, 12))
HOURS = 12
MONTHS = 12
DAYS = 31


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as printed, and the ways to read it."""

    text: str
    readings: frozenset[str]
    """Decimal numbers without marks and closing zeros, or the text where it is no number."""
    parts: tuple["Figure", ...] = ()
    """Hours and minutes of a time, which may be printed apart."""

    def stands_in(self, readings: frozenset[str]) -> bool:
        """Return whether numbers with these readings have it, or all of its parts."""
        apart = bool(self.parts) and all(part.stands_in(readings) for part in self.parts)
        return apart or not self.readings.isdisjoint(readings)


@dataclass(frozen=True, slots=True)
class DateFigure:
    """A date in digits, and the ways to read it."""

    text: str
    readings: frozenset[tuple[int, int, int]]
    """Year, month and day."""
    parts: tuple[frozenset[str], ...]
    """For each year: it and the day, or both numbers that may be the day."""


def plain(text: str) -> str:
    """Return a text in one typography: plain digits, exponents as "^", one hyphen and space.

    >>> plain("2½ m²")
    '2 1/2 m^2'
    """
    raised = _RAISED.sub(lambda match: f"^{match[0].translate(_EXPONENTS)}", text)
    parted = _AFTER_DIGIT.sub(" ", INVISIBLE.sub("", raised))
    folded = unicodedata.normalize("NFKC", parted)
    return HYPHENS.sub("-", plain_digits(folded)).translate(_MARKS)


def plain_digits(text: str) -> str:
    """Return a text with the decimal digits of every script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def figures_in(text: str) -> tuple[Figure, ...]:
    """Return the numbers of a plain text in order; of a power its value.

    A time is one number, and the second of two years may have its last digits alone.

    >>> [sorted(figure.readings) for figure in figures_in("1,184 of 2^10 have 3.500 %")]
    [['1.184', '1184'], ['1024', '2 10', '210', '2^10'], ['3.5', '3500']]
    >>> [sorted(figure.readings) for figure in figures_in("22:30 in 1998/99")]
    [['10:30 of 12', '22:30'], ['1998'], ['1999', '99']]
    """
    found = [(match.start(), _power(match)) for match in _POWER.finditer(text)]
    rest = _POWER.sub(lambda match: " " * len(match[0]), text)
    years = {m.start(3): m[1] + m[3] for m in _ELIDED.finditer(rest) if m[3] > m[2]}
    for match in _NUMBER.finditer(rest):
        one, year = _number(match[0]), years.get(match.start())
        found.append((match.start(), replace(one, readings=one.readings | {year}) if year else one))
    return tuple(figure for _, figure in sorted(found, key=lambda item: item[0]))


def is_power(text: str) -> bool:
    """Return whether a plain text is one power, such as 10^12 or 1e12."""
    return _POWER.fullmatch(text) is not None


def dates_in(text: str) -> tuple[DateFigure, ...]:
    """Return the dates of a plain text that are written in digits alone.

    A year of two digits is read in this century and in the last.

    >>> [sorted(date.readings) for date in dates_in("2024-05-13 or 3/5/2024")]
    [[(2024, 5, 13)], [(2024, 3, 5), (2024, 5, 3)]]
    """
    found = [(m, m[1], int(m[3]), int(m[4])) for m in _YEAR_FIRST.finditer(text)]
    for pattern in (_YEAR_LAST, _YEAR_SHORT):
        found += [(m, m[4], int(m[3]), int(m[1])) for m in pattern.finditer(text)]
    dates = []
    for match, digits, one, other in found:
        centuries = ("19", "20") if match.re is _YEAR_SHORT else ("",)
        years = [int(century + digits) for century in centuries]
        orders = {(one, other)} if match.re is _YEAR_FIRST else {(one, other), (other, one)}
        days = [o for o in orders if 0 < o[0] <= MONTHS and 0 < o[1] <= DAYS]
        if days:
            valid = frozenset((year, *order) for year in years for order in days)
            parts = (frozenset(map(str, (year, *(day for _, day in days)))) for year in years)
            dates.append(DateFigure(match[0], valid, tuple(parts)))
    return tuple(dates)


def operands(figure: Figure, pool: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the numbers that one is a rounding of, or comes of by arithmetic; () for none.

    That is a sum, difference, product, ratio or percentage of two, one of them more or less by the
    other's percentage, the same number on another scale such as thousands or per cent, or the sum
    of more that stand one after the other.

    >>> one, two, three = figures_in("40 60 66.7")
    >>> [figure.text for figure in operands(three, [one, two])], operands(two, [one])
    (['40', '60'], ())
    """
    if exact := addends(figure, pool, pool):
        return exact
    values = [(value, other) for other in pool[:MAX_POOL] for value in _values(other)]
    for target in _values(figure):
        near = _last_digit(target, significant=False) / 2
        found = ((value * scale, (one,)) for value, one in values for scale in _SCALES)
        of_two = (
            (x, (one, two))
            for (a, one), (b, two) in combinations(values, 2)
            for x in (*_combined(a, b), *_by_percentage(a, b, target))
        )
        rounded = ((target, (one,)) for a, one in values if a != target and _rounds(target, a))
        for x, of in chain(rounded, found, of_two, _sums(pool)):
            if abs(target - x) < min(near, ROUNDED * x) or target == x:
                return of
    return ()


def addends(figure: Figure, pool: Sequence[Figure], listed: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the two of a pool, or the neighbours in a list, whose sum or difference a number is.

    >>> total, *flats = figures_in("132 of 42, 56 and 34")
    >>> addends(total, flats, flats) == tuple(flats), addends(flats[0], [total], flats)
    (True, ())
    """
    values = [(value, other) for other in pool[:MAX_POOL] for value in _values(other)]
    of_two = (
        (x, (one, two))
        for (a, one), (b, two) in combinations(values, 2)
        for x in (a + b, abs(a - b))
    )
    targets = _values(figure)
    return next((of for x, of in chain(of_two, _sums(listed)) if x in targets), ())


def _sums(listed: Sequence[Figure]) -> Iterator[tuple[Decimal, tuple[Figure, ...]]]:
    """Yield the sums of three or more neighbours, read with marks for thousands or for decimals."""
    numbers = [one for one in listed[:MAX_POOL] if _values(one)]
    for reading in (max, min):
        values = [reading(_values(one)) for one in numbers]
        for start in range(len(values)):
            for more, total in islice(enumerate(accumulate(values[start:]), 1), 2, None):
                yield total, tuple(numbers[start : start + more])


def _combined(one: Decimal, other: Decimal) -> Iterator[Decimal]:
    yield from (one + other, abs(one - other), one * other)
    for high, low in ((one, other), (other, one)):
        if low:
            yield from (high / low, 100 * high / low, abs(100 * (high - low) / low))


def _by_percentage(one: Decimal, other: Decimal, target: Decimal) -> Iterator[Decimal]:
    """Yield each number more or less by the other one's percentage, for a target of many digits."""
    if len(target.normalize().as_tuple().digits) >= UNLIKELY:
        for whole, part in ((one, other), (other, one)):
            yield from (whole * (1 + part / 100), whole * (1 - part / 100))


def _rounds(target: Decimal, value: Decimal) -> bool:
    unit = _last_digit(target, significant=True)
    fewer = unit > _last_digit(value, significant=True)
    return bool(target) and fewer and abs(value - target) <= min(unit / 2, ROUNDED * value)


def _last_digit(value: Decimal, *, significant: bool) -> Decimal:
    exponent = int(value.normalize().as_tuple().exponent)
    return Decimal(10) ** (exponent if significant else min(exponent, 0))


def _values(figure: Figure) -> list[Decimal]:
    readings = frozenset[str]().union(*(one.readings for one in (figure, *figure.parts)))
    return [
        Decimal(r)
        for r in sorted(readings)
        if r.replace(".", "", 1).isdigit() and len(r) <= MAX_DIGITS
    ]


def _readings(text: str) -> frozenset[str]:
    if "/" in text:
        units, above, below = map(int, re.split("[ /]", text))
        return frozenset({_decimal(str(units + Decimal(above) / below))})
    bare = text.replace("'", "").replace(" ", "")
    marks = [c for c in bare if c in ".,"]
    thousands = re.fullmatch(r"\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)", bare)
    found = {_decimal(re.sub(r"\D", "", bare))} if thousands or not marks else set()
    if len(marks) == 1:
        found.add(_decimal(bare.replace(",", ".")))
    elif len(set(marks)) == 2 and marks.count(marks[-1]) == 1:  # noqa: PLR2004 (both marks)
        whole, _, fraction = bare.rpartition(marks[-1])
        found.add(_decimal(f"{re.sub(r'[.,]', '', whole)}.{fraction}"))
    if len(marks) > 1 and not found:
        found |= {bare, *(map(_decimal, bare.split(",")) if "." not in marks else ())}
    return frozenset(found)


def _number(text: str) -> Figure:
    """Return a number; a time also as a clock of twelve hours has it, with its parts."""
    clock = _CLOCK.fullmatch(text)
    if not clock:
        return Figure(text, _readings(text))
    hours, minutes = clock.groups()
    time = f"{int(hours)}:{minutes}"
    if ":" not in text:
        return Figure(text, _readings(text) | {time})
    parts = tuple(Figure(part, _readings(part)) for part in (hours, minutes))
    short = f"{int(hours) % HOURS}:{minutes} of {HOURS}"
    return Figure(text, frozenset({time, short}), parts)


def _decimal(digits: str) -> str:
    return digits if len(digits) > MAX_POWER else f"{Decimal(digits).normalize(_EXACT):f}"


def _power(match: re.Match[str]) -> Figure:
    """Return a power; its exponent may have lost its place above the line: 2^64, "264"."""
    factor, base, exponent, mantissa, by = match.groups()
    if mantissa:
        factor, base, exponent = mantissa, "10", by
    size = exponent.lstrip("+-")
    readings = set() if mantissa else {f"{base}^{size}", f"{base}{size}", f"{base} {size}"}
    if len(base) * len(size) <= MAX_DIGITS and len(base) * int(size) <= MAX_POWER:
        value = Decimal(int(base) ** int(size))
        value = 1 / value if exponent.startswith("-") and value else value
        readings.add(_decimal(str(value * Decimal((factor or "1").replace(",", ".")))))
    return Figure(match[0], frozenset(readings))
