"""Where tables of two documents have different numbers in the same row and column."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from research_agent.core.content_words import content_words
from research_agent.core.figures import figures_in, plain
from research_agent.core.tables import cells, head_of
from research_agent.core.types import Chunk


@dataclass(frozen=True, slots=True)
class CellConflict:
    """Two numbers of one row and column, each with the key and the row of its passage."""

    value: str
    key: str
    row: str
    other_value: str
    other_key: str
    other_row: str


@dataclass(frozen=True, slots=True)
class _Cell:
    name: tuple[frozenset[str], frozenset[str]]
    """The words of the row's first cell and of the column's head."""
    value: str
    readings: frozenset[str]
    key: str
    doc_id: str
    row: str


def row_conflicts(sentence: str, chunks: Mapping[str, Chunk]) -> tuple[CellConflict, ...]:
    r"""Return the cells that a sentence names and that two documents fill with different numbers.

    The sentence holds all words of the row's first cell and of the column's head, and both
    documents have just these words there.

    >>> head = " | rate | fee"
    >>> old = Chunk("a", "2023", f"{head}\nCity loan | 4.5 | 10", kind="table")
    >>> new = Chunk("b", "2024", f"{head}\nCity loan | 4.7 | 10", kind="table")
    >>> found = row_conflicts("The rate of a city loan is 4.7.", {"c1": old, "c2": new})
    >>> [(one.value, one.key, one.other_value, one.other_key) for one in found]
    [('4.5', 'c1', '4.7', 'c2')]
    """
    said = content_words(sentence)
    named = [
        cell
        for key, chunk in chunks.items()
        if chunk.kind == "table"
        for cell in _cells(key, chunk)
        if all(words and words <= said for words in cell.name)
    ]
    return tuple(
        CellConflict(one.value, one.key, one.row, other.value, other.key, other.row)
        for one, other in combinations(named, 2)
        if one.name == other.name
        and one.doc_id != other.doc_id
        and not one.readings & other.readings
    )


def _cells(key: str, chunk: Chunk) -> Iterator[_Cell]:
    """Yield the cells of a table that hold a single number."""
    top = head_of(chunk.text)
    head = cells(top.rpartition("\n")[2])
    for line in chunk.text[len(top) :].split("\n"):
        row = cells(line)
        if not row or len(row) != len(head):
            continue
        for name, value in zip(head[1:], row[1:], strict=True):
            figures = figures_in(plain(value))
            if len(figures) == 1:
                names = content_words(row[0]), content_words(name)
                yield _Cell(names, value, figures[0].readings, key, chunk.doc_id, line)
