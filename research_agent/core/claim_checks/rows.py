"""What a sentence says of whole rows and columns of a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from research_agent.core.claim_checks.compared import Compared, clause
from research_agent.core.claim_checks.reading import Statement, read
from research_agent.core.tables import cells

DESCRIBED = 0.5
"""Share of a row's or column's own words that a sentence says where it is about it."""


@dataclass(frozen=True)
class Row:
    """A row of a table below its head."""

    label: str
    names: frozenset[str]
    """Names in it, and in the row above whose first cell it continues."""
    values: frozenset[str]


@lru_cache(maxsize=256)
def parts(table: str) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    r"""Return the rows of the head, and those below it; rows of another width are left out.

    >>> parts("Sizes\n | key\nA1 | 32")
    ((('', 'key'),), (('A1', '32'),))
    """
    rows = [row for row in map(cells, table.split("\n")) if row]
    width = max(map(len, rows), default=0)
    rows = [row for row in rows if len(row) == width]
    body = next((i for i, row in enumerate(rows) if i and any(map(is_value, row))), 1)
    return tuple(rows[:body]), tuple(rows[body:])


def is_value(cell: str) -> bool:
    """Return whether a cell begins with a number.

    >>> is_value("~32 bytes"), is_value("ML-KEM-768")
    (True, False)
    """
    return cell.lstrip("~<>\u2264\u2265\u2248+-$ ")[:1].isdigit()


def of_another_row(said: Statement, table: str) -> str:
    r"""Return which number of a sentence stands only in rows that the sentence does not name.

    >>> table = "Set | Use | End\nA1 | keys | ends in 2030\nB2 | seals | ends in 2035"
    >>> of_another_row(read("A1 ends in 2035."), table)
    'the evidence says 2035 of b2, not of a1'
    """
    head, _ = parts(table)
    rows = _rows(table)
    above = read(" ".join(cell for row in head for cell in row))
    named = {
        word.form: frozenset(i for i, row in enumerate(rows) if word.form in row.names)
        for word in said.words
        if word.name
    }
    own = frozenset().union(*(found for found in named.values() if len(found) < len(rows)))
    if not own:
        return ""
    for word in said.words:
        there = frozenset(
            i for i, row in enumerate(rows) if word.value and word.value in row.values
        )
        if there and not there & own and not above.at(word.value):
            label, other = rows[min(there)].label, rows[min(own)].label
            return f"the evidence says {word.text} of {label}, not of {other}"
    return ""


@lru_cache(maxsize=256)
def _rows(table: str) -> tuple[Row, ...]:
    found: list[Row] = []
    first: frozenset[str] = frozenset()
    for row in parts(table)[1]:
        words = [word for cell in row if not is_value(cell) for word in read(cell).words]
        names = frozenset(word.form for word in words if word.name)
        values = frozenset(word.value for cell in row for word in read(cell).words if word.value)
        label = next((cell for cell in row if cell), "").lower()
        own = names if row[0] else names | first
        if row[0]:
            first = frozenset(word.form for word in read(row[0]).words if word.name)
        found.append(Row(label, own, values))
    return tuple(found)


def generalized(said: Statement, table: str) -> str:
    r"""Return what a sentence says of all rows, of which the table has it in some only.

    >>> table = " | key | seal\nA1 | 32 | 7\nB2 | 32 | 9"
    >>> generalized(read("All sets have a seal of 7 bytes."), table)
    'the evidence has 7, 9 there, not 7 for all'
    >>> generalized(read("The keys have different sizes."), table)
    'the evidence has 32 there for all'
    """
    marks = {mark for word in said.words for mark in word.marks}
    sides = {mark.side for mark in marks if mark.kind == "opposite" and mark.value == "same"}
    every = any(mark.kind == "quantity" and mark.value == "all" for mark in marks)
    if (not sides and not every) or said.having("neg"):
        return ""
    series = _series(said, table)
    if len(series) < 2 or _names_rows(said, table):  # noqa: PLR2004 (nothing to compare)
        return ""
    different = tuple(dict.fromkeys(series))
    if sides == {1} and len(different) == 1:
        return f"the evidence has {different[0]} there for all"
    if sides == {0} and len(different) == len(series):
        return f"the evidence has {', '.join(different)} there"
    own = [word for word in said.words if word.value and word.value in different]
    if every and not sides and len(own) == 1 and len(different) > 1:
        return f"the evidence has {', '.join(different)} there, not {own[0].text} for all"
    return ""


def _names_rows(said: Statement, table: str) -> bool:
    """Return whether a sentence speaks of some rows or columns alone, by their names."""
    head, _ = parts(table)
    names = [row.names for row in _rows(table)]
    names += [_names(cell) for row in head for cell in row]
    own = {word.form for word in said.words if word.name}
    return any(0 < sum(form in group for group in names) < len(names) for form in own)


def _names(cell: str) -> frozenset[str]:
    return frozenset(word.form for word in read(cell).words if word.name and len(word.form) > 2)  # noqa: PLR2004 (longer than a symbol)


def _series(said: Statement, table: str) -> tuple[str, ...]:
    """Return the values of the row or column that a sentence describes best; none where unclear."""
    head, body = parts(table)
    if not body:
        return ()
    described: list[tuple[float, tuple[str, ...]]] = []
    for column in range(1, len(body[0])):
        text = " ".join(dict.fromkeys(row[column] for row in head))
        described.append((_said_share(said, text), tuple(row[column] for row in body)))
    described += [(_said_share(said, row[0]), row[1:]) for row in body]
    best = max(described, key=lambda item: item[0])
    if best[0] < DESCRIBED or sum(item[0] == best[0] for item in described) > 1:
        return ()
    return tuple(cell for cell in best[1] if is_value(cell))


def _said_share(said: Statement, label: str) -> float:
    words = [word for word in read(label).words if word.content or word.name]
    return sum(bool(said.like(word)) for word in words) / len(words) if words else 0.0


def negated(both: Compared) -> str:
    """Return which value of a table's row a sentence negates; empty where it negates none."""
    if both.quoted.having("neg"):
        return ""
    for place in both.said.having("neg"):
        for i in _behind(both.said, place):
            if any(word.has("bound") for word in both.said.words[place:i]):
                continue
            if both.quoted.at(both.said.words[i].value):
                return f"the evidence does not negate {both.said.words[i].text}"
    return ""


def _behind(statement: Statement, place: int) -> Iterator[int]:
    yield from (
        i for i in clause(statement, place) if i > place and statement.words[i].text[:1].isdigit()
    )
