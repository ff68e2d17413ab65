"""Words joined by a hyphen whose first part is another one in the evidence: "low-cost"."""

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.reading import Statement
from research_agent.core.claim_checks.words import NUMBER_WORDS, marks_of


def other_part(both: Compared) -> str:
    """Return the compound of the evidence that has an opposite or another number before its end.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("It is a six-lane bridge."), read("It is a four-lane bridge.")
    >>> other_part(Compared(said, quoted))
    'the evidence says "four-lane", not "six-lane"'
    """
    theirs = _compounds(both.quoted)
    for text in _compounds(both.said):
        if text in theirs:
            continue
        head, _, tail = text.rpartition("-")
        for other in theirs:
            first, _, last = other.rpartition("-")
            if last == tail and _is_other(head, first):
                return f'the evidence says "{other}", not "{text}"'
    return ""


def _compounds(statement: Statement) -> list[str]:
    return [word.text for word in statement.words if "-" in word.text[1:-1] and not word.name]


def _is_other(one: str, other: str) -> bool:
    """Return whether two words are different numbers, or sides of one opposite."""
    if one in NUMBER_WORDS and other in NUMBER_WORDS:
        return NUMBER_WORDS[one] != NUMBER_WORDS[other]
    sides = {mark.value: mark.side for mark in marks_of(one) if mark.kind == "opposite"}
    return any(
        mark.value in sides and sides[mark.value] != mark.side
        for mark in marks_of(other)
        if mark.kind == "opposite"
    )
