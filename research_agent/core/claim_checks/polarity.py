"""Negations that came, went, or belong to another word."""

from dataclasses import replace

from research_agent.core.claim_checks.compared import Compared, behind, clause
from research_agent.core.claim_checks.reading import Statement, Word
from research_agent.core.claim_checks.words import Mark, root

PREFIXES = ("non-", "non", "un", "in", "im", "ir", "il", "dis", "tidak-")
LEAST_BASE = 3
"""Letters that are left of a word without its negating beginning."""
NEGATION = Mark("neg", "own")
SCOPE = 3
"""Words behind a negation of which one at least is what it negates."""
BEFORE = 2
"""Words before a negation that it may belong to, as in "no longer", "is prohibited"."""


def with_prefixes(one: Statement, other: Statement) -> Statement:
    """Return a statement in which "invalid" is a negated "valid", where the other says "valid".

    >>> from research_agent.core.claim_checks.reading import read
    >>> [w.form for w in with_prefixes(read("invalid key"), read("not a valid key")).words]
    ['valid', 'key']
    """
    words = tuple(
        _without_prefix(word, other) if word.content and not other.at(word.form) else word
        for word in one.words
    )
    if words == one.words:
        return one
    places: dict[str, tuple[int, ...]] = dict(one.places)
    for place, word in enumerate(words):
        if word.has("neg") and word is not one.words[place]:
            places[word.form] = (*places.get(word.form, ()), place)
    return Statement(words, places)


def _without_prefix(word: Word, other: Statement) -> Word:
    for prefix in PREFIXES:
        base = word.text.removeprefix(prefix)
        if base != word.text and len(base) >= LEAST_BASE and other.at(root(base)):
            return replace(word, form=root(base), marks=word.marks | {NEGATION})
    return word


def flipped(both: Compared) -> str:
    """Return which word is negated on one side only; empty where none is.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("The key is reused."), read("The key is not reused.")
    >>> flipped(Compared(said, quoted))
    'the evidence negates "reused"'
    """
    ruled = _kinds(both.said), _kinds(both.quoted)
    if any("unless" in one and "only" in other for one, other in (ruled, ruled[::-1])):
        return ""
    return _added(both) or _lost(both)


def _added(both: Compared) -> str:
    """Return which negation of the sentence the evidence does not have."""
    for place in both.said.having("neg"):
        if _is_said(both.said.words[place], both.quoted):
            continue
        every = _aims(both.said, place)
        if every and both.pairs[every[0]] is None and both.quoted.having("neg"):
            continue
        aims = [i for i in every if both.pairs[i] is not None]
        others = [other for i in aims if (other := both.pairs[i]) is not None]
        forms = {both.said.words[i].form for i in aims}
        others += [i for form in forms for i in both.quoted.at(form) if _is_own(both.quoted, i)]
        if aims and not any(_is_negated(both.quoted, other) for other in others):
            return f'the evidence does not negate "{both.said.words[aims[0]].text}"'
    return ""


def _lost(both: Compared) -> str:
    """Return which negation of the evidence the sentence does not have."""
    for place in both.quoted.having("neg"):
        if _is_said(both.quoted.words[place], both.said):
            continue
        aims = [i for i in _aims(both.quoted, place)[:2] if i in both.back]
        if aims and not any(_is_negated(both.said, both.back[i]) for i in aims):
            return f'the evidence negates "{both.quoted.words[aims[0]].text}"'
    return ""


def _is_own(statement: Statement, place: int) -> bool:
    """Return whether a word negates itself, as "invalid" does."""
    return NEGATION in statement.words[place].marks


def _kinds(statement: Statement) -> frozenset[str]:
    words = (statement.words[i] for i in statement.having("condition"))
    only = {"only"} if statement.having("only") else set()
    return frozenset(word.value_of("condition") for word in words) | only


def _is_said(word: Word, other: Statement) -> bool:
    """Return whether a word such as "forbidden" stands in the other text too."""
    return Mark("neg", "both") in word.marks and bool(other.at(word.form))


def _aims(statement: Statement, place: int) -> tuple[int, ...]:
    """Return the words that a negation may negate."""
    word = statement.words[place]
    if NEGATION in word.marks:
        return (place,)
    aims = behind(statement, place, SCOPE)
    if any(mark == Mark("neg", "both") for mark in word.marks):
        before = [i for i in clause(statement, place) if i < place and statement.words[i].content]
        return (*before[-BEFORE:], *aims)
    return aims


def _is_negated(statement: Statement, place: int) -> bool:
    """Return whether a word stands in what a negation or an exception rules."""
    own = statement.words[place]
    if NEGATION in own.marks:
        return True
    for i in statement.having("neg"):
        word = statement.words[i]
        if NEGATION in word.marks:
            continue
        near = word.clause == own.clause or place in _aims(statement, i)
        before = Mark("neg", "both") in word.marks
        if near and (i < place or before):
            return True
    exceptions = (i for i in statement.having("condition") if i < place)
    return any(
        statement.words[i].value_of("condition") == "unless"
        and statement.words[i].clause == own.clause
        for i in exceptions
    )
