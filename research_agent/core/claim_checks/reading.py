"""A sentence or quote as words, each with what it does, its clause and its value."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

from research_agent.core.claim_checks.inflection import root
from research_agent.core.claim_checks.synonyms import groups_of
from research_agent.core.claim_checks.words import (
    LEAST_COUNTED,
    NUMBER_WORDS,
    Mark,
    marks_of,
    phrases,
)
from research_agent.core.reference_marks import without_reference_marks
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.words import STOP_WORDS, fold

_DENSE = "\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
_LETTER = rf"(?:(?![{_DENSE}])[^\W_])"
_TOKEN = re.compile(
    rf"(?P<name>(?!(?:In|At|By|On|The|Of|Since|After|Before|For|And|From|Until|About|Over|To|With)"
    rf"\b)[A-Z]{_LETTER}*(?:[-.]{_LETTER}+)*\.?[ \u00a0]\d+(?:[-.]\d+)*(?![\w%])(?!,\d))"
    r"|(?P<letter>(?<=['\u2018\"\u201c])[A-Za-z](?=['\u2019\"\u201d]))"
    rf"|(?P<number>(?<![A-Za-z\d_])(?<![A-Za-z\d][-./])(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)*)"
    rf"(?![-./]?\d)(?!{_LETTER}*\d)(?![-/]{_LETTER}*\d))"
    rf"|(?P<dense>[{_DENSE}])"
    rf"|(?P<word>{_LETTER}+(?:[-._/'\u2019+]{_LETTER}+)*)"
    r"|(?P<sign>[%$\u20ac\u2030\u2264\u2265]|[<>]=?(?=\s*\d)|\u00b0[CF])"
    r"|(?P<end>[.!?](?=\s+[\"'(\u201c]?[A-Z\d]|\s*$)|[\u3002\uff01\uff1f]|\n\s*\n)"
    r"|(?P<part>[,;:()|\u2014\u2022\uff0c\uff1b\uff1a\u3001]|\s\u2013\s|\n)"
)
_TRAILING = re.compile(r"^(\d+(?:\.\d*[1-9])?)\.?0*$")
_THIN = re.compile(r"(?<=\d)[\u2009\u202f\u00a0](?=\d{3}(?!\d))")
_AROUND_YEAR = re.compile(r"\b(mid|early|late|pre|post)-(?=\d{4}\b)", re.IGNORECASE)
_DATE = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Januari|Februari|Maret|Mei|Juni|Juli|Agustus|Oktober|Desember"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)[ \u00a0](?=\d)"
)
_HAPPEN = re.compile(r"\bt(?:ake|akes|ook|aken|aking) place\b", re.IGNORECASE)
_AS_LONG = re.compile(r"\bas (?:long|much|many|far|high|late) as(?= \d| (?:two|three|four|five)\b)")
_NOT = re.compile(r"(?:\bca)?n['\u2019]t\b", re.IGNORECASE)
_SUFFIX = re.compile(r"(?<=\w)['\u2019]s\b|(?<=s)['\u2019](?=\s)")
REFERENCE = re.compile(r"\s*\[[A-Za-z]{0,8}\d+[a-z]?(?:,\s*[A-Za-z]{0,8}\d+[a-z]?)*\]")
"""A reference number of a page, such as [4] or [RS10], or a citation key in its text."""
_MARKUP = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_ODD = re.compile(r"(?=.*[A-Z].*[A-Z]|.*\d|[a-z].*[A-Z])")
_FUNCTION = frozenset(
    word for words in LANGUAGES for word in words.function if " " not in word
) - frozenset(
    ["used", "case", "cases", "process", "method", "specific", "different", "current", "langkah",
     "hal"]
)  # fmt: skip
_SILENT = frozenset(
    ["neg", "spared", "modal", "quantity", "only", "bound", "condition", "be", "agent", "break"]
)
PLACING = frozenset(["until", "above"])
"""Opposites that say nothing of their own: they place what stands behind them."""
MAY = 5
"""The month that is written like a modal verb."""
JOINING = frozenset(["and", "or", "dan", "atau"])
"""Words that join clauses, or things."""
AUXILIARIES = frozenset(
    ["will", "may", "must", "shall", "can", "should", "would", "does", "do", "did", "is", "are",
     "was", "were", "has", "have", "had", "akan", "harus", "boleh", "dapat", "telah"]
)  # fmt: skip
"""Words after which a joined clause has its verb."""
LONGEST = 4
"""Words, or characters, of the longest phrase."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, phrase, number, name or character."""

    text: str
    """Folded."""
    form: str
    """What inflected words, and ways of writing a name, have in common."""
    marks: frozenset[Mark] = frozenset()
    sentence: int = 0
    clause: int = 0
    value: str = ""
    """Of a number, or of a number word from two on."""
    name: bool = False
    content: bool = False
    """Whether it says what the sentence is about."""
    capital: bool = False
    """Whether it is written with a capital letter."""

    @property
    def family(self) -> str:
        """A name without its numbers; the name itself where nothing else is left."""
        return re.sub(r"\d+.*|(?<=').'", "", self.form) or self.form

    def has(self, kind: str) -> bool:
        """Return whether it does something of this kind."""
        return any(mark.kind == kind for mark in self.marks)

    def value_of(self, kind: str) -> str:
        """Return what it does of this kind; empty where nothing."""
        found = [mark.value for mark in self.marks if mark.kind == kind]
        return min(found) if found else ""


