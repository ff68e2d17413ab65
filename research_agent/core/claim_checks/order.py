"""Who does what to whom: two words that changed places around a verb or preposition."""

from collections.abc import Sequence

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.reading import Statement

COMPARATIVES = frozenset(["larger", "longer", "higher", "more", "faster"])
"""Opposites that compare two things."""
COMPARING = frozenset(["than", "daripada", "\u6bd4", "\u4e8e"])
MOST = 4
"""Words of a thing that changes places."""


def swapped(both: Compared) -> str:
    """Return what changed places with what; empty where nothing did.

    A passive and an active sentence have their words in different order, and mean the same.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("Bob sends Alice the key."), read("Alice sends Bob the key.")
    >>> swapped(Compared(said, quoted))
    '"bob" and "alice" changed places'
    """
    for sentence in sorted({word.sentence for word in both.said.words}):
        places = [
            i
            for i, other in enumerate(both.pairs)
            if other is not None
            and both.said.words[i].sentence == sentence
            and both.back[other] == i
            and not both.said.words[i].value
        ]
        found = _exchange(both, places)
        if found:
            return found
    return ""


def _exchange(both: Compared, places: Sequence[int]) -> str:
    """Find A m B in the quote where the sentence has B m A."""
    theirs = [both.pairs[i] or 0 for i in places]
    order = sorted(range(len(theirs)), key=theirs.__getitem__)
    first = next((i for i, rank in enumerate(order) if i != rank), None)
    if first is None:
        return ""
    last = max(i for i, rank in enumerate(order) if i != rank)
    ranks = [0] * len(order)
    for rank, i in enumerate(order):
        ranks[i] = rank
    window = ranks[first : last + 1]
    left, right = _rising(window), _rising(window[::-1], step=-1)
    if max(left, right) > MOST or left + right > len(window):
        return ""
    middle = window[left : len(window) - right]
    if [*window[-right:], *middle, *window[:left]] != [*range(first, last + 1)]:
        return ""
    ends = places[first], places[last]
    behind = places[last - right + 1], sorted(theirs)[last - left + 1]
    between = range(places[first + left - 1] + 1, behind[0])
    there = range(sorted(theirs)[first + right - 1] + 1, behind[1])
    turned = _is_opposed(both, between, there) or _is_turned(both, ends, between)
    if turned or not _is_directed(both, between, there):
        return ""
    if _lead(both.said, behind[0]) != _lead(both.quoted, behind[1]):
        return ""
    one, other = both.said.words[places[first]].text, both.said.words[places[last]].text
    return f'"{one}" and "{other}" changed places'


def _rising(ranks: Sequence[int], *, step: int = 1) -> int:
    """Return how many ranks follow one another from the beginning."""
    count = 1
    while count < len(ranks) and ranks[count] == ranks[count - 1] + step:
        count += 1
    return count


def _is_directed(both: Compared, between: range, there: range) -> bool:
    """Return whether the same verb or preposition stands between two things on both sides."""
    forms = {both.quoted.words[i].form for i in there}
    words = [both.said.words[i] for i in between if both.said.words[i].form in forms]
    return any(
        word.has("way")
        or word.has("bound")
        or (word.content and not word.name and _is_verb(word.text))
        for word in words
    )


def _is_opposed(both: Compared, between: range, there: range) -> bool:
    """Return whether opposites compare two things in opposite order: "A exceeds B"."""
    own = {mark for i in between for mark in both.said.words[i].marks if mark.kind == "opposite"}
    theirs = {m for i in there for m in both.quoted.words[i].marks if m.kind == "opposite"}
    if _has_comparison(both.said) and _has_comparison(both.quoted):
        own |= {m for word in both.said.words for m in word.marks if m.value in COMPARATIVES}
        theirs |= {m for word in both.quoted.words for m in word.marks if m.value in COMPARATIVES}
    return any(one.value == two.value and one.side != two.side for one in own for two in theirs)


def _has_comparison(statement: Statement) -> bool:
    words = (word.text for word in statement.words)
    return any(COMPARING & {*text.split(), text[-1:]} for text in words)


def _lead(statement: Statement, place: int) -> str:
    """Return the preposition before a thing; empty where it has none."""
    for i in range(place - 1, max(place - 3, -1), -1):
        word = statement.words[i]
        if word.text in ARTICLES:
            continue
        return "" if word.content or word.value or word.has("be") else word.text
    return ""


RELATIVE = frozenset(["that", "which", "who", "yang"])
"""Words that begin a clause about the thing before them."""
ARTICLES = frozenset(["the", "a", "an", "its", "her", "his", "their", "one", "both", "that"])
"""Words that may stand between a preposition and its thing."""


def _is_verb(text: str) -> bool:
    return text.endswith(("s", "ed", "ing", "en")) or not text.isascii() or text[:2] in {"me", "di"}


def _is_turned(both: Compared, ends: tuple[int, int], between: range) -> bool:
    """Return whether one of both is passive and the other is not, or its clauses changed places."""
    first, last = sorted(both.pairs[i] or 0 for i in ends)
    if _is_apart(both.said, *ends) and not _is_apart(both.quoted, first, last):
        return True
    words = both.said.words
    if any(words[i].text in RELATIVE and words[i + 1].text != "of" for i in range(*ends)):
        return True
    if _has_agent(both.said, *ends) != _has_agent(both.quoted, first, last):
        return True
    verbs = ((i, other) for i in between if (other := both.pairs[i]) is not None)
    return any(_is_passive(both.said, i) != _is_passive(both.quoted, other) for i, other in verbs)


def _is_apart(statement: Statement, first: int, last: int) -> bool:
    return statement.words[first].clause != statement.words[last].clause


def _has_agent(statement: Statement, first: int, last: int) -> bool:
    return any(word.has("agent") for word in statement.words[first : last + 1])


def _is_passive(statement: Statement, verb: int) -> bool:
    near = statement.words[max(verb - 2, 0) : verb]
    return any(word.has("be") for word in near) and not statement.words[verb].text.endswith("ing")
