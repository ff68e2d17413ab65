"""Numbers, dates, identifiers and quotations of a sentence, and which of them evidence holds.

Everything here is arithmetic or string identity, so it is the same in any language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from research_agent.text.content_words import STEM
from research_agent.text.figures import (
    DateFigure,
    Figure,
    addends,
    dates_in,
    figures_in,
    is_power,
    operands,
    plain,
)
from research_agent.text.identifiers import quotations
from research_agent.text.sentences import without_reference_marks

FactKind = Literal["number", "date", "identifier", "quotation"]
FactStatus = Literal["held", "computed", "missing"]

COUNTED = 12
"""Whole numbers up to this one may be counted from a list, or be spelled as a word."""
_COUNTED = frozenset(map(str, range(COUNTED + 1)))
MAX_FACTS = 64
"""Facts of one kind that are looked at in one sentence."""
PLAIN = 3
"""Letters of a compound's part that may be short for something; more are a word."""
MAX_NAME = 64
"""Characters of an identifier; a longer one is data."""
_CAPITALS = "".join(filter(str.isupper, map(chr, range(0x2000))))
_SMALL = "".join(filter(str.islower, map(chr, range(0x2000))))
_CASED = rf"[{_CAPITALS}{_SMALL}]"
"""Letters of scripts with capitals; only such a letter beside a name makes it another name."""
_TOKEN = re.compile(rf"(?:{_CASED}|\d)+(?:[-_./]+(?:{_CASED}|\d)+)*")
_WITH_UNIT = re.compile(rf"\d[\d.,/]*(?:[-/]?{_CASED}+)?(?:[-./]\d+)*")
_NAMED = re.compile(
    rf"{_CASED}.*\d|\d.*{_CASED}"  # letters with digits
    rf"|[{_CAPITALS}]{{2}}|[{_SMALL}][{_CAPITALS}]"  # capitals in a row, camelCase
    rf"|{_CASED}{{2}}\.{_CASED}{{2}}|{_CASED}_|_{_CASED}"  # dotted, snake_case
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RUNS = re.compile(r"\d+|[^\W\d_]+")
_WORDS = re.compile(r"[^\W_]+")
_GAP = re.compile(r"\[?(?:\.{3}|\u2026)\]?")
_NUMBERING = re.compile(r"^\s*\(?\d{1,3}(?:\.\d{1,3})*[.)]\s")


@dataclass(frozen=True, slots=True)
class Fact:
    """A number, date, identifier or quotation of a sentence."""

    kind: FactKind
    text: str
    """As the sentence has it, in plain typography."""
    status: FactStatus
    """"held": the evidence has it; "computed": it may follow from numbers there, or be counted;
    "missing": neither."""
    operands: tuple[str, ...] = ()
    """Of a computed number: the numbers that it is computed of."""

    @property
    def is_missing_number(self) -> bool:
        """Whether it is a number that the evidence neither has nor lets be computed."""
        return self.kind == "number" and self.status == "missing"

    def added(self, near: Sequence[Figure], listed: Sequence[Figure]) -> "Fact":
        """Return a missing number as computed where figures add up to it (`addends`)."""
        found = addends(figures_in(self.text)[0], near, listed) if self.is_missing_number else ()
        made_of = tuple(figure.text for figure in found)
        return replace(self, status="computed", operands=made_of) if made_of else self


@dataclass(frozen=True, slots=True)
class _Evidence:
    text: str
    words: str
    """Letters and digits alone, in lower case, with a space around each word."""
    readings: frozenset[str]
    dates: frozenset[tuple[int, int, int]]


def hard_facts(
    sentence: str, texts: Sequence[str], *, window: str = "", earlier: Sequence[Fact] = ()
) -> tuple[Fact, ...]:
    """Return numbers, dates, identifiers and quotations of a sentence, with what becomes of each.

    A number is "computed" if it is a sum, difference, product, ratio, percentage or rounding of
    other numbers of the sentence and `earlier` numbers, or of those in `window`, the evidence
    nearest to it.

    >>> facts = hard_facts("ML-KEM-768 has 1,184 bytes, not 99.", ["ML KEM 768: 1184"])
    >>> [(fact.text, fact.status) for fact in facts]
    [('1,184', 'held'), ('99', 'missing'), ('ML-KEM-768', 'held')]
    """
    plain_text = plain(_NUMBERING.sub("", without_reference_marks(sentence), count=1))
    held = _evidence(tuple(texts))
    names, rest = _identifiers(plain_text)
    dates = dates_in(rest)
    for date in dates:
        rest = rest.replace(date.text, " ")
    figures = figures_in(rest)[:MAX_FACTS]
    others = (*figures, *(one for fact in earlier for one in figures_in(fact.text)[:1]))
    near, made = figures_in(plain(window)), {fact.text: fact.operands for fact in earlier}
    found = [_number(one, held, others, near) for one in figures]
    facts = [
        replace(fact, operands=tuple(of for one in fact.operands for of in made.get(one) or (one,)))
        for fact in found
    ]
    facts += [_fact("date", one.text, held=_is_dated(one, held)) for one in dates[:MAX_FACTS]]
    facts += [_fact("identifier", name, held=_stands(name, held.text)) for name in names]
    quoted = [text for text in quotations(plain_text) if _WORDS.search(text)][:MAX_FACTS]
    facts += [_fact("quotation", text, held=_is_quoted(text, held.words)) for text in quoted]
    return tuple(facts)


def own_readings(text: str) -> frozenset[str]:
    """Return every reading of every number in a text, also of those in names and dates."""
    return _evidence((text,)).readings


def is_identified(name: str, text: str) -> bool:
    """Return whether a text holds an identifier, however its parts are joined."""
    return _stands(name, plain(text).casefold())


def _fact(kind: FactKind, text: str, *, held: bool) -> Fact:
    return Fact(kind, text, "held" if held else "missing")


def _is_dated(date: DateFigure, held: _Evidence) -> bool:
    same = not date.readings.isdisjoint(held.dates)
    return same or any(parts <= held.readings for parts in date.parts)


def _number(one: Figure, held: _Evidence, others: Sequence[Figure], near: Sequence[Figure]) -> Fact:
    if one.stands_in(held.readings):
        return Fact("number", one.text, "held")
    if one.text in _COUNTED:
        return Fact("number", one.text, "computed")
    rest = [other for other in others if other != one]
    if one.parts:
        apart = {_number(part, held, rest, near).status for part in one.parts}
        return Fact("number", one.text, "missing" if "missing" in apart else "computed")
    made_of = tuple(other.text for other in operands(one, rest) or operands(one, near))
    return Fact("number", one.text, "computed" if made_of else "missing", made_of)


@lru_cache(maxsize=64)
def _evidence(texts: tuple[str, ...]) -> _Evidence:
    text = "\n".join(plain(text) for text in texts)
    figures = [each for one in figures_in(text) for each in (one, *one.parts)]
    readings = {reading for figure in figures for reading in figure.readings}
    dates = dates_in(text)
    readings |= {str(number) for date in dates for one in date.readings for number in one}
    folded = text.casefold()
    return _Evidence(
        text=folded,
        words=f" {' '.join(_WORDS.findall(folded))} ",
        readings=frozenset(readings),
        dates=frozenset(reading for date in dates for reading in date.readings),
    )


def _identifiers(text: str) -> tuple[list[str], str]:
    """Return the names made of capitals, of letters with digits or as code, and the other text.

    A number with its unit, such as "384-bit", is no name.
    """
    names: dict[str, None] = {}

    def blanked(match: re.Match[str]) -> str:
        token = match[0]
        if not _NAMED.search(token) or _WITH_UNIT.fullmatch(_parted(token)[0]) or is_power(token):
            return token
        if len(token) <= MAX_NAME:
            names[token] = None
        return " " * len(token)

    rest = _TOKEN.sub(blanked, text)
    return list(names)[:MAX_FACTS], rest


def _stands(name: str, text: str) -> bool:
    """Return whether a text in lower case holds a name, however its parts are joined.

    Plain words of a compound may be elsewhere, in other forms: "PDF-Datei" is held by "PDF-Dateien"
    and by "a Datei as PDF".
    """
    name, words = _parted(name)
    singular = name[:-1] if name[-1] == "s" and name[-2:-1].isupper() else name
    parts = [part.casefold() for part in _RUNS.findall(_CAMEL.sub(" ", singular))]
    before = r"(?<!\d)" if parts[0].isdigit() else rf"(?<!{_CASED})"
    after = r"(?!\d)" if parts[-1].isdigit() else rf"s?(?!{_CASED})"
    joined = r"[\W_]{0,3}".join(re.escape(part) for part in parts)
    forms = (rf"(?<!{_CASED}){re.escape(word.casefold()[:STEM])}" for word in words)
    return all(re.search(found, text) for found in (f"{before}{joined}{after}", *forms))


def _parted(name: str) -> tuple[str, list[str]]:
    """Return a compound without plain words at its ends, and these, as long as it is a name.

    >>> _parted("64-Bit-Architektur"), _parted("Kunden-ID"), _parted("Windows-10")
    (('64-Bit', ['Architektur']), ('ID', ['Kunden']), ('Windows-10', []))
    """
    parts, words = name.split("-"), list[str]()
    for end in (-1, 0):
        while len(word := parts[end]) > PLAIN and word.isalpha() and word[1:].islower():
            rest = parts[:-1] if end else parts[1:]
            if not _NAMED.search("-".join(rest)):
                break
            parts = rest
            words.append(word)
    return "-".join(parts), words


def _is_quoted(quoted: str, words: str) -> bool:
    parts = (" ".join(_WORDS.findall(part)) for part in _GAP.split(quoted.casefold()))
    return all(f" {part} " in words or (part in words and not part.isascii()) for part in parts)