@dataclass(frozen=True)
class Statement:
    """A text as words."""

    words: tuple[Word, ...]
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict, compare=False)
    """Where each form, value and group of synonyms stands."""

    def at(self, form: str) -> tuple[int, ...]:
        """Return where a form stands."""
        return self.places.get(form, ())

    def like(self, word: Word) -> tuple[int, ...]:
        """Return where a word stands, or one that may stand for it."""
        own = self.at(word.value or word.form)
        if own or word.value or word.name:
            return own
        return tuple(place for group in groups_of(word.form) for place in self.at(group))

    @cached_property
    def _kinds(self) -> Mapping[str, tuple[int, ...]]:
        found: dict[str, list[int]] = {}
        for place, word in enumerate(self.words):
            for kind in {mark.kind for mark in word.marks}:
                found.setdefault(kind, []).append(place)
        return {kind: tuple(places) for kind, places in found.items()}

    def having(self, kind: str) -> tuple[int, ...]:
        """Return the places of the words that do something of this kind."""
        return self._kinds.get(kind, ())


@lru_cache(maxsize=2048)
def read(text: str) -> Statement:
    """Return a text as words.

    >>> [w.form for w in read("The ML-KEM-768 keys shall not be reused.").words if w.content]
    ['mlkem768', 'key', 'reus']
    """
    plain = _MARKUP.sub("", _SUFFIX.sub("", _NOT.sub(" not", without_reference_marks(text))))
    plain = _AROUND_YEAR.sub(r"\1 ", _THIN.sub("", plain))
    plain = _DATE.sub(r"\1  ", _HAPPEN.sub("happen", _AS_LONG.sub("up to", plain)))
    tokens = list(_TOKEN.finditer(unicodedata.normalize("NFKC", plain)))
    words: list[Word] = []
    at = sentence = clause = 0
    while at < len(tokens):
        kind = tokens[at].lastgroup
        if kind in {"end", "part"}:
            sentence += kind == "end"
            clause += 1
            at += 1
            continue
        size, word = _next(tokens, at, words[-1] if words else None)
        then = tokens[at + size].group() if at + size < len(tokens) else ""
        clause += _begins_clause(word, then, words)
        words.append(_placed(word, sentence, clause))
        at += size
    return Statement(tuple(words), _places(words))


def _begins_clause(word: Word, then: str, before: Sequence[Word]) -> bool:
    """Return whether a word begins a clause: "after 2030" does not, "and will" does."""
    if word.text in JOINING:
        dated = bool(before) and bool(before[-1].value) and then.endswith("ed")
        return dated or folded(then) in AUXILIARIES
    placing = word.value_of("condition") == "until" and then[:1].isdigit()
    return word.has("break") or (word.has("condition") and not placing)


def _placed(word: Word, sentence: int, clause: int) -> Word:
    return Word(
        word.text,
        word.form,
        word.marks,
        sentence,
        clause,
        word.value,
        word.name,
        word.content,
        word.capital,
    )


