"""Refusals: the one text of a refusal, its reasons, and the many ways in which models refuse.

A sentence that says that the documents do not say something is no claim, unless the words that
carry it say no or not themselves: then it is what a document truly says.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from research_agent.core.claims import MARKER, Claim, bare, is_shown
from research_agent.core.refusal_wordings import ENGLISH, LONGEST, Wordings, compiled
from research_agent.core.refusal_wordings_more import CHINESE, FRENCH, GERMAN, INDONESIAN, SPANISH
from research_agent.core.sentences import sentence_spans
from research_agent.core.words import fold

REFUSAL = "not found in provided docs"
Refused = Literal[
    "",
    "no_evidence",
    "insufficient_evidence",
    "unsupported_draft",
    "wrong_scope",
    "model_failed",
    "budget",
]
"""Why nothing was answered (docs/answers.md); empty where something was."""

LANGUAGES = (ENGLISH, INDONESIAN, CHINESE, GERMAN, FRENCH, SPANISH)
MISSING = "it says that something is missing, and no quote says so"
"""The problem of a claim that is none."""
_WRAPPING = " \n\t\"'`*_.!\u3002\uff01\u201c\u201d\u2019()"
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'"})
MOST = 1600
"""Characters of a refusal; a longer text says more than that."""


def is_refusal(text: str) -> bool:
    """Return whether a model's whole reply is a refusal, in any wording or language known.

    A reply that also says something else is none, and neither is one that may say what a document
    truly says: that is left to the quotes (`without_missing`).

    >>> is_refusal("Not found in provided docs. [c1]"), is_refusal("It says `not found` [c1].")
    (True, False)
    >>> is_refusal("Sorry, the provided context does not mention this. Please give more details.")
    True
    >>> is_refusal("The documents do not give the price, but the weight is 5 kg [c1].")
    False
    """
    if len(text) > MOST:
        return False
    spans = sentence_spans(text)
    kinds = [kind for start, end in spans for kind in _kinds(text[start:end])]
    return "sure" in kinds and set(kinds) <= {"sure", "after"}


def says_missing(sentence: str) -> bool:
    """Return whether a sentence says nothing but that the documents do not say something.

    >>> says_missing("The document does not specify the colour."), says_missing("It is not red.")
    (True, False)
    """
    kinds = list(_kinds(sentence))
    return bool(kinds) and set(kinds) <= {"sure", "perhaps"}


def without_missing(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims, with those that only say what is missing made unsupported.

    One whose quote says no or not stays: "FIPS 203 does not specify …" may be a true statement.
    Of a claim that says something and that something else is missing, both parts are told apart.

    >>> from research_agent.core.support import Support
    >>> quote = Support(0.9, "The hose has 5 m and is red.")
    >>> said = Claim("It has 5 m, but the document does not specify who made it.", ("c1",),
    ...     (quote,), "supported")
    >>> [(claim.text, claim.verdict) for claim in without_missing([said])]
    [('It has 5 m.', 'supported'), ('the document does not specify who made it.', 'unsupported')]
    """
    return tuple(part for claim in claims for part in _parted(claim))


def is_all_missing(claims: Sequence[Claim]) -> bool:
    """Return whether a draft has sentences, and each one only says what is missing."""
    return bool(claims) and all(claim.problem == MISSING for claim in claims)


def _parted(claim: Claim) -> Iterator[Claim]:
    """Yield a claim, or its parts where it says something and that something is missing."""
    if _is_negated(claim):
        yield claim
    elif says_missing(claim.text):
        yield _missing(claim, claim.text)
    elif parts := (_parts(claim.text) if is_shown(claim) else ()):
        said, missing = parts
        yield replace(claim, text=said)
        yield _missing(claim, missing)
    else:
        yield claim


def _is_negated(claim: Claim) -> bool:
    quotes = [_plain(quote.quote) for quote in claim.quotes]
    return any(compiled(words.negation).search(quote) for quote in quotes for words in LANGUAGES)


def _missing(claim: Claim, text: str) -> Claim:
    return replace(claim, text=text, keys=(), quotes=(), verdict="unsupported", problem=MISSING)


def _parts(sentence: str) -> tuple[str, str] | None:
    """Return what a sentence says, and what it says is missing; None for any other sentence."""
    for words in LANGUAGES:
        for match in compiled(words.contrast).finditer(sentence):
            said, missing = sentence[: match.start()], sentence[match.end() :]
            if says_missing(missing) and not set(_kinds(said)) & {"sure", "perhaps"}:
                end = sentence[-1] if sentence[-1] in ".!\u3002\uff01" else "."
                return f"{said.rstrip(',;: ')}{end}", missing
    return None


def _kinds(sentence: str) -> Iterator[str]:
    """Yield what each clause of a sentence is: "sure", "perhaps", "after" or "other"."""
    cited = bool(MARKER.search(sentence))
    plain = _plain(bare(sentence))
    if any(c.isalnum() for c in plain):
        yield from _told(plain, cited=cited)


@lru_cache(maxsize=1024)
def _told(plain: str, *, cited: bool) -> tuple[str, ...]:
    """Return the kinds of the clauses, in the language that knows most of them."""
    order = ("other", "after", "perhaps", "sure")
    told = [tuple(_clauses(plain, words, cited=cited)) for words in LANGUAGES]
    return max(told, key=lambda kinds: min(map(order.index, kinds), default=0))


def _clauses(plain: str, words: Wordings, *, cited: bool) -> Iterator[str]:
    rest = _without_lead(plain, words)
    clauses = compiled(words.contrast).split(rest)
    if len(clauses) == 1:
        yield _kind(rest, words, cited=cited)
        return
    for clause in filter(str.strip, clauses):
        yield _kind(_without_lead(clause, words), words, cited=cited)


def _without_lead(text: str, words: Wordings) -> str:
    text = text.strip(_WRAPPING)
    while match := compiled(words.lead).match(text):
        text = text[match.end() :].strip(_WRAPPING + ",;:")
    return text


def _kind(clause: str, words: Wordings, *, cited: bool) -> str:
    if not clause:
        return "after"
    if len(clause) <= LONGEST and compiled(words.sure).fullmatch(clause):
        return "sure"
    if len(clause) <= LONGEST and compiled(words.perhaps).fullmatch(clause):
        return "perhaps"
    return "after" if not cited and compiled(words.after).fullmatch(clause) else "other"


def _plain(text: str) -> str:
    """Return a text as the wordings are written: folded, on one line, with plain apostrophes."""
    return re.sub(r"\s+", " ", fold(text.translate(_QUOTES)))
