"""Negations that came, went, or belong to another word."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from research_agent.core.claim_checks.compared import Compared, behind, clause
from research_agent.core.claim_checks.inflection import root
from research_agent.core.claim_checks.pairing import FORBIDDING, best_place, outdone
from research_agent.core.claim_checks.reading import Statement, Word
from research_agent.core.claim_checks.words import Mark

PREFIXES = ("non-", "non", "un", "in", "im", "ir", "il", "dis", "tidak-")
LEAST_BASE = 3
"""Letters that are left of a word without its negating beginning."""
NEGATION = Mark("neg", "own")
SCOPE = 3
"""Words behind a negation of which one at least is what it negates."""
UNCLEAR = 2.0
"""So much better the place of a word has to fit than another one, for its negation to tell."""
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
    for place in _negations(both.said):
        if _is_said(both.said.words[place], both.quoted) or _is_superlative(both, place):
            continue
        every = _aims(both.said, place)
        if every and both.pairs[every[0]] is None and both.quoted.having("neg"):
            continue
        aims = [i for i in every if both.pairs[i] is not None]
        others = [other for i in aims if (other := both.pairs[i]) is not None]
        forms = {both.said.words[i].form for i in aims}
        others += [i for form in forms for i in both.quoted.at(form) if _is_own(both.quoted, i)]
        if any(_is_balanced(both, i) for i in aims) or any(_is_opposed(both, i) for i in aims[:1]):
            continue
        if _is_contrasted(both.said, aims[:1]):
            continue
        if any(_is_unclear(both, i) for i in aims):
            continue
        if aims and not any(_is_negated(both.quoted, other, whole=True) for other in others):
            return f'the evidence does not negate "{both.said.words[aims[0]].text}"'
    return ""


def _lost(both: Compared) -> str:
    """Return which negation of the evidence the sentence does not have."""
    if any(not _aims(both.said, place) for place in both.said.having("neg")):
        return ""  # ("... need not be": what it negates is not said again)
    for place in _negations(both.quoted):
        if _is_said(both.quoted.words[place], both.said):
            continue
        every = _aims(both.quoted, place)[:2]
        aims = [i for i in every if i in both.back]
        forms = {both.quoted.words[i].form for i in every}
        if any(_is_balanced(both, i) for form in forms for i in both.said.at(form)):
            continue
        if aims and not any(_is_negated(both.said, both.back[i], whole=True) for i in aims):
            return f'the evidence negates "{both.quoted.words[aims[0]].text}"'
    return ""


def _negations(statement: Statement) -> Iterator[int]:
    """Yield the places of negations, without two that follow one another: "not prohibited"."""
    places = statement.having("neg")
    cancelled: set[int] = set()
    for one, other in pairwise(places):
        between = statement.words[one + 1 : other]
        if not any(word.content or word.value for word in between) and one not in cancelled:
            same = statement.words[one].clause == statement.words[other].clause
            cancelled |= {one, other} if same else set()
    yield from (place for place in places if place not in cancelled)


def _is_balanced(both: Compared, place: int) -> bool:
    """Return whether both say a word negated and not negated: "is the same ... is not the same"."""
    form = both.said.words[place].form
    own = {_is_negated(both.said, i) for i in both.said.at(form)}
    theirs = {_is_negated(both.quoted, i) for i in both.quoted.at(form)}
    return len(own) == len(theirs) == 2  # noqa: PLR2004 (negated, and not)


def _is_contrasted(statement: Statement, aims: Sequence[int]) -> bool:
    """Return whether a text says of a thing what is with and without it: "with a fan, without"."""
    without = any(statement.words[i].text in WITHOUT for i in statement.having("neg"))
    forms = [statement.words[i].form for i in aims]
    return without and any(len(statement.at(form)) > 1 for form in forms)


WITHOUT = frozenset(["without", "tanpa", "\u6ca1\u6709"])


def _is_opposed(both: Compared, place: int) -> bool:
    """Return whether the opposite of a negated word stands where the evidence should have it."""
    word = both.said.words[place]
    sides = {(mark.value, mark.side) for mark in word.marks if mark.kind == "opposite"}
    rivals = [
        i
        for i, other in both.quoted_words()
        if any(
            (mark.value, 1 - mark.side) in sides for mark in other.marks if mark.kind == "opposite"
        )
    ]
    best = best_place(both.said, place, both.quoted, rivals)
    own = both.quoted.like(word)
    if best is None:
        return False
    return outdone(both.said, place, both.quoted, own, best, by=1.0) or _tells(both, best, own)


def _tells(both: Compared, place: int, others: Sequence[int]) -> bool:
    """Return whether the sentence says a word of a place's sentence that no other place's has."""
    sentence = both.quoted.words[place].sentence
    theirs = {both.quoted.words[i].sentence for i in others}
    if sentence in theirs:
        return False
    forms = {w.form for w in both.quoted.words if w.sentence == sentence and w.content}
    forms -= {w.form for w in both.quoted.words if w.sentence in theirs}
    return any(both.said.at(form) for form in forms)


def _is_superlative(both: Compared, place: int) -> bool:
    """Return whether "no other ... than" stands for "only", or "no smaller" for "smallest"."""
    if both.said.words[place].text not in NO_ONE:
        return False
    behind_it = both.said.words[place + 1 :]
    if not any("than" in word.text.split() or word.text == "other" for word in behind_it):
        return False
    return any(word.has("only") or word.text.endswith("est") for word in both.quoted.words)


NO_ONE = frozenset(["no", "none", "nothing", "nobody", "no one", "neither"])
"""Words that negate that there is such a thing."""


def _is_own(statement: Statement, place: int) -> bool:
    """Return whether a word negates itself, as "invalid" does."""
    return NEGATION in statement.words[place].marks


def _kinds(statement: Statement) -> frozenset[str]:
    words = (statement.words[i] for i in statement.having("condition"))
    only = {"only"} if statement.having("only") else set()
    return frozenset(word.value_of("condition") for word in words) | only


def _is_said(word: Word, other: Statement) -> bool:
    """Return whether a word such as "forbidden" stands in the other text too."""
    return FORBIDDING in word.marks and bool(other.at(word.form))


def _aims(statement: Statement, place: int) -> tuple[int, ...]:
    """Return the words that a negation may negate."""
    word = statement.words[place]
    if NEGATION in word.marks:
        return (place,)
    aims = behind(statement, place, SCOPE)
    aims = tuple(i for i in aims if statement.words[i].clause == word.clause) or aims
    if FORBIDDING in word.marks:
        before = [i for i in clause(statement, place) if i < place and statement.words[i].content]
        return (*before[-BEFORE:], *aims)
    return aims


def _is_unclear(both: Compared, place: int) -> bool:
    """Return whether the evidence negates a word in another place that fits about as well."""
    own = both.pairs[place]
    if own is None:
        return False
    form = both.quoted.words[own].form
    others = [i for i in both.quoted.at(form) if i != own and _is_negated(both.quoted, i)]
    return any(not outdone(both.said, place, both.quoted, [i], own, by=UNCLEAR) for i in others)


def _is_negated(statement: Statement, place: int, *, whole: bool = False) -> bool:
    """Return whether a word stands in what a negation or an exception rules.

    With `whole` also where it stands before the negation in the same clause.
    """
    own = statement.words[place]
    if NEGATION in own.marks:
        return True
    for i in statement.having("neg"):
        word = statement.words[i]
        if NEGATION in word.marks:
            continue
        near = word.clause == own.clause or place in _aims(statement, i)
        before = FORBIDDING in word.marks
        if near and (i < place or before or whole):
            return True
    exceptions = (i for i in statement.having("condition") if i < place)
    return any(
        statement.words[i].value_of("condition") == "unless"
        and statement.words[i].clause == own.clause
        for i in exceptions
    )
