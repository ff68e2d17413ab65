"""Which word of a quote is meant by which word of a sentence."""

from collections.abc import Sequence

from research_agent.core.claim_checks.reading import Statement, Word
from research_agent.core.claim_checks.words import Mark

REACH = 8
"""Words on either side that tell which of several equal words is meant."""
OTHER_SIDE = 0.7
"""Weight of a neighbour that stands on the other side in the quote."""
OTHER_CLAUSE = 0.3
"""Weight of a neighbour in another clause of the quote."""
NAMED = 2.0
"""Weight of a neighbour that is a name, where the quote has several of its family."""
COVERING = 0.75
"""Share of a sentence's words from which on one clause of the quote is what it repeats."""

Pairs = tuple[int | None, ...]
"""For each word of the sentence the place of its word in the quote; None where it has none."""


def paired(said: Statement, quoted: Statement) -> Pairs:
    """Return the pairs of a sentence and a quote; of equal words the one with like neighbours.

    Where one clause of the quote holds most of the sentence, the pairs are looked for there.
    """
    within = covering(said, quoted)
    pairs: list[int | None] = []
    for place, word in enumerate(said.words):
        places = quoted.like(word) if word.content or word.value else ()
        inside = tuple(i for i in places if i in within)
        last = pairs[-1] if pairs else None
        if last is not None and last + 1 in places and _is_character(word):
            pairs.append(last + 1)
        else:
            pairs.append(best_place(said, place, quoted, inside or places))
    return tuple(pairs)


def _is_character(word: Word) -> bool:
    """Return whether a word is one character of a script without spaces."""
    return len(word.text) == 1 and word.text > "\u3040"


def covering(said: Statement, quoted: Statement) -> frozenset[int]:
    """Return the clause of the quote that holds most of the sentence; empty where none does."""
    share, clause = clause_share(said, quoted)
    if share < COVERING:
        return frozenset()
    return frozenset(i for i, word in enumerate(quoted.words) if word.clause == clause)


def clause_share(said: Statement, quoted: Statement) -> tuple[float, int]:
    """Return the largest share of the sentence's words in one clause of the quote, and which.

    >>> from research_agent.core.claim_checks.reading import read
    >>> clause_share(read("Bob signs."), read("Alice waits, Bob signs it."))
    (1.0, 1)
    """
    saying = [word for word in said.words if word.content or word.value]
    held: dict[int, int] = {}
    for word in saying:
        for clause in {quoted.words[i].clause for i in quoted.like(word)}:
            held[clause] = held.get(clause, 0) + 1
    if not held:
        return 0.0, 0
    best = max(held, key=lambda clause: (held[clause], -clause))
    return held[best] / len(saying), best


def best_place(said: Statement, place: int, quoted: Statement, places: Sequence[int]) -> int | None:
    """Return which of some places in the quote has the neighbours of a word; None without any."""
    if len(places) <= 1:
        return places[0] if places else None
    return max(places, key=lambda at: (sum(neighbours(said, place, quoted, at).values()), -at))


def neighbours(said: Statement, place: int, quoted: Statement, other: int) -> dict[int, float]:
    """Return how near the words around a place are to another place in the quote, 0 to 2 each."""
    found: dict[int, float] = {}
    own = said.words[place]
    for near in range(max(place - REACH, 0), min(place + REACH + 1, len(said.words))):
        word = said.words[near]
        tells = _tells(word) or (bool(word.value) and (own.name or own.has("opposite")))
        if near == place or not tells or word.sentence != own.sentence:
            continue
        weight = _name_weight(word, quoted) if word.name else 1.0
        weight *= BEYOND_AND if _is_beyond(said, place, near) else 1.0
        places = (far for far in quoted.like(word) if far != other)
        weights = (_weight(near - place, far, other, quoted) for far in places)
        found[near] = weight * max(weights, default=0.0)
    return found


def outdone(
    said: Statement, place: int, quoted: Statement, own: Sequence[int], rival: int, *, by: float
) -> bool:
    """Return whether the words around a place fit a rival `by` times better than any of its own.

    Only where they differ counts: words that are as near to both say nothing.
    """
    there = neighbours(said, place, quoted, rival)
    if not own:
        return sum(there.values()) > 0
    for other in own:
        here = neighbours(said, place, quoted, other)
        shares = _shares(said, quoted, (other, rival), there, here)
        gain = sum(shares[near] * max(there[near] - here[near], 0.0) for near in there)
        loss = sum(shares[near] * max(here[near] - there[near], 0.0) for near in there)
        if gain <= loss * by + LEAST_GAIN:
            return False
    return True


def exchanged_with(
    said: Statement,
    place: int,
    quoted: Statement,
    own: Sequence[int],
    rival: int,
    *,
    by: float,
) -> bool:
    """Return whether a rival in the quote fits better than a word's own places.

    Where the sentence says the rival too, that one has to fit the word's place better in turn:
    else both stand where they should.
    """
    if not outdone(said, place, quoted, own, rival, by=by):
        return False
    other = quoted.words[rival]
    mirrored = [i for i in said.at(other.value or other.form) if i != place]
    theirs = quoted.at(other.value or other.form)
    return not mirrored or (
        bool(own)
        and all(
            outdone(said, i, quoted, theirs, best, by=1.0) for i in mirrored for best in own[:1]
        )
    )


BEYOND_AND = 0.4
"""Weight of a neighbour behind the "and" between two values or names of a sentence."""
SHARED = 0.2
"""Weight of a word before two places that may be meant for both: "opens at 9 or at 11"."""
LEAST_GAIN = 0.02
"""So much nearer a rival has to be in sum."""


def _shares(
    said: Statement,
    quoted: Statement,
    ends: tuple[int, int],
    there: dict[int, float],
    here: dict[int, float],
) -> dict[int, float]:
    """Return the weight of each neighbour: little where it stands before both of two places.

    Such a word may be meant for both. Where there are no others, they have to tell.
    """
    before = {near for near in there if _is_before(said.words[near], quoted, min(ends))}
    if all(near in before for near in there if there[near] != here[near]):
        return dict.fromkeys(there, 1.0)
    return {near: SHARED if near in before else 1.0 for near in there}


def _is_before(word: Word, quoted: Statement, first: int) -> bool:
    places = quoted.like(word)
    return bool(places) and max(places) < first


def _is_beyond(said: Statement, place: int, near: int) -> bool:
    between = said.words[min(place, near) : max(place, near)]
    return near > place and any(word.text in AND for word in between)


FORBIDDING = Mark("neg", "both")
AND = frozenset(["and", "dan", "\u548c", "while"])


def _tells(word: Word) -> bool:
    says = word.content or FORBIDDING in word.marks
    return says and not word.value and not word.has("unit")


def _name_weight(word: Word, quoted: Statement) -> float:
    """Return the weight of a name: none where the quote has no other of its family."""
    forms = {other.form for other in quoted.words if other.name and other.family == word.family}
    return NAMED if len(forms) > 1 else 0.0


def _weight(near: int, at: int, other: int, quoted: Statement) -> float:
    one, two = quoted.words[at], quoted.words[other]
    distance = at - other
    if one.sentence != two.sentence or abs(distance) > 2 * REACH:
        return 0.0
    same = (near > 0) == (distance > 0)
    side = 1.0 if same else OTHER_SIDE
    far = max(abs(distance), abs(near)) if same else abs(distance)
    clause = 1.0 if one.clause == two.clause else OTHER_CLAUSE
    return side * clause / (abs(near) + far)
