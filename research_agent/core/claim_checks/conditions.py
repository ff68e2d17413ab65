"""Conditions of the evidence that a sentence leaves out or exchanges."""

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.reading import Statement

COVERED = 0.4
"""Share of a condition's words that a sentence says where it does not leave it out."""
ABOUT = 0.4
"""Share of the words of what depends on a condition by which a sentence says it."""
FRONT = 3
"""A condition with fewer words before it, and a clause behind it, rules what comes behind it."""


def dropped(both: Compared) -> str:
    """Return the condition under which alone the evidence says it; empty where all are said.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("The key is kept."), read("The key is kept if it was checked.")
    >>> dropped(Compared(said, quoted))
    'the evidence says it under a condition: "if it was checked"'
    """
    own = len(both.said.having("condition"))
    found: list[str] = []
    theirs = 0
    for place in both.quoted.having("condition"):
        within, ruled = _parts(both.quoted, place)
        if not _is_about(both, ruled) or _is_told(both.quoted, place):
            continue
        theirs += 1
        forms = {both.quoted.words[i].form for i in ruled}
        within = tuple(i for i in within if both.quoted.words[i].form not in forms) or within
        if within and _share(both, within) < COVERED and not _has_other(both, place):
            text = _text(both.quoted, min(place, *within), max(place, *within))
            found.append(f'the evidence says it under a condition: "{text}"')
    if found and theirs > own:
        return found[0]
    return (_exchanged(both) if theirs else "") or _crossed(both)


def _is_told(statement: Statement, place: int) -> bool:
    """Return whether a word says when, and rules nothing."""
    return _is_dated(statement, place) or _is_range(statement, place)


def _is_range(statement: Statement, place: int) -> bool:
    """Return whether "until" stands between two days or numbers: "Monday until Friday"."""
    near = [*statement.words[max(place - 1, 0) : place], *statement.words[place + 1 : place + 2]]
    until = statement.words[place].text in RANGING
    return until and len(near) > 1 and all(word.capital or word.value for word in near)


TURNS = frozenset(["but", "while", "whereas", "tetapi", "sedangkan"])
"""Words behind which a sentence says something else, with its own conditions."""
RANGING = frozenset(["until", "till", "sampai", "hingga"])
"""Words that also join the ends of a range."""


def _is_dated(statement: Statement, place: int) -> bool:
    """Return whether "when" says of a date what happened then: "since May 2020 when"."""
    before = statement.words[max(place - 1, 0) : place]
    dated = any(word.value or word.has("month") for word in before)
    return dated and statement.words[place].value_of("condition") == "when"


def _has_other(both: Compared, place: int) -> bool:
    """Return whether the sentence has another condition of the kind that the quote has too."""
    kind = both.quoted.words[place].value_of("condition")
    for own in both.said.having("condition"):
        within = _parts(both.said, own)[0]
        places = {i for k in within for i in both.quoted.like(both.said.words[k])}
        others = (i for i in both.quoted.having("condition") if i != place)
        same = (i for i in others if both.quoted.words[i].value_of("condition") == kind)
        if within and any(places & {*_parts(both.quoted, i)[0]} for i in same):
            return both.said.words[own].value_of("condition") == kind
    return False


def _crossed(both: Compared) -> str:
    """Return the outcome that the evidence ties to a condition, where the sentence says another."""
    for place in both.said.having("condition"):
        if both.said.words[place].value_of("condition") not in {"if", "unless", "when"}:
            continue
        within, ruled = _parts(both.said, place)
        same = [i for i in both.quoted.having("condition") if _is_same(both, within, i)]
        if len(same) != 1 or not within or len(both.quoted.having("condition")) == 1:
            continue
        theirs = {m for i in _parts(both.quoted, same[0])[1] for m in both.quoted.words[i].marks}
        for i in ruled:
            for mark in both.said.words[i].marks:
                other = {m for m in theirs if (m.kind, m.value) == (mark.kind, mark.value)}
                if mark.kind == "opposite" and other and mark not in other:
                    return f'the evidence says another thing than "{both.said.words[i].text}" of it'
    return ""


def _is_same(both: Compared, within: tuple[int, ...], other: int) -> bool:
    """Return whether a condition of the quote holds the words of one of the sentence."""
    theirs = _parts(both.quoted, other)[0]
    forms = {both.quoted.words[i].form for i in theirs}
    own, negated = _is_negated(both.said, within), _is_negated(both.quoted, theirs)
    return own == negated and {both.said.words[i].form for i in within} <= forms


def _is_negated(statement: Statement, places: tuple[int, ...]) -> bool:
    clauses = {statement.words[i].clause for i in places}
    return any(
        i in places or (not statement.words[i].content and statement.words[i].clause in clauses)
        for i in statement.having("neg")
    )


def _exchanged(both: Compared) -> str:
    """Return what took the place of "if" or "unless"."""
    own = {both.said.words[i].value_of("condition") for i in both.said.having("condition")}
    theirs = {both.quoted.words[i].value_of("condition") for i in both.quoted.having("condition")}
    neg = len(both.said.having("neg")), len(both.quoted.having("neg"))
    if both.quoted.having("only"):
        return ""
    if "unless" in own and "unless" not in theirs and neg[0] >= neg[1] and theirs & {"if", "when"}:
        return 'the evidence says "if", not "unless"'
    if "unless" in theirs and own & {"if", "when"} and "unless" not in own and neg[0] <= neg[1]:
        return 'the evidence says "unless", not "if"'
    return ""


def _parts(statement: Statement, place: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the words of a condition, and of what it rules: places that say something."""
    word = statement.words[place]
    sentence = [i for i, other in enumerate(statement.words) if other.sentence == word.sentence]
    saying = [i for i in sentence if statement.words[i].content or statement.words[i].value]
    if word.value_of("condition") == "post":
        same = [i for i in saying if statement.words[i].clause in {word.clause, word.clause - 1}]
        within = [i for i in same if i < place and i >= _clause_start(statement, place)]
        return tuple(within), tuple(i for i in saying if i not in within)
    within = [i for i in saying if i > place and statement.words[i].clause == word.clause]
    behind = [i for i in saying if i > place and i not in within]
    if sum(i < place for i in saying) < FRONT and len(behind) > 1:
        return tuple(within), tuple(behind)
    return tuple(within), _before(statement, place, saying)


def _clause_start(statement: Statement, place: int) -> int:
    """Return where what stands before a mark at the end of its clause begins."""
    clause = statement.words[place].clause - 1
    return min(i for i in range(place + 1) if statement.words[i].clause >= clause)


def _before(statement: Statement, place: int, saying: list[int]) -> tuple[int, ...]:
    """Return the clause before a condition, and the one before that where it is too short."""
    before = [i for i in saying if i < place]
    turn = max((i for i in range(place) if statement.words[i].text in TURNS), default=-1)
    behind = [i for i in before if i > turn]
    before = behind if len(behind) > 1 else before
    for clause in range(statement.words[place].clause - 1, -1, -1):
        part = [i for i in before if statement.words[i].clause >= clause]
        if len(part) >= FRONT:
            return tuple(part)
    return tuple(before)


def _is_about(both: Compared, ruled: tuple[int, ...]) -> bool:
    return bool(ruled) and sum(i in both.back for i in ruled) / len(ruled) >= ABOUT


def _share(both: Compared, within: tuple[int, ...]) -> float:
    held = sum(bool(both.said.like(both.quoted.words[i])) for i in within)
    return held / len(within)


def _text(statement: Statement, first: int, last: int) -> str:
    return " ".join(word.text for word in statement.words[first : last + 1])
