"""Values of a table that stand in another row or column than the sentence says."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_agent.core.claim_checks.reading import Statement, read
from research_agent.core.claim_checks.rows import is_value, parts
from research_agent.core.claim_checks.values import parallel
from research_agent.core.support import is_short

CLEARER = 1.2
"""How much better row and column of another cell have to fit than those of the value's own."""
COMPARATIVES = frozenset(["larger", "longer", "higher", "more"])
"""Opposites of which the first side is the greater one."""
FAR = 6.0
"""Words after which a name in the sentence counts half for a number."""


@dataclass(frozen=True)
class Cell:
    """A value with the words of its row and of its column."""

    text: str
    values: frozenset[str]
    row: frozenset[str]
    column: frozenset[str]
    line: frozenset[str]
    """All words of the row."""
    label: str
    """Row and column as they are written, for people."""


def in_another_cell(said: Statement, table: str, *, among: frozenset[str] | None = None) -> str:
    r"""Return what the table has where the sentence's value should stand; empty where it is right.

    With `among` only these values are looked at.

    >>> table = " | key | ciphertext\nML-KEM-768 | 1184 | 1088\nML-KEM-1024 | 1568 | 1568"
    >>> in_another_cell(read("The ciphertext of ML-KEM-768 has 1184 bytes."), table)
    'the evidence says 1088 for ml-kem-768, ciphertext, not 1184'
    """
    grid = _grid(table)
    rows, columns = _rarity([c.row for c in grid]), _rarity([c.column for c in grid])
    listed = _in_order(said, grid, columns)
    if listed is not None:
        return listed
    for place, word in enumerate(said.words):
        if among is not None and word.value not in among:
            continue
        own = [cell for cell in grid if word.value in cell.values]
        if not own:
            continue
        others = [cell for cell in grid if word.value not in cell.values]
        near = _near(said, place)
        others = [cell for cell in others if not _is_taken(said, place, cell, near, columns)]
        if not others:
            continue
        fits = {id(c): _fit(c.row, rows, near) + _fit(c.column, columns, near) for c in grid}
        there = max(fits[id(cell)] for cell in own)
        best = max(others, key=lambda cell: fits[id(cell)])
        if fits[id(best)] > there * CLEARER and not any(_includes(cell, best) for cell in own):
            return f"the evidence says {best.text} for {best.label}, not {word.text}"
    return ""


def _includes(cell: Cell, other: Cell) -> bool:
    """Return whether a cell's row has all that names another's, in the same column, and more.

    "Deprecated after 2030, disallowed after 2035" includes what is "disallowed after 2035".
    """
    return other.row < cell.line and other.column == cell.column


def _is_taken(
    said: Statement, place: int, cell: Cell, near: dict[str, float], columns: dict[str, float]
) -> bool:
    """Return whether another number of the sentence says what a cell holds, and fits it better."""
    if not cell.values <= {word.value for i, word in enumerate(said.words) if i != place}:
        return False
    here = _fit(cell.column, columns, near)
    return any(
        _fit(cell.column, columns, _near(said, i)) > here
        for i, word in enumerate(said.words)
        if i != place and word.value in cell.values
    )


def _in_order(said: Statement, grid: Sequence[Cell], columns: dict[str, float]) -> str | None:
    """Return what is wrong where a sentence names columns and then as many values, in one order.

    None where it does not, or has other values than those columns.
    """
    places = _mentioned(said, grid, columns)
    order = sorted(places, key=places.__getitem__)
    values = [(i, word.value) for i, word in enumerate(said.words) if word.value]
    values = [(i, value) for i, value in values if any(value in cell.values for cell in grid)]
    if len(order) < 2 or len(order) != len(values):  # noqa: PLR2004 (nothing to put in order)
        return None
    if not _are_paired([places[column] for column in order], [i for i, _ in values]):
        return None
    names = {word.form for word in said.words if word.name}
    owners = [
        {c.column for c in grid if value in c.values and names & c.row} for _, value in values
    ]
    if all(column in own for column, own in zip(order, owners, strict=True)):
        return _compared(said, [value for _, value in values])
    if all(any(column in own for own in owners) for column in order):
        return f"the evidence has {', '.join(value for _, value in values)} in another order"
    return None


