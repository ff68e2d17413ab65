"""A value of one clause of the evidence in a sentence that repeats another clause."""

from collections.abc import Iterator
from itertools import pairwise

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.pairing import FORBIDDING
from research_agent.core.claim_checks.reading import Statement, Word
from research_agent.core.claim_checks.values import are_alike
from research_agent.core.claim_checks.words import Mark

CLEARER = 2
"""So many more words of the sentence the other clause has to hold."""
COVERING = 0.7
"""Share of the words that it has to hold."""
Item = tuple[str, ...]
"""A word's form, or those of two characters that follow one another."""


def of_another_clause(both: Compared) -> str:
    """Return the value of the clause that a sentence repeats, where it has another clause's.

    >>> from research_agent.core.claim_checks.reading import read
    >>> quoted = read("A small car pays 6 euros an hour; vans of any kind pay 10 euros.")
    >>> of_another_clause(Compared(read("A small car pays 10 euros an hour."), quoted))
    'the evidence says 6 there, not 10'
    """
    for place, word in enumerate(both.said.words):
        own = both.quoted.at(word.value) if word.value else ()
        if not own:
            continue
        items = _items(both.said, word.clause)
        if not items:
            continue
        held = _held(both, items)
        own_items = [held.get(both.quoted.words[i].clause, frozenset()) for i in own]
        for i in _rivals(both, place, own):
            there = held.get(both.quoted.words[i].clause, frozenset())
            clearer = all(here <= there and len(here) + CLEARER <= len(there) for here in own_items)
            if clearer and len(there) >= COVERING * len(items):
                return f"the evidence says {both.quoted.words[i].text} there, not {word.text}"
    return ""


def _rivals(both: Compared, place: int, own: tuple[int, ...]) -> Iterator[int]:
    """Yield numbers with the same unit in other clauses, which the sentence does not say."""
    units = {_unit(both.quoted, i) for i in own} | {_unit(both.said, place)}
    clauses = {both.quoted.words[i].clause for i in own}
    values = [word.value for word in both.said.words]
    for i, other in enumerate(both.quoted.words):
        told = values.count(other.value) > len(both.said.at(both.said.words[place].value))
        alike = other.value and not told and other.clause not in clauses
        alike = (
            alike
            and are_alike(both, place, i)
            and len(other.value) <= len(both.said.words[place].value) + 1
        )
        if alike and _unit(both.quoted, i) in units:
            yield i


def _unit(statement: Statement, place: int) -> Mark | None:
    words = statement.words[place + 1 : place + 2]
    return next((mark for word in words for mark in word.marks if mark.kind == "unit"), None)


def _items(statement: Statement, clause: int) -> frozenset[Item]:
    words = [word for word in statement.words if word.clause == clause]
    single = {(word.form,) for word in words if _tells(word)}
    return frozenset(single | set(_pairs(words)))


def _pairs(words: list[Word]) -> Iterator[Item]:
    """Yield characters that follow one another: single ones tell little."""
    for one, other in pairwise(words):
        if one.form[:1] > "\u3040" and other.form[:1] > "\u3040":
            yield one.form, other.form


def _tells(word: Word) -> bool:
    says = word.content or FORBIDDING in word.marks
    return says and not word.value and not word.has("unit")


def _held(both: Compared, items: frozenset[Item]) -> dict[int, frozenset[Item]]:
    """Return for each clause of the evidence the items that it holds."""
    single = {word.form: word for word in both.said.words}
    clauses: dict[int, list[Word]] = {}
    for word in both.quoted.words:
        clauses.setdefault(word.clause, []).append(word)
    found = {clause: items.intersection(_pairs(words)) for clause, words in clauses.items()}
    for item in items:
        for i in both.quoted.like(single[item[0]]) if len(item) == 1 else ():
            found[both.quoted.words[i].clause] |= {item}
    return found
