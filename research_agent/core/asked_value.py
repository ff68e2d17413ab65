"""What kind of value a question asks for, and whether an answer gives one.

An answer to "How many bytes ...?" that holds no number does not answer, however well its
sentences are supported. Answer types are an old means of question answering (Li and Roth,
"Learning Question Classifiers", COLING 2002); here only those are told apart that a text shows
by its form.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from research_agent.core.asked_words import ASKED_WORDS, AskedWords
from research_agent.core.question_words import ENGLISH, spelled
from research_agent.core.support import COMPOUND, NUMBER, numbers
from research_agent.core.words import fold

Asked = Literal["", "a number", "a time", "a name", "an identifier"]
REFERENCE = re.compile(
    rf"\b(?:{spelled((*ENGLISH.numbered, 'step', 'page', 'note', 'part', 'item', 'line'))})s?"
    r"\s+[\d.]+",
    re.IGNORECASE,
)
"""A number that only says where something stands, such as Table 3."""
SERIES = re.compile(r"\b[A-Z]{2,}\s+\d[\w.-]*")
"""A number that is part of a name, such as FIPS 203."""
MEASURED = re.compile(
    r"\d[\d.,\u2009 ]*\s*-?(?:bytes?|octets?|bits?|[kmg]i?b|ms|seconds?|minutes?|hours?|days?"
    r"|weeks?|months?|years?|percent|times)\b|\d[\d.,]*\s*%",
    re.IGNORECASE,
)
"""A quantity: it identifies nothing."""
ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|[a-z]+teenth|\d+(?:st|nd|rd|th)|ke-?\d+)\b",
    re.IGNORECASE,
)
"""A place in an order: "the fourth round" counts nothing."""
YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20|21)\d\d(?![\d,]|\.\d)")
UPPER_NAME = re.compile(r"(?<!^)(?<![.!?:] )\b[A-Z][\w'-]+")


def asked_value(question: str) -> Asked:
    """Return what a question asks for, empty where its words do not tell.

    >>> asked_value("How many bytes has the key?"), asked_value("When was it published?")
    ('a number', 'a time')
    >>> asked_value("Which TLS code point is assigned to it?"), asked_value("What is a KEM?")
    ('an identifier', '')
    """
    plain = fold(question)
    for words in ASKED_WORDS:
        if _found(words.date, plain, words):
            return "a time"
        if _found(words.quantity, plain, words) or _wanted(words, "measure").search(plain):
            return "a number"
        if _found(words.name, plain, words):
            return "a name"
        if _wanted(words, "identifier").search(plain):
            return "an identifier"
    return ""


def lacking(question: str, sentences: Sequence[str]) -> Asked:
    """Return what a question asks for and none of the sentences gives; empty where one does.

    A value that the question itself holds is not given by repeating it.

    >>> lacking("How many bytes has it?", ["This is given in Table 3."])
    'a number'
    >>> lacking("How many rounds were there?", ["It was in the fourth round."])
    'a number'
    >>> lacking("How many bytes has it?", ["It has 768 bytes."])
    ''
    """
    asked = asked_value(question)
    return "" if not asked or any(_gives(asked, text, question) for text in sentences) else asked


def _gives(asked: Asked, text: str, question: str) -> bool:
    plain = fold(text)
    if asked == "a number":
        return bool(_figures(text) - numbers(question)) or _any("figures", plain)
    if asked == "a time":
        said = set(NUMBER.findall(REFERENCE.sub(" ", COMPOUND.sub(" ", text))))
        return bool(said - numbers(question)) or _any("times", plain)
    if asked == "an identifier":
        old = set(re.findall(r"[\w.-]*\d[\w.-]*", fold(question)))
        left = MEASURED.sub(" ", REFERENCE.sub(" ", plain))
        return bool(set(re.findall(r"[\w.-]*\d[\w.-]*", left)) - old)
    known = fold(question)
    return any(fold(name) not in known for name in UPPER_NAME.findall(text))


def _figures(text: str) -> frozenset[str]:
    """Return the numbers that count or measure something: no years, no places, no ordinals."""
    for pattern in (REFERENCE, SERIES, YEAR, ORDINAL):
        text = pattern.sub(" ", text)
    return numbers(text)


def _any(which: Literal["figures", "times"], plain: str) -> bool:
    return any(_found(getattr(words, which), plain, words) for words in ASKED_WORDS)


def _found(wanted: tuple[str, ...], plain: str, words: AskedWords) -> bool:
    return bool(_pattern(wanted, words.spaced).search(plain))


@cache
def _pattern(wanted: tuple[str, ...], spaced: bool) -> re.Pattern[str]:  # noqa: FBT001 (a key of the cache)
    found = spelled(wanted)
    return re.compile(rf"\b(?:{found})(?!\w)" if spaced else f"(?:{found})")


@cache
def _wanted(words: AskedWords, kind: Literal["measure", "identifier"]) -> re.Pattern[str]:
    """Return the pattern of "which ... version": few words in between, none that joins."""
    which, what = spelled(words.which), spelled(getattr(words, kind))
    if not words.spaced:
        return re.compile(f"(?:{what}).{{0,6}}(?:{which})|(?:{which})(?:{what})")
    return re.compile(rf"\b(?:{which})\s+(?:(?!of\b)[\w-]+\s+){{0,3}}(?:{what})(?!\w)")
