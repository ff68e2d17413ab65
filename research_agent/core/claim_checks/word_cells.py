"""Cells of a table that say a word, such as "closed", where a sentence says its opposite."""

from research_agent.core.claim_checks.reading import Statement, read
from research_agent.core.claim_checks.rows import is_value, parts
from research_agent.core.claim_checks.words import Mark


def opposite_cell(said: Statement, table: str) -> str:
    r"""Return the cell that says the opposite of a sentence which names its row and its column.

    >>> table = "Day | Pool | Sauna\nMonday | closed | closed\nSunday | 8 to 18 | 10 to 20"
    >>> opposite_cell(read("On Monday the pool is open."), table)
    'the evidence says "closed" for monday, pool'
    >>> opposite_cell(read("On Monday the pool is not open."), table)
    ''
    """
    above, below = parts(table)
    if not above or said.having("neg"):
        return ""
    for row in (*above[1:], *below):  # (a row of words alone may count as a part of the head)
        if is_value(row[0]) or not _names(said, row[0]):
            continue
        for place, cell in enumerate(row[1:], 1):
            head = above[0][place].strip()
            if is_value(cell) or not _names(said, head):
                continue
            if _sides(read(cell)) & {(axis, not side) for axis, side in _sides(said)}:
                return f'the evidence says "{cell}" for {row[0].lower()}, {head.lower()}'
    return ""


def _names(said: Statement, label: str) -> bool:
    """Return whether a sentence has every word of a row's label or of a column's head."""
    words = [word for word in read(label).words if word.content or word.name]
    return bool(words) and all(said.like(word) for word in words)


def _sides(statement: Statement) -> frozenset[tuple[str, bool]]:
    marks = {mark for word in statement.words for mark in word.marks}
    return frozenset((mark.value, bool(mark.side)) for mark in marks if _is_opposite(mark))


def _is_opposite(mark: Mark) -> bool:
    return mark.kind == "opposite" and mark.side in {0, 1}
