"""Tables as rows of cells, so that a row can be read without its head.

A table in a chunk is one line a row with cells separated by `|`; the first such line is its head,
and lines above it are its caption.
"""

from collections.abc import Iterable, Sequence

SEPARATOR = "|"
MIN_COLUMNS = 3
HEAD_LINE = "--- | ---"
"""Below the head of a table of two columns: without it they may be names and values."""


def table_text(rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return a table below its caption; rows without anything in their cells are left out."""
    flat = ([" ".join(cell.split()) for cell in row] for row in rows)
    lines = (f" {SEPARATOR} ".join(row).strip() for row in flat if any(row))
    return "\n".join([*([caption] if caption else ()), *lines])


def cells(line: str) -> tuple[str, ...]:
    """Return the cells of a row; an empty tuple for a line that is none."""
    if SEPARATOR not in line:
        return ()
    return tuple(cell.strip() for cell in line.split(SEPARATOR))


def head_of(text: str) -> str:
    """Return the caption and the head of a table; empty where it has no head."""
    lines = text.split("\n")
    first = _head(lines)
    if first is None:
        return ""
    return "\n".join(lines[: first + 1 + (lines[first + 1] == HEAD_LINE)])


def without_line(text: str) -> str:
    """Return a table, or its head, without the line that marks a head of two columns."""
    return "\n".join(line for line in text.split("\n") if line != HEAD_LINE)


def spelled_out(text: str) -> str:
    r"""Return a table with the head's cell named beside each value.

    Small models read a row by its nearest words: with the head several lines above, they give a
    ciphertext the size of a key. Rows that have not as many cells as the head stay as they are,
    and so do tables of two columns that have neither an empty corner nor a marked head.

    >>> print(spelled_out("Table 3. Sizes\n | key | ciphertext\nML-KEM-768 | 1184 | 1088"))
    Table 3. Sizes
    ML-KEM-768: key = 1184; ciphertext = 1088
    """
    lines = text.split("\n")
    first = _head(lines)
    if first is None:
        return text
    head = cells(lines[first])
    rest = [line for line in lines[first + 1 :] if line != HEAD_LINE]
    rows = [_spelled(cells(line), head) or line for line in rest]
    return "\n".join([*lines[:first], *rows])


def _head(lines: Sequence[str]) -> int | None:
    """Return the line of a table's head; None where it has none, or no row below it."""
    first = next((i for i, line in enumerate(lines) if cells(line)), None)
    if first is None or first + 1 == len(lines):
        return None
    head = cells(lines[first])
    if lines[first + 1] == HEAD_LINE:
        return first
    return first if len(head) >= MIN_COLUMNS or not head[0] else None


def _spelled(row: tuple[str, ...], head: tuple[str, ...]) -> str:
    if len(row) != len(head):
        return ""
    named = [f"{name} = {value}" for name, value in zip(head[1:], row[1:], strict=True) if value]
    label = f"{head[0]} {row[0]}".strip()
    return f"{label}: {'; '.join(named)}" if named else label
