"""Numbers, units, months and identifiers that belong to something else in the evidence."""

from collections.abc import Iterator, Sequence

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.pairing import best_place, exchanged_with
from research_agent.core.claim_checks.reading import Statement, Word
from research_agent.core.claim_checks.respective import agreed_places, owners
from research_agent.core.claim_checks.strength import SIDES
from research_agent.core.claim_checks.words import Mark, marks_of

CLEARER = 1.25
"""How much better the neighbours of another value have to fit than those of the value itself."""
CALENDAR = frozenset(["month", "day"])
"""Marks of words that name a month, or a day of the week."""
YEAR = 4
"""Digits of a year."""
BITS = 8
"""A byte's: 32 bytes are 256 bits."""
SOFT = frozenset(["more", "less"])
"""Bounds that stand before their number only: "three times larger than" is none."""
BETWEEN = frozenset(["and", "or", "to", "dan", "atau", "sampai"])
"""Words between numbers that share the unit behind the last one."""
AROUND = 4
"""Words on either side of a number that may bound it: "at least", "or more"."""


def misplaced(both: Compared) -> str:
    """Return which value the evidence has instead of one of the sentence; empty where none.

    >>> from research_agent.core.claim_checks.reading import read
    >>> quoted = read("Keys have 1184 bytes and ciphertexts have 1088 bytes.")
    >>> misplaced(Compared(read("Ciphertexts have 1184 bytes."), quoted))
    'the evidence says 1088 there, not 1184'
    """
    told = dict(owners(both))
    agreed = frozenset(agreed_places(both)) | {place for place, right in told.items() if not right}
    listed = frozenset(i for lists in parallel(both.quoted) for places in lists for i in places)
    forms = {both.quoted.words[i].form for i in listed}
    for place, word in enumerate(both.said.words):
        if told.get(place):
            found = f"the evidence says {told[place]} there, not {word.text}"
        elif place in agreed:
            found = _unit(both, place) or _bound(both, place)
        elif word.value:
            found = _unit(both, place) or _owner(both, place) or _bound(both, place)
            if not found and listed.isdisjoint(both.quoted.at(word.value)):
                found = _other_value(both, place)
        else:
            is_apart = word.name and word.form not in forms
            found = _name(both, place) if is_apart else _calendar(both, place)
        if found:
            return found
    return ""


def other_unit(both: Compared) -> str:
    """Return which number of the sentence has another unit in the evidence; empty where none."""
    places = (i for i, word in enumerate(both.said.words) if word.value)
    return next((found for i in places if (found := _unit(both, i))), "")


def _unit(both: Compared, place: int) -> str:
    """Return the unit that the evidence has behind the same number instead."""
    own = _unit_at(both.said, place)
    if own is None:
        return ""
    value = both.said.words[place].value
    behind = [_unit_at(both.quoted, other) for other in both.quoted.at(value)]
    units = {unit for unit in behind if unit and unit.value == own.value}
    if not units and not any(behind):
        marks = (mark for word in both.context.words for mark in marks_of(word.text))
        units = {mark for mark in marks if mark.kind == "unit" and mark.value == own.value}
    if units and own not in units:
        return f"the evidence has another unit than {value} {both.said.words[place + 1].text}"
    return ""


def _unit_at(statement: Statement, place: int) -> Mark | None:
    words = statement.words
    if place + 1 == len(words):
        return None
    found = next((mark for mark in words[place + 1].marks if mark.kind == "unit"), None)
    if found or words[place].sentence != words[place + 1].sentence:
        return found
    at = place + 1
    while at < len(words) and (words[at].value or words[at].text in BETWEEN):
        at += 1
    listed = place + 1 < at < len(words) and bool(words[at - 1].value)
    return next((m for m in words[at].marks if m.kind == "unit"), None) if listed else None


