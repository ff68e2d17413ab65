"""How often something happens, or per what it is counted: "a month" for "a year"."""

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.reading import Statement
from research_agent.core.claim_checks.words import Mark, marks_of

PER = frozenset(["per", "every", "each", "a", "an", "setiap", "tiap", "sekali", "\u6bcf"])
"""Words before a unit of time that say how often."""
PERIODS = {
    "hourly": "hour", "daily": "day", "harian": "day", "weekly": "week", "mingguan": "week",
    "monthly": "month", "bulanan": "month", "annual": "year", "annually": "year",
    "yearly": "year", "tahunan": "year",
}  # fmt: skip
COUNTERS = frozenset(["\u4e2a", "\u9031"])
"""Characters between such a word and its unit."""


def other_frequency(both: Compared) -> str:
    """Return how often the evidence says it, where the sentence says another unit of time.

    Only where the evidence has none of the sentence's units of time.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said, quoted = read("The fee is paid every year."), read("The fee is paid every month.")
    >>> other_frequency(Compared(said, quoted))
    'the evidence says it of every "month", not "year"'
    """
    own, theirs = _periods(both.said), _periods(both.quoted)
    if not own or not theirs or own.keys() & theirs.keys():
        return ""
    if any(_has_unit(both.quoted, mark) for mark in own):
        return ""
    said, quoted = next(iter(own.values())), next(iter(theirs.values()))
    return f'the evidence says it of every "{quoted}", not "{said}"'


def _has_unit(statement: Statement, mark: Mark) -> bool:
    return any(mark in marks_of(word.text) for word in statement.words)


def _periods(statement: Statement) -> dict[Mark, str]:
    """Return the units of time by which something is counted, with their words."""
    found: dict[Mark, str] = {}
    words = statement.words
    for place, word in enumerate(words):
        if word.text in PERIODS:
            unit = PERIODS[word.text]
        elif place and _counts(statement, place):
            unit = word.text
        else:
            continue
        marks = (m for m in marks_of(unit) if m.kind == "unit" and m.value == TIME.value)
        found.update((mark, word.text) for mark in marks)
    return found


def _counts(statement: Statement, place: int) -> bool:
    before = statement.words[place - 1]
    if before.text in COUNTERS and place > 1:
        before = statement.words[place - 2]
    return before.text in PER


TIME = next(mark for mark in marks_of("second") if mark.kind == "unit")
"""The dimension of time."""
