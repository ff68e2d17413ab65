"""Words exchanged for their opposite, or for another thing of the same chunk."""

from research_agent.core.claim_checks.compared import Compared, clause
from research_agent.core.claim_checks.pairing import best_place, exchanged_with
from research_agent.core.claim_checks.reading import PLACING, Statement, Word
from research_agent.core.claim_checks.words import Mark

CLEARER = 1.3
"""How much better the neighbours of the opposite have to fit than those of the word itself."""


def exchanged(both: Compared, *, alone: bool = False) -> str:
    """Return the opposite that the evidence has instead of a word; empty where none is there.

    With `alone` only of a word of whose side nothing stands in the evidence or around it.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("Bob encrypts the key."), read("Bob decrypts the key.")
    >>> exchanged(Compared(said, quoted))
    'the evidence says "decrypts", not "encrypts"'
    """
    for place, word in enumerate(both.said.words):
        for mark in sorted(word.marks):
            if alone and _has_side(both, mark):
                continue
            if mark.kind == "opposite" and (other := _rival(both, place, mark.value, mark.side)):
                return f'the evidence says "{other.text}", not "{word.text}"'
    return ""


def _has_side(both: Compared, mark: Mark) -> bool:
    return any(mark in word.marks for text in (both.quoted, both.context) for word in text.words)


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
    if best is None or (axis in PLACING and _tells_order(both.quoted, best)):
        return None
    marks = (mark for other in both.said.words for mark in other.marks)
    if _is_reversed(both, place, best):
        return None
    says_both = any(m.kind == "opposite" and m.value == axis and m.side != side for m in marks)
    negated = _is_negated(both.said, place) != _is_negated(both.quoted, best)
    if negated or (says_both and not own):
        return None
    if own and _outcomes(both.said) and _outcomes(both.quoted) > 1:
        return None  # (which outcome belongs to which condition is another check's)
    by = CLEARER * 2 if says_both else CLEARER
    found = exchanged_with(both.said, place, both.quoted, sorted(own), best, by=by)
    return both.quoted.words[best] if found else None


def _tells_order(statement: Statement, place: int) -> bool:
    """Return whether "then" says in the same sentence what comes after what."""
    sentence = statement.words[place].sentence
    return any(word.text in THEN for word in statement.words if word.sentence == sentence)


THEN = frozenset(["then", "thereafter", "afterwards", "lalu", "kemudian"])


def _is_reversed(both: Compared, place: int, rival: int) -> bool:
    """Return whether the two things compared changed places: "A is faster", "B is slower"."""
    left, right = _compared(both.said, place)
    first, second = _compared(both.quoted, rival)
    if any(both.said.words[i].name for i in right):
        left = frozenset(i for i in left if both.said.words[i].name)
        right = frozenset(i for i in right if both.said.words[i].name)
    there = _alike(both, right) - _alike(both, left)
    here = _alike(both, left) - _alike(both, right)
    return bool(there & first and here & second) and not (there & second or here & first)


def _alike(both: Compared, places: frozenset[int]) -> frozenset[int]:
    return frozenset(i for place in places for i in both.quoted.like(both.said.words[place]))


def _compared(statement: Statement, place: int) -> tuple[frozenset[int], frozenset[int]]:
    """Return the words before a comparison and those behind its "than"; none without one."""
    words = statement.words
    own = words[place]
    same = [
        i
        for i, word in enumerate(words)
        if word.sentence == own.sentence and (word.content or word.text == "\u6bd4")
    ]
    dense = {word.text for word in words} & {"\u6bd4", "\u4e8e"} or own.text[-1:] == "\u4e8e"
    before = next((i for i in same if i < place and words[i].text == "\u6bd4"), None)
    if before is not None:
        return frozenset(i for i in same if i < before), frozenset(
            i for i in same if before < i < place
        )
    than = next((i for i in range(place, len(words)) if "than" in words[i].text.split()), None)
    if than is None and not dense:
        return frozenset(), frozenset()
    at = place if than is None else than
    return frozenset(i for i in same if i < place), frozenset(i for i in same if i > at)


def _is_negated(statement: Statement, place: int) -> bool:
    before = (i for i in clause(statement, place) if i < place)
    return any(statement.words[i].has("neg") for i in before)


def _outcomes(statement: Statement) -> int:
    """Return how many conditions with "if" or "when" a text has."""
    kinds = [statement.words[i].value_of("condition") for i in statement.having("condition")]
    return sum(kind in {"if", "when", "unless"} for kind in kinds)