def _mentioned(
    said: Statement, grid: Sequence[Cell], columns: dict[str, float]
) -> dict[frozenset[str], int]:
    """Return where a sentence names columns: each by a word that no other named one has."""
    named = [
        column
        for column in dict.fromkeys(cell.column for cell in grid)
        if any(columns[word] for word in column)
        and all(said.at(word) for word in column if columns[word])
    ]
    found: dict[frozenset[str], int] = {}
    for column in named:
        others = frozenset().union(*(other for other in named if other != column))
        own = [said.at(word)[0] for word in column - others if columns[word]]
        if own:
            found[column] = min(own)
    return found if len(found) == len(named) else {}


def _are_paired(columns: Sequence[int], values: Sequence[int]) -> bool:
    """Return whether places are columns and then values, or a column and a value by turns."""
    if columns[-1] < values[0]:
        return True
    by_turns = [place for pair in zip(columns, values, strict=True) for place in pair]
    return by_turns == sorted(by_turns)


def _compared(said: Statement, values: Sequence[str]) -> str:
    """Return what is wrong where a sentence calls the smaller of two numbers the larger one."""
    marks = {mark for word in said.words for mark in word.marks if mark.kind == "opposite"}
    sides = {mark.side for mark in marks if mark.value in COMPARATIVES}
    if len(sides) != 1 or not any("than" in word.text.split() for word in said.words):
        return ""
    first, second = float(values[0]), float(values[1])
    if (first > second) == (sides == {0}) and first != second:
        return ""
    return f"{values[0]} and {values[1]} of the evidence compare otherwise"


def _near(said: Statement, place: int) -> dict[str, float]:
    """Return the weight of each word of the sentence for a number; the nearer, the more.

    Where names and numbers are listed in the same order, each number has one name.
    """
    lists = [lists for lists in parallel(said) if place in lists[1]]
    other: set[int] = set()
    for names, values in lists:
        other |= {i for i in names if i != names[values.index(place)]}
    weights: dict[str, float] = {}
    for i, word in enumerate(said.words):
        if i in other or i == place:
            continue
        distance = 0.0 if lists and word.name else abs(i - place)
        same = word.clause == said.words[place].clause
        weight = (1.0 if same else 0.75) / (1 + distance / FAR)
        weights[word.form] = max(weights.get(word.form, 0.0), weight)
    return weights


def _fit(words: frozenset[str], rarity: dict[str, float], near: dict[str, float]) -> float:
    whole = sum(rarity[word] for word in words)
    return sum(rarity[word] * _nearness(word, near) for word in words) / whole if whole else 0.0


def _nearness(word: str, near: dict[str, float]) -> float:
    """Return the weight of a word, or of one that it abbreviates."""
    if word in near:
        return near[word]
    return max((weight for form, weight in near.items() if is_short(word, form)), default=0.0)


def _rarity(described: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return how well each word tells rows, or columns, apart: 1 in one alone, 0 in all."""
    different = set(described)
    if len(different) < 2:  # noqa: PLR2004 (nothing to tell apart)
        return dict.fromkeys(frozenset().union(*different), 0.0)
    every = frozenset().union(*different)
    return {
        word: 1 - (sum(word in words for words in different) - 1) / (len(different) - 1)
        for word in every
    }


@lru_cache(maxsize=256)
def _grid(table: str) -> tuple[Cell, ...]:
    """Return the cells with numbers of a table."""
    above, below = parts(table)
    width = len(above[0]) if above else 0
    head = [" ".join(dict.fromkeys(row[c] for row in above)).strip() for c in range(width)]
    found: list[Cell] = []
    for row in below:
        label = next((cell for cell in row if cell and not is_value(cell)), row[0])
        named = _forms(" ".join(cell for cell in row if not is_value(cell)) or row[0])
        line = frozenset(word.form for word in read(" ".join(row)).words)
        for place, cell in enumerate(row):
            if (place or label != cell) and is_value(cell):
                values = frozenset(word.value for word in read(cell).words if word.value)
                title = ", ".join(part for part in (label, head[place]) if part).lower()
                found.append(Cell(cell, values, named, _forms(head[place]), line, title))
    return tuple(found)


def _forms(text: str) -> frozenset[str]:
    words = read(text).words
    found = frozenset(word.form for word in words if word.content or word.name)
    return found or frozenset(word.form for word in words)