def converted(said: Statement, quoted: Statement, place: int) -> bool:
    """Return whether the quote has a number of bytes in bits, or the reverse.

    >>> from research_agent.core.claim_checks.reading import read
    >>> converted(read("32 bytes"), read("256 bits"), 0)
    True
    """
    value, unit = said.words[place].value, _unit_at(said, place)
    if not value.isdigit() or not unit or unit.value != "bit" or unit.side > 1:
        return False
    other = str(int(value) * BITS) if unit.side else str(int(value) // BITS)
    units = [_unit_at(quoted, i) for i in quoted.at(other)]
    exact = bool(unit.side) or int(value) % BITS == 0
    return exact and any(u and u.value == "bit" and u.side == 1 - unit.side for u in units)


def _owner(both: Compared, place: int) -> str:
    """Return the name that a list of the evidence gives a number to, where it is another one."""
    value = both.said.words[place].value
    for names, values in parallel(both.quoted):
        order = [both.quoted.words[i].form for i in names]
        figures = [both.quoted.words[i].value for i in values]
        owners = {name for name, figure in zip(order, figures, strict=True) if figure == value}
        own = _owner_said(both.said, place, order)
        if owners and own and own not in owners:
            right = figures[order.index(own)]
            named = both.quoted.words[names[order.index(own)]].text
            return f"the evidence says {right} for {named}, not {value}"
    return ""


def _owner_said(statement: Statement, place: int, order: Sequence[str]) -> str:
    """Return which of the names a number of the sentence belongs to; empty where unclear."""
    for names, values in parallel(statement):
        if place in values:
            return statement.words[names[values.index(place)]].form
    named = [i for i, word in enumerate(statement.words) if word.name and word.form in order]
    same = [i for i in named if statement.words[i].sentence == statement.words[place].sentence]
    if not same:
        return ""
    return statement.words[min(same, key=lambda i: abs(i - place))].form


def parallel(statement: Statement) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield lists of names with the list of as many numbers in the same sentence.

    >>> from research_agent.core.claim_checks.reading import read
    >>> list(parallel(read("A1 and B2 have 3 and 4 bytes.")))
    [((0, 2), (4, 6))]
    """
    names = _runs(statement, [i for i, word in enumerate(statement.words) if word.name])
    values = _runs(statement, [i for i, word in enumerate(statement.words) if word.value])
    for one in names:
        for other in values:
            sentences = {statement.words[i].sentence for i in (*one, *other)}
            if len(one) == len(other) and len(sentences) == 1:
                yield one, other


def _runs(statement: Statement, places: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the lists among some places: nothing but "and" and units stand between them."""
    runs: list[list[int]] = []
    for place in places:
        if runs and _joined(statement, runs[-1][-1], place):
            runs[-1].append(place)
        else:
            runs.append([place])
    return [tuple(run) for run in runs if len(run) > 1]


def _joined(statement: Statement, one: int, other: int) -> bool:
    between = statement.words[one + 1 : other]
    return len(between) <= 2 and all(  # noqa: PLR2004 (a unit and a conjunction)
        word.has("unit") or not (word.content or word.value or word.marks) for word in between
    )


def _other_value(both: Compared, place: int) -> str:
    """Return the number that stands in the evidence where the sentence's number should."""
    word, unit = both.said.words[place], _unit_at(both.said, place)
    own = both.quoted.at(word.value)
    units = {unit, *(_unit_at(both.quoted, i) for i in own)}
    rivals = [
        i
        for i, other in enumerate(both.quoted.words)
        if other.value and other.value != word.value and are_alike(both, place, i)
        if _unit_at(both.quoted, i) in units
    ]
    best = best_place(both.said, place, both.quoted, rivals)
    if best is None or (not own and word.text[:1].isdigit()):
        return ""
    if not own and (other := _before_same(both, place, rivals)):
        return f"the evidence says {other} there, not {word.text}"
    if not exchanged_with(both.said, place, both.quoted, own, best, by=CLEARER):
        return ""
    return f"the evidence says {both.quoted.words[best].text} there, not {word.text}"


def _before_same(both: Compared, place: int, rivals: Sequence[int]) -> str:
    """Return the number that no word of the sentence means and that stands before the same word."""
    following = [word.form for word in both.said.words[place + 1 : place + 2]]
    for i in rivals:
        if i not in both.back and following == [w.form for w in both.quoted.words[i + 1 : i + 2]]:
            return both.quoted.words[i].text
    return ""


def are_alike(both: Compared, place: int, other: int) -> bool:
    """Return whether two numbers could stand for each other: no day for a year."""
    one, two = both.said.words[place].value, both.quoted.words[other].value
    dated = _is_dated(both.said, place) or _is_dated(both.quoted, other)
    return not dated or (len(one) == YEAR) == (len(two) == YEAR)


def _is_dated(statement: Statement, place: int) -> bool:
    near = statement.words[max(place - 2, 0) : place + 2]
    return any(word.has("month") for word in near)


def _bound(both: Compared, place: int) -> str:
    """Return how the evidence bounds a number that the sentence bounds otherwise."""
    value = both.said.words[place].value
    own = _side(both.said, place)
    others = [_side(both.quoted, i) for i in both.quoted.at(both.said.words[place].value)]
    own_side = SIDES.get(own[0], "")
    sides = {SIDES.get(kind, "") for kind, _ in others}
    if own[0] == "exact" and any(kind == "about" for kind, _ in others):
        return f'the evidence says "{next(t for kind, t in others if kind == "about")}" {value}'
    if not others or own_side in sides:
        return ""
    text = next((text for kind, text in others if kind in SIDES), "")
    if text:
        return f'the evidence says "{text}" {value}'
    around = {SIDES.get(word.value_of("bound"), "") for word in both.context.words}
    return "" if own_side in around else f'the evidence does not say "{own[1]}" {value}'


def _side(statement: Statement, place: int) -> tuple[str, str]:
    """Return the nearest bound of a number, and its words; empty texts where it has none."""
    clause = statement.words[place].clause
    near = [
        i
        for i in statement.having("bound")
        if -AROUND < i - place < AROUND and statement.words[i].clause == clause
        if i < place or statement.words[i].value_of("bound") not in SOFT
        if not any(statement.words[k].value for k in range(min(i, place) + 1, max(i, place)))
    ]
    if not near:
        return "", ""
    word = statement.words[min(near, key=lambda i: abs(i - place))]
    return word.value_of("bound"), word.text


def _is_sister(one: Word, other: Word) -> bool:
    """Return whether two names are of one family, or differ in their last letter alone."""
    if other.form in {one.form, other.family}:
        return one.form[:-1] == other.form[:-1] != "" and one.form != other.form
    return other.form.isascii() and other.family == one.family


def _name(both: Compared, place: int) -> str:
    """Return the name of the same family of which the evidence says it instead."""
    word = both.said.words[place]
    rivals = [
        i for i, other in enumerate(both.quoted.words) if other.name if _is_sister(word, other)
    ]
    own = both.quoted.at(word.form)
    if not own:
        rivals = [i for i in rivals if not both.said.at(both.quoted.words[i].form)]
    if not rivals or (not own and both.context.at(word.form)):
        return ""
    best = best_place(both.said, place, both.quoted, rivals)
    if best is None or not exchanged_with(both.said, place, both.quoted, own, best, by=CLEARER):
        return ""
    return f"the evidence says it of {both.quoted.words[best].text}, not of {word.text}"


def _calendar(both: Compared, place: int) -> str:
    """Return the month or day of the week that the evidence has instead."""
    own = {mark for mark in both.said.words[place].marks if mark.kind in CALENDAR}
    if not own:
        return ""
    kinds = {mark.kind for mark in own}
    alike = [
        i
        for i, word in enumerate(both.quoted.words)
        if any(mark.kind in kinds for mark in word.marks)
    ]
    same = [i for i in alike if own & both.quoted.words[i].marks]
    rivals = [i for i in alike if i not in same]
    best = best_place(both.said, place, both.quoted, rivals)
    clauses = [both.quoted.words[i].clause for i in alike]
    ranges = "day" in kinds and len(set(clauses)) < len(clauses)
    if best is None or ranges or (same and "day" not in kinds):
        return ""
    if same and not exchanged_with(both.said, place, both.quoted, same, best, by=CLEARER):
        return ""
    return f"the evidence says {both.quoted.words[best].text}, not {both.said.words[place].text}"