def _places(words: Sequence[Word]) -> Mapping[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        own = {word.form, word.value or word.form}
        for key in own.union(groups_of(word.form) if word.content else ()):
            found.setdefault(key, []).append(place)
    return {key: tuple(places) for key, places in found.items()}


def _next(tokens: Sequence[re.Match[str]], at: int, last: Word | None) -> tuple[int, Word]:
    """Return how many tokens the next word takes, and the word."""
    token = tokens[at]
    text, kind = token.group(), token.lastgroup
    if kind == "name" and not _is_month(text):
        return 1, Word(fold(text), letters(text), name=True, content=True)
    if kind == "name":
        text = text.split(maxsplit=1)[0]
        return 1, Word(fold(text), fold(text), marks_of(fold(text)), content=True)
    if kind in {"letter", "number"}:
        return 1, _sign(text, is_letter=kind == "letter")
    longest = min(LONGEST, len(tokens) - at) if folded(text) in beginnings() else 1
    for size in range(longest, 1, -1):
        key = tuple(folded(other.group()) for other in tokens[at : at + size])
        if key in phrases():
            joined = ("" if kind == "dense" else " ").join(key)
            marks = phrases()[key] | {m for word in key for m in marks_of(word) if _is_side(m)}
            return size, Word(joined, joined, marks, content=_says(phrases()[key]))
    if text == "May" and at + 1 < len(tokens) and tokens[at + 1].lastgroup == "number":
        return 1, Word("may", "may", frozenset([Mark("month", "", MAY)]), content=True)
    after_number = last is not None and bool(last.value) and last.text[:1].isdigit()
    bounded = last is not None and last.value_of("bound") in {"least", "most"}
    return 1, _word(text, after_number=after_number, bounded=bounded)


def _sign(text: str, *, is_letter: bool) -> Word:
    """Return a letter in quotation marks, or a number."""
    if is_letter:
        return Word(text, f"'{text}'", name=True, content=True)
    plain = text.replace(",", "")
    value = _TRAILING.sub(r"\1", plain) if plain.count(".") == 1 else plain
    return Word(text, value, value=value)


def _word(text: str, *, after_number: bool, bounded: bool) -> Word:
    plain = folded(text).strip("'\u2019")
    marks = frozenset(
        mark
        for mark in marks_of(plain)
        if (mark.kind != "unit" or after_number)
        and (mark.kind != "month" or (text[:1].isupper() and plain not in {"may", "mar"}))
    )
    if after_number and any(mark.kind == "unit" for mark in marks):
        marks = frozenset(mark for mark in marks if mark.kind == "unit")
    value = NUMBER_WORDS.get(plain, "")
    if value and int(value) < LEAST_COUNTED and not (bounded and value == "1"):
        value = ""
    if _ODD.match(text):
        return Word(plain, letters(plain), marks, name=True, content=True)
    silent = plain in STOP_WORDS or plain in _FUNCTION
    says = _says(marks) and (not silent or any(map(_is_side, marks)))
    capital = text[:1].isupper()
    return Word(plain, root(plain), marks, value=value, content=says, capital=capital)


def _is_side(mark: Mark) -> bool:
    return mark.kind == "opposite" and mark.value not in PLACING


def _says(marks: frozenset[Mark]) -> bool:
    if any(mark.kind in _SILENT for mark in marks):
        return any(map(_is_side, marks)) and not any(m.kind == "condition" for m in marks)
    return True


def _is_month(text: str) -> bool:
    return any(
        mark.kind == "month" for mark in marks_of(fold(text.split(maxsplit=1)[0]).strip("."))
    )


@lru_cache(maxsize=4096)
def folded(text: str) -> str:
    """Return `fold(text)`; of words, which are the same over and over.

    >>> folded("Keys")
    'keys'
    """
    return fold(text)


@cache
def beginnings() -> frozenset[str]:
    """Return the words that phrases begin with."""
    return frozenset(key[0] for key in phrases() if len(key) > 1)


@lru_cache(maxsize=4096)
def letters(text: str) -> str:
    """Return a name without the signs between its parts.

    >>> letters("FIPS 203"), letters("ML-KEM-768")
    ('fips203', 'mlkem768')
    """
    return "".join(char for char in fold(text) if char.isalnum())
