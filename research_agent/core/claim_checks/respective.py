"""Which thing a text gives a number to: by its name, or by its place in a list."""

from collections.abc import Iterator
from itertools import pairwise

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.reading import Statement

RESPECTIVELY = frozenset(["respectively", "berturut-turut", "masing-masing"])
JOINING = frozenset(["and", "dan"])
THING = 3
"""Words of a thing in such a list."""
AWAY = 4
"""Words between two numbers of such a list."""


def owners(both: Compared) -> Iterator[tuple[int, str]]:
    """Yield the places of the sentence's numbers with what the evidence has there instead.

    An empty text says that the number is right. Only numbers of lists of two are told.

    >>> from research_agent.core.claim_checks.reading import read
    >>> quoted = read("Seals and keys have 7 and 9 bytes, respectively.")
    >>> list(owners(Compared(read("A seal has 9 bytes."), quoted)))
    [(3, '7')]
    """
    for first, second in _pairs(both.quoted):
        for before, behind in _things(both.quoted, first):
            said = [_says(both, thing) for thing in (before, behind)]
            if said[0] == said[1]:
                continue
            right, wrong = (first, second) if said[0] else (second, first)
            words = both.quoted.words
            yield from ((i, "") for i in both.said.at(words[right].value))
            yield from ((i, words[right].text) for i in both.said.at(words[wrong].value))
            return


def _pairs(statement: Statement) -> Iterator[tuple[int, int]]:
    """Yield two numbers joined by "and" in sentences that say "respectively"."""
    words = statement.words
    told = {word.sentence for word in words if word.text in RESPECTIVELY}
    numbers = [i for i, word in enumerate(words) if word.value and word.sentence in told]
    for one, other in pairwise(numbers):
        between = words[one + 1 : other]
        if len(between) <= AWAY and any(word.text in JOINING for word in between):
            yield one, other


def _things(statement: Statement, end: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the two things on either side of an "and" before the numbers."""
    words = statement.words
    for i in range(end):
        if words[i].text in JOINING and words[i].sentence == words[end].sentence:
            before = [k for k in range(max(i - THING, 0), i) if words[k].content][-1:]
            behind: list[int] = []
            for k in range(i + 1, min(i + 1 + THING, end)):
                if not words[k].content:
                    break
                behind.append(k)
            if before and behind:
                yield tuple(before), tuple(behind[-1:])


def _says(both: Compared, thing: tuple[int, ...]) -> bool:
    return any(both.said.at(both.quoted.words[i].form) for i in thing)


def agreed_places(both: Compared) -> Iterator[int]:
    """Yield the places of a name and a number of the sentence that the evidence has together.

    The only name of its family in the sentence, and in the evidence the nearest one in the
    number's clause.
    """
    for place, name in enumerate(both.said.words):
        if not name.name:
            continue
        if len({w.form for w in both.said.words if w.name and w.family == name.family}) > 1:
            continue
        for i, word in enumerate(both.said.words):
            if word.value and any(
                _nearest(both.quoted, other, name.family) == name.form
                for other in both.quoted.at(word.value)
            ):
                yield from (place, i)


def _nearest(statement: Statement, place: int, family: str) -> str:
    """Return the nearest name of a family in a number's clause; empty where it has none."""
    own = statement.words[place]
    names = [
        i
        for i, word in enumerate(statement.words)
        if word.name and word.family == family and word.clause == own.clause
    ]
    forms = {statement.words[i].form for i in names}
    same = [word for word in statement.words if word.sentence == own.sentence]
    numbers = [word for word in same if word.value]
    if len({word.clause for word in numbers}) < len(numbers):
        return ""
    named = {word.clause for word in same if word.name and word.family == family}
    if not named.issuperset(word.clause for word in numbers):
        return ""
    return forms.pop() if len(forms) == 1 else ""
