"""Values of a table that stand in another row or column than the sentence says."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_agent.core.claim_checks.reading import Statement, read
from research_agent.core.claim_checks.values import parallel
from research_agent.core.tables import cells

CLEARER = 1.2
"""How much better row and column of another cell have to fit than those of the value's own."""
FAR = 6.0
"""Words after which a name in the sentence counts half for a number."""


@dataclass(frozen=True)
class Cell:
    """A value with the words of its row and of its column."""

    text: str
    values: frozenset[str]
    row: frozenset[str]
    column: frozenset[str]
    label: str
    """Row and column as they are written, for people."""


def in_another_cell(said: Statement, table: str) -> str:
    r"""Return what the table has where the sentence's value should stand; empty where it is right.

    >>> table = " | key | ciphertext\nML-KEM-768 | 1184 | 1088\nML-KEM-1024 | 1568 | 1568"
    >>> in_another_cell(read("The ciphertext of ML-KEM-768 has 1184 bytes."), table)
    'the evidence says 1088 for ml-kem-768, ciphertext, not 1184'
    """
    grid = _grid(table)
    rows, columns = _rarity([c.row for c in grid]), _rarity([c.column for c in grid])
    for place, word in enumerate(said.words):
        own = [cell for cell in grid if word.value and word.value in cell.values]
        others = [cell for cell in grid if word.value not in cell.values]
        if not own or not others:
            continue
        near = _near(said, place)
        fits = {id(c): _fit(c.row, rows, near) + _fit(c.column, columns, near) for c in grid}
        there = max(fits[id(cell)] for cell in own)
        best = max(others, key=lambda cell: fits[id(cell)])
        if fits[id(best)] > there * CLEARER and fits[id(best)] > there:
            return f"the evidence says {best.text} for {best.label}, not {word.text}"
    return ""


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
    return sum(rarity[word] * near.get(word, 0.0) for word in words) / whole if whole else 0.0


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
    rows = [row for row in map(cells, table.split("\n")) if row]
    width = max(map(len, rows), default=0)
    rows = [row for row in rows if len(row) == width]
    body = next((i for i, row in enumerate(rows) if i and any(map(_is_value, row))), len(rows))
    head = [" ".join(dict.fromkeys(row[c] for row in rows[:body])).strip() for c in range(width)]
    found: list[Cell] = []
    for row in rows[body:]:
        label = next((cell for cell in row if cell and not _is_value(cell)), row[0])
        named = _forms(" ".join(cell for cell in row if not _is_value(cell)) or row[0])
        for place, cell in enumerate(row):
            if (place or label != cell) and _is_value(cell):
                values = frozenset(word.value for word in read(cell).words if word.value)
                title = ", ".join(part for part in (label, head[place]) if part).lower()
                found.append(Cell(cell, values, named, _forms(head[place]), title))
    return tuple(found)


def _is_value(cell: str) -> bool:
    return cell.lstrip("~<>\u2264\u2265\u2248+-$ ")[:1].isdigit()


def _forms(text: str) -> frozenset[str]:
    return frozenset(word.form for word in read(text).words if word.content or word.name)
