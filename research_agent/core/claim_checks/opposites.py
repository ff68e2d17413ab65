"""Words exchanged for their opposite, or for another thing of the same chunk."""

from research_agent.core.claim_checks.compared import Compared, clause
from research_agent.core.claim_checks.pairing import best_place, exchanged_with
from research_agent.core.claim_checks.reading import Statement, Word

CLEARER = 1.3
"""How much better the neighbours of the opposite have to fit than those of the word itself."""


def exchanged(both: Compared) -> str:
    """Return the opposite that the evidence has instead of a word; empty where none is there.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("Bob encrypts the key."), read("Bob decrypts the key.")
    >>> exchanged(Compared(said, quoted))
    'the evidence says "decrypts", not "encrypts"'
    """
    for place, word in enumerate(both.said.words):
        for mark in word.marks:
            if mark.kind == "opposite" and (other := _rival(both, place, mark.value, mark.side)):
                return f'the evidence says "{other.text}", not "{word.text}"'
    return ""


def _rival(both: Compared, place: int, axis: str, side: int) -> Word | None:
    """Return the word of another side that stands where the sentence's word should."""
    word = both.said.words[place]
    own = {*both.quoted.at(word.form)}
    rivals: list[int] = []
    for i, other in both.quoted_words():
        for mark in other.marks:
            if mark.kind == "opposite" and mark.value == axis:
                own |= {i} if mark.side == side else set()
                rivals += [] if mark.side == side else [i]
    rivals = [i for i in rivals if i not in own]
    best = best_place(both.said, place, both.quoted, rivals)
    if best is None:
        return None
    marks = (mark for other in both.said.words for mark in other.marks)
    says_both = any(m.kind == "opposite" and m.value == axis and m.side != side for m in marks)
    negated = _is_negated(both.said, place) != _is_negated(both.quoted, best)
    if (negated or says_both) and not own:
        return None
    if _outcomes(both.said) and _outcomes(both.quoted) > 1:
        return None  # (which outcome belongs to which condition is another check's)
    by = CLEARER * 2 if says_both else CLEARER
    found = exchanged_with(both.said, place, both.quoted, sorted(own), best, by=by)
    return both.quoted.words[best] if found else None


def _is_negated(statement: Statement, place: int) -> bool:
    before = (i for i in clause(statement, place) if i < place)
    return any(statement.words[i].has("neg") for i in before)


def _outcomes(statement: Statement) -> int:
    """Return how many conditions with "if" or "when" a text has."""
    kinds = [statement.words[i].value_of("condition") for i in statement.having("condition")]
    return sum(kind in {"if", "when", "unless"} for kind in kinds)
