"""Statements made stronger, weaker or wider: may and must, some and all, at least and at most."""

from collections.abc import Iterator

from research_agent.core.claim_checks.compared import Compared, behind, clause
from research_agent.core.claim_checks.reading import Statement, Word

RETELLING = frozenset(["which", "who", "whose"])
"""Words that begin a clause about all of what was named before."""
NEAR = 6
"""Words between a modal verb or quantity and what it rules."""
SUPERLATIVE = ("est",)
RANKS = frozenset(
    ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
)
"""Words before a superlative that say that it is not the first."""
PREDICATES = frozenset(
    ["allowed", "permitted", "required", "mandatory", "optional", "recommended", "advisable",
     "diizinkan", "diperbolehkan", "wajib", "disarankan"]
)  # fmt: skip
"""Words that may stand behind what they rule."""
HEDGES = frozenset(["may", "should"])
"""Modal verbs that may not be lost."""
SIDES = {"least": "lower", "more": "lower", "most": "upper", "less": "upper"}


def changed(both: Compared) -> str:
    """Return what of the evidence's force is changed; empty where nothing is.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("Keys must be wiped."), read("Keys may be wiped.")
    >>> changed(Compared(said, quoted))
    'the evidence says "may" of "wiped", not "must"'
    """
    return (
        _modal(both)
        or _quantity(both)
        or _only(both)
        or _status(both)
        or _unlimited(both)
        or _rank(both)
    )


def _unlimited(both: Compared) -> str:
    """Return the limit of the evidence that a sentence denies."""
    for place, word in both.quoted_words():
        bounded = word.value_of("bound") in {"most", "less"}
        if bounded and both.said.having("unlimited") and not both.quoted.having("unlimited"):
            value = next((w.text for w in both.quoted.words[place + 1 :] if w.value), "")
            return f'the evidence says "{word.text} {value}"'
        late = word.has("late") or word.value_of("condition") in {"until", "post"}
        if late and both.said.having("at once") and not both.quoted.having("at once"):
            return f'the evidence says "{word.text}", not at once'
    return ""


def _rank(both: Compared) -> str:
    """Return the superlative that has a rank on one side only: "second highest" for "highest"."""
    for place, word in enumerate(both.said.words):
        if not word.text.endswith(SUPERLATIVE) or not (others := both.quoted.at(word.form)):
            continue
        own = _ranked(both.said, place)
        theirs = {_ranked(both.quoted, i) for i in others}
        if own not in theirs:
            return f'the evidence does not say "{f"{own} {word.text}".strip()}"'
    return ""


def _ranked(statement: Statement, place: int) -> str:
    before = statement.words[place - 1].text if place else ""
    return before if before in RANKS else ""


def _modal(both: Compared) -> str:
    forces = {
        _force(both.quoted, i)
        for i in both.quoted.having("modal")
        if both.quoted.words[i].sentence in both.used
    }
    for i, aim, other in _aimed(both, both.said, "modal"):
        own, theirs = both.said.words[i], _ruler(both.quoted, other, "modal")
        theirs = theirs or _same_form(both, aim, _force(both.said, i))
        if not theirs or {_force(both.said, k) for k in both.said.having("modal")} >= forces:
            continue
        if _force(both.said, i) != _force(both.quoted, _place(both.quoted, theirs)):
            return _says(theirs, both.said.words[aim], own)
    for i, aim, _ in _aimed(both, both.quoted, "modal"):
        word = both.quoted.words[i]
        lost = word.value_of("modal") in HEDGES and not both.said.having("modal")
        if lost and not _is_partial(both.said) and not _is_negated(both.quoted, i):
            return f'the evidence says only that it "{word.text}": {both.quoted.words[aim].text}'
    return ""


def _same_form(both: Compared, aim: int, force: str) -> Word | None:
    """Return the modal verb of the quote's other places of a word, where none has this force."""
    word = both.said.words[aim]
    places = (i for i in both.quoted.at(word.form) if both.quoted.words[i].text == word.text)
    rulers = [found for i in places if (found := _ruler(both.quoted, i, "modal"))]
    forces = {_force(both.quoted, _place(both.quoted, ruler)) for ruler in rulers}
    return rulers[0] if rulers and force not in forces else None


def _is_partial(statement: Statement) -> bool:
    words = (statement.words[i] for i in statement.having("quantity"))
    return any(word.value_of("quantity") != "all" for word in words)


def _is_negated(statement: Statement, place: int) -> bool:
    return any(abs(i - place) <= 1 for i in statement.having("neg"))


def _force(statement: Statement, place: int) -> str:
    """Return the force of a modal verb; what may not be must not be."""
    force = statement.words[place].value_of("modal").replace("can", "may")
    return "must" if _is_negated(statement, place) and force == "may" else force


