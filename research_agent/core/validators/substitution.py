"""What of a question a rewritten query no longer holds, and what it holds instead."""

from collections.abc import Sequence
from itertools import pairwise

from research_agent.core.validators.reading import Item, Reading

EXPANSION = 8
"""Words that may stand before an acronym in brackets as its name in full."""
LEAST_SHARED = 0.5
"""Share of the characters of a run that have to be found again, where words are not apart."""


def difference(asked: Reading, wanted: Reading) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return the content that was lost, and the content that was gained.

    Synonyms, words of one root, and a name in full for its acronym are neither.
    """
    lost = [i for i in asked.content if not _is_held(i, wanted)]
    gained = [i for i in wanted.content if not _is_held(i, asked)]
    spelled = _in_brackets(asked, wanted) | _in_brackets(wanted, asked)
    spelled |= _spelled(lost, wanted) | _spelled(gained, asked)
    spelled |= _numbered(asked, wanted) | _numbered(wanted, asked)
    return (
        tuple(item for item in lost if id(item) not in spelled),
        tuple(item for item in gained if id(item) not in spelled),
    )


def _is_held(item: Item, reading: Reading) -> bool:
    if item.dense:
        return _run_is_held(item.text, reading)
    return any(_match(item, other) for other in reading.items) or _is_in_parts(item, reading)


def _match(one: Item, other: Item) -> bool:
    if one.name or other.name:
        return one.text == other.text or (
            not (one.name and other.name) and bool(one.forms & other.forms)
        )
    groups = {(f.kind, f.group) for f in one.facets if f.kind == "synonym"}
    own = {(f.kind, f.group) for f in other.facets if f.kind == "synonym"}
    sides = {f for f in one.facets & other.facets if f.kind == "opposite"}
    return bool(one.forms & other.forms or groups & own or sides)


def _is_in_parts(item: Item, reading: Reading) -> bool:
    """Return whether a compound name stands in the text with other signs between its parts."""
    plain = _letters(item.text)
    texts = [_letters(other.text) for other in reading.items]
    return item.name and any(
        "".join(texts[i : i + n]) == plain for n in (1, 2, 3) for i in range(len(texts))
    )


def _numbered(apart: Reading, joined: Reading) -> set[int]:
    """Return the names that one text writes with their number apart, as in ML-KEM 768."""
    found: set[int] = set()
    for name, number in pairwise(apart.items):
        if name.name and number.number:
            plain = _letters(name.text) + number.text
            same = [item for item in joined.items if item.name and _letters(item.text) == plain]
            found |= {id(name), *map(id, same)} if same else set()
    return found


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _run_is_held(run: str, reading: Reading) -> bool:
    """Return whether a run of characters stands in the text, at least in good part."""
    plain = "".join(item.text for item in reading.items)
    if run in plain:
        return True
    others = [item.text for item in reading.items if item.dense or not item.has("function")]
    return len(run) > 1 and any(_shared(run, other) > LEAST_SHARED for other in others)


def _shared(run: str, other: str) -> float:
    """Return the share of the characters of `run` that `other` has."""
    return sum(char in other for char in run) / len(run)


def _in_brackets(holder: Reading, speller: Reading) -> set[int]:
    """Return what stands in `speller` right before a word in brackets that `holder` has too."""
    spelled: set[int] = set()
    texts = "".join(item.text for item in holder.items)
    for at, item in enumerate(speller.items):
        known = item.text in texts if item.dense else any(_match(item, i) for i in holder.items)
        if not item.bracket or not known:
            continue
        for before in reversed(speller.items[max(0, at - EXPANSION) : at]):
            held = _is_held(before, holder) and not before.has("function")
            if held or before.acronym or any(map(str.isdigit, before.text)):
                break
            spelled.add(id(before))
    return spelled


def _spelled(changed: Sequence[Item], other: Reading) -> set[int]:
    """Return the acronyms of `changed` that words of `other` spell, and these words."""
    found: set[int] = set()
    for item in changed:
        if item.acronym:
            words = _initials(item.text, other)
            found |= {id(item), *words} if words else set()
        elif item.dense:
            whole = [i for i in other.content if i.dense and _abbreviates(item.text, i.text)]
            found |= {id(item), *map(id, whole)} if whole else set()
    return found


def expansions(asked: Reading, wanted: Reading) -> frozenset[int]:
    """Return the ids of words in one text whose first letters the other, or both, abbreviate."""
    pairs = ((asked, wanted), (wanted, asked), (asked, asked), (wanted, wanted))
    found = (_initials(i.text, b) for a, b in pairs for i in a.items if i.acronym)
    return frozenset(identity for ids in found for identity in ids)


def _initials(acronym: str, reading: Reading) -> tuple[int, ...]:
    """Return the ids of the words in a row whose first letters are `acronym`."""
    for at in range(len(reading.items)):
        row: list[Item] = []
        for item in reading.items[at : at + EXPANSION]:
            if item.text[0] == acronym[len(row)]:
                row.append(item)
            elif not (row and item.has("function")):
                break
            if len(row) == len(acronym):
                return tuple(map(id, row))
    return ()


def _abbreviates(short: str, long: str) -> bool:
    """Return whether the characters of `short` stand in `long` in order, the first one first."""
    letters = iter(long)
    return len(short) > 1 and short[0] == long[0] and all(char in letters for char in short)
