"""What of a sentence was looked for in its quotes, and whether it is there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.polarity import with_prefixes
from research_agent.core.claim_checks.reading import Statement, Word, read
from research_agent.core.claim_checks.values import converted
from research_agent.core.claim_checks.words import Mark, marks_of


@dataclass(frozen=True, slots=True)
class Checked:
    """A number, unit, identifier or negation of a sentence."""

    kind: Literal["number", "unit", "identifier", "negation"]
    text: str
    """As the sentence says it, folded; of a unit with its number."""
    found: bool
    """Whether a quote says it; of identifiers and units also its chunk, headings or title."""


def listed(sentence: str, quotes: Sequence[str], around: str = "") -> tuple[Checked, ...]:
    """Return what of a sentence was looked for, in its order.

    >>> [(item.kind, item.text, item.found) for item in listed("No key has 32 bytes.", ["has 32"])]
    [('negation', 'no', False), ('number', '32', True), ('unit', '32 bytes', False)]
    """
    quoted = read("\n\n".join(quotes))
    said = with_prefixes(read(sentence), quoted)
    both = Compared(said, with_prefixes(quoted, said), around)
    return tuple(item for place, word in enumerate(said.words) for item in _of(both, place, word))


def _of(both: Compared, place: int, word: Word) -> Iterator[Checked]:
    """Yield what one word is checked for."""
    if word.name:
        named = both.quoted.at(word.form) or both.context.at(word.form)
        yield Checked("identifier", word.text, bool(named))
    if word.has("neg"):
        yield Checked("negation", word.text, bool(both.quoted.having("neg")))
    if not word.value:
        return
    elsewhere = converted(both.said, both.quoted, place)
    yield Checked("number", word.text, bool(both.quoted.at(word.value)) or elsewhere)
    words = both.said.words
    behind = words[place + 1] if place + 1 < len(words) else None
    units = {mark for mark in behind.marks if mark.kind == "unit"} if behind else set()
    if behind and units:
        held = _has_unit(both.quoted, units) or _has_unit(both.context, units)
        yield Checked("unit", f"{word.text} {behind.text}", held or elsewhere)


def _has_unit(statement: Statement, units: set[Mark]) -> bool:
    return any(not units.isdisjoint(marks_of(word.text)) for word in statement.words)
