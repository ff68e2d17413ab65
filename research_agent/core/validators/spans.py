"""Whether a rewritten query keeps what may not change: numbers, names, negations, relations."""

from collections.abc import Sequence
from itertools import pairwise

from research_agent.core.validators.exchange import exchanged
from research_agent.core.validators.lexicon import FacetKind
from research_agent.core.validators.reading import Item, Reading, language_of, read
from research_agent.core.validators.rewrite_words import RewriteWords, alternatives
from research_agent.core.validators.substitution import difference, expansions
from research_agent.core.validators.verdicts import Accept, Block, Ruling
from research_agent.core.words import fold

VALIDATOR = "protected words"
CURRENCIES = frozenset("$\u20ac\u00a3")


def check_spans(question: str, query: str, languages: Sequence[RewriteWords]) -> Ruling:
    """Return whether `query` asks with other words for the same as `question`.

    Numbers with their units, quoted texts, names, negations and relations have to stay, nothing
    may take the place of what is asked about, and those who act may not change places with those
    acted upon. In a language without words of its own only what leaves every word in the query
    passes.

    >>> from research_agent.core.validators.languages import LANGUAGES
    >>> check_spans("Who paid after 30 days?", "Who paid after 60 days?", LANGUAGES).reason
    'numbers differ: 30 day, 60 day'
    >>> check_spans("Who wrote it?", "Who is the author of it?", LANGUAGES).ruling
    'accept'
    """
    words = language_of(question, languages)
    other = language_of(query, languages)
    if words and other and words is not other:
        return Block(VALIDATOR, f"is {other.language}, the question is {words.language}")
    asked, wanted = read(question, words or other), read(query, words or other)
    return _checked(asked, wanted, query)


def _checked(asked: Reading, wanted: Reading, query: str) -> Ruling:
    lost, gained = difference(asked, wanted)
    kept = len(asked.content) - len(lost)
    figures = {"kept": float(kept), "lost": float(len(lost)), "gained": float(len(gained))}
    gone = [quote for quote in asked.quotes if quote not in " ".join(fold(query).split())]
    reason = (
        (f"quoted text is missing: {', '.join(gone)}" if gone else "")
        or _counted(asked, wanted)
        or _changed(asked, wanted)
        or exchanged(asked, wanted)
        or _replaced(asked, lost, gained)
    )
    return Block(VALIDATOR, reason, figures) if reason else Accept(VALIDATOR, figures=figures)


def _counted(asked: Reading, wanted: Reading) -> str:
    """Return which numbers or how many negations differ, empty where none do."""
    if numbers := _numbers(asked, wanted) ^ _numbers(wanted, asked):
        return f"numbers differ: {', '.join(sorted(numbers))}"
    before, after = negations(asked), negations(wanted)
    return f"negations differ: {before} and {after}" if before != after else ""


def _replaced(asked: Reading, lost: Sequence[Item], gained: Sequence[Item]) -> str:
    """Return what was replaced or left out that the question is about, empty where nothing was."""
    gone, new = ", ".join(i.text for i in lost), ", ".join(i.text for i in gained)
    names = [item.text for item in lost if item.name or item.dense]
    made_up = [item.text for item in gained if item.name]
    if names:
        return f"names are missing: {', '.join(names)}"
    if made_up:
        return f"names were added: {', '.join(made_up)}"
    if lost and gained:
        return f"{gone} became {new}"
    if lost and not asked.language:
        return f"{gone} is missing, in a language that is not known"
    if lost and len(lost) * 2 > len(asked.content):
        return f"most is missing: {gone}"
    return f"{new} in a language that is not known" if gained and not asked.language else ""


def _numbers(reading: Reading, other: Reading) -> frozenset[str]:
    """Return the numbers of a text, each with its unit; not those that are part of a name.

    Where one text writes ML-KEM 768 and the other ML-KEM-768, the number is kept.
    """
    names = [item.text for item in other.items if item.name]
    found: list[str] = []
    before = Item("")
    for item, after in pairwise([*reading.items, Item("")]):
        spelled = any(before.text + sep + item.text in names for sep in "-_./+")
        if item.number and not (before.name and spelled):
            unit = _currency(before, reading) or _unit_name(after, reading)
            found.append(f"{item.number} {unit}".strip())
        before = item
    return frozenset(found)


def _currency(item: Item, reading: Reading) -> str:
    """Return the unit that a sign before a number means, empty where it is none."""
    if item.text not in CURRENCIES:
        return ""
    groups = (group for group in reading.words.units if item.text in alternatives(group))
    return next(groups, item.text).split("|")[0]


def _unit_name(item: Item, reading: Reading) -> str:
    return reading.words.units[item.unit].split("|")[0] if item.unit >= 0 else ""


def negations(reading: Reading) -> int:
    """Return how many words of a text negate."""
    return sum(item.has("negation") and not item.has("spared") for item in reading.items)


def _changed(asked: Reading, wanted: Reading) -> str:
    """Return which relation was lost, gained or exchanged, empty where none was."""
    spelled = expansions(asked, wanted)
    before = _sides(asked, "relation", without=spelled)
    after = _sides(wanted, "relation", without=spelled)
    for axis in sorted({*before, *after}):
        if before.get(axis, frozenset()) != after.get(axis, frozenset()):
            changed = _named(asked.words.relations[axis], before.get(axis), after.get(axis))
            return f"relations differ: {changed}"
    before, after = _sides(asked, "opposite"), _sides(wanted, "opposite")
    for axis in sorted({*before} & {*after}):
        if not before[axis] & after[axis]:
            changed = _named(asked.words.opposites[axis], before[axis], after[axis])
            return f"relations differ: {changed}"
    return ""


def _sides(
    reading: Reading, kind: FacetKind, *, without: frozenset[int] = frozenset()
) -> dict[int, frozenset[int]]:
    """Return the sides that a text takes on each axis; not those of the items `without`."""
    found: dict[int, frozenset[int]] = {}
    for item in reading.items:
        for facet in item.facets if id(item) not in without else ():
            if facet.kind == kind:
                found[facet.group] = found.get(facet.group, frozenset()) | {facet.side}
    return found


def _named(
    sides: Sequence[str], before: frozenset[int] | None, after: frozenset[int] | None
) -> str:
    names = [
        " and ".join(sides[side].split("|")[0].rstrip("*") for side in sorted(found or ()))
        for found in (before, after)
    ]
    return f"{names[0] or 'nothing'} became {names[1] or 'nothing'}"