def _quantity(both: Compared) -> str:
    for i, aim, other in _aimed(both, both.said, "quantity"):
        own, theirs = both.said.words[i], _ruler(both.quoted, other, "quantity")
        kinds = {own.value_of("quantity"), theirs.value_of("quantity")} if theirs else set()
        if theirs and "all" in kinds and len(kinds) > 1:
            return _says(theirs, both.said.words[aim], own)
        part = _ruler(both.quoted, other, "part") if own.value_of("quantity") == "all" else None
        if part and not theirs:
            return _says(part, both.said.words[aim], own)
    for i, aim, _ in _aimed(both, both.quoted, "quantity"):
        word = both.quoted.words[i]
        if word.value_of("quantity") == "some" and not (
            _is_hedged(both.said) or _is_retold(both, aim)
        ):
            return f'the evidence says it of "{word.text}" {both.quoted.words[aim].text} alone'
    return ""


def _is_hedged(statement: Statement) -> bool:
    return bool(statement.having("quantity") or statement.having("modal"))


def _only(both: Compared) -> str:
    own, theirs = both.said.having("only"), both.quoted.having("only")
    for _, aim, _ in _aimed(both, both.quoted, "only"):
        if not own and not both.said.having("neg") and not _is_conditional(both.said):
            return f'the evidence says it of "only" {both.quoted.words[aim].text}'
    silent = not theirs and not both.quoted.having("neg") and not _is_conditional(both.quoted)
    for i, aim, _ in _aimed(both, both.said, "only"):
        if silent and both.said.words[i].has("only"):
            return f'the evidence does not say "only" of "{both.said.words[aim].text}"'
    return ""


def _is_conditional(statement: Statement) -> bool:
    words = (statement.words[i] for i in statement.having("condition"))
    return any(word.value_of("condition") in {"if", "unless"} for word in words)


def _status(both: Compared) -> str:
    for i, aim, _ in _aimed(both, both.quoted, "status", count=1):
        word = both.quoted.words[i]
        if not _holds_most(both, word.sentence):
            continue
        if word.clause == both.quoted.words[aim].clause and not both.said.having("status"):
            return f'the evidence calls it "{word.text}"'
    return ""


def _holds_most(both: Compared, sentence: int) -> bool:
    """Return whether a sentence of the quote holds half of the pairs or more."""
    held = [both.quoted.words[i].sentence for i in both.pairs if i is not None]
    return 2 * held.count(sentence) >= len(held)


def _is_retold(both: Compared, aim: int) -> bool:
    """Return whether the quote goes on about a thing with "which", and the sentence says that."""
    words = both.quoted.words
    later = (i for i in both.back if i > aim and words[i].sentence == words[aim].sentence)
    return any(
        any(word.text in RETELLING for word in words[aim:i]) and words[i].clause > words[aim].clause
        for i in later
    )


def _aimed(
    both: Compared, statement: Statement, kind: str, *, count: int = 2
) -> Iterator[tuple[int, int, int]]:
    """Yield the place of a mark, of what it rules, and of that word's pair on the other side."""
    mine = statement is both.said
    for i in statement.having(kind):
        for aim in _ruled(statement, i, count):
            other = both.pairs[aim] if mine else both.back.get(aim)
            if other is not None and aim - i <= NEAR:
                yield i, aim, other
                break


def _ruled(statement: Statement, place: int, count: int) -> tuple[int, ...]:
    """Return what a word rules: what follows it, or what is "allowed" or "required" before it."""
    word = statement.words[place]
    aims = behind(statement, place, count)
    within = [i for i in aims if statement.words[i].clause == word.clause]
    if within or word.text not in PREDICATES:
        return aims
    before = [i for i in clause(statement, place) if i < place and statement.words[i].content]
    return tuple(before[:count])


def _ruler(statement: Statement, place: int, kind: str) -> Word | None:
    """Return the nearest word of a kind before a place in its sentence, within reach."""
    own = statement.words[place]
    before = [
        i
        for i in (_parts(statement) if kind == "part" else statement.having(kind))
        if place - NEAR <= i < place and statement.words[i].sentence == own.sentence
    ]
    return statement.words[before[-1]] if before else None


def _parts(statement: Statement) -> tuple[int, ...]:
    """Return the places of "may", and of "one" in "at least one"."""
    ones = (i for i, word in enumerate(statement.words) if word.value == "1" and word.text != "1")
    hedges = (i for i in statement.having("modal") if _force(statement, i) == "may")
    return tuple(sorted((*ones, *hedges)))


def _place(statement: Statement, word: Word) -> int:
    return next(i for i, other in enumerate(statement.words) if other is word)


def _says(theirs: Word, aim: Word, own: Word) -> str:
    return f'the evidence says "{theirs.text}" of "{aim.text}", not "{own.text}"'
