"""Tables as rows of cells, so that a row can be read without its head.

A table in a chunk is one line a row with cells separated by `|`; the first such line is its head,
and lines above it are its caption.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

SEPARATOR = "|"
_BAR = r"\|"
_BETWEEN = re.compile(r"(?<!\\)\|")
MIN_COLUMNS = 3
HEAD_LINE = "--- | ---"
"""Below the head of a table of two columns: without it they may be names and values."""
STUB = 2
"""Columns that say what a row is: its number or name, and what it is about."""
MOST_COVERED = 100
"""Columns that a cell is taken to cover at most."""
LONGEST_NAME = 200
"""Characters of a text that is repeated in each place its cell covers, at most."""
REPEATED = 1_000_000
"""Characters of a table that are repeated; cells after them are read as covering one place."""


class Cell(NamedTuple):
    """A cell that may cover several columns and rows."""

    text: str
    columns: int = 1
    rows: int = 1


def joined_cells(rows: Sequence[Sequence[Cell]], *, heads: int = 0, caption: str = "") -> str:
    r"""Return a table below its caption, with the text of a cell in every place that it covers.

    The first `heads` rows are known to be names of columns and become one. So do rows below names
    of several columns that begin with an empty place, or with one that is covered from above. A
    first row of one cell belongs to the caption. Columns without any text are left out.

    >>> head = [Cell("Zone", rows=2), Cell("Price", columns=2)], [Cell("Child"), Cell("Adult")]
    >>> print(joined_cells([*head, [Cell("A"), Cell("1"), Cell("2")]]))
    Zone | Price Child | Price Adult
    A | 1 | 2
    """
    kept = list(rows)
    if len(kept) > 1 and len(kept[0]) == 1 and kept[0][0].columns > 1:
        caption = "\n".join(filter(None, (caption, " ".join(kept[0][0].text.split()))))
        kept, heads = kept[1:], heads - 1
    grid = list(_spread(kept))
    marked, heads = heads > 0, max(heads, 1)
    while heads < len(grid) and any(cell.columns > 1 for cell in kept[heads - 1]):
        if not grid[heads] or grid[heads][0] not in ("", grid[0][0]):
            break
        heads += 1
    if 1 < heads < len(grid):
        width = max(map(len, grid[:heads]))
        columns = [[row[at] for row in grid[:heads] if at < len(row)] for at in range(width)]
        head = [" ".join(dict.fromkeys(filter(None, column))) for column in columns]
        grid = [head, *grid[heads:]]
    full = {at for row in grid for at, text in enumerate(row) if text}
    texts = ([text for at, text in enumerate(row) if at in full] for row in grid)
    return table_text(texts, caption, headed=marked)


def _spread(rows: Iterable[Sequence[Cell]]) -> Iterator[list[str]]:
    """Yield rows of texts; a long one is in the first of its places alone."""
    held: dict[int, tuple[str, int]] = {}
    spare = REPEATED
    for row in rows:
        above, held = held if spare > 0 else {}, {}
        line: list[str] = []
        for cell in (*row, None):
            while len(line) in above:
                text, left = above[len(line)]
                if left > 1:
                    held[len(line)] = (text, left - 1)
                line.append(text)
                spare -= len(text) + len(SEPARATOR)
            if cell is None:
                break
            text = " ".join(cell.text.split())
            name = text if len(text) <= LONGEST_NAME else ""
            columns = max(1, min(cell.columns, MOST_COVERED)) if spare > 0 else 1
            if cell.rows > 1:
                held |= dict.fromkeys(range(len(line), len(line) + columns), (name, cell.rows - 1))
            line += [text, *[name] * (columns - 1)]
            spare -= (columns - 1) * (len(name) + len(SEPARATOR))
        yield line


def table_text(rows: Iterable[Sequence[str]], caption: str = "", *, headed: bool = False) -> str:
    r"""Return a table below its caption; rows without anything in their cells are left out.

    With `headed` its first row has the names of its columns. A bar within a cell is written `\|`.

    >>> table_text([("a | b", "c")]), cells(table_text([("a | b", "c")]))
    ('a \\| b | c', ('a | b', 'c'))
    """
    flat = ([" ".join(cell.split()).replace("|", _BAR) for cell in row] for row in rows)
    kept = [row for row in flat if any(row)]
    lines = [f" {SEPARATOR} ".join(row).strip() for row in kept]
    if headed and len(kept) > 1 and len(kept[0]) == MIN_COLUMNS - 1:
        lines.insert(1, HEAD_LINE)
    return "\n".join([*([caption] if caption else ()), *lines])


def cells(line: str) -> tuple[str, ...]:
    """Return the cells of a row; an empty tuple for a line that is none."""
    if not _BETWEEN.search(line):
        return ()
    return tuple(cell.strip().replace(_BAR, SEPARATOR) for cell in _BETWEEN.split(line))


def head_of(text: str) -> str:
    """Return the caption and the head of a table; empty where it has no head."""
    lines = text.split("\n")
    first = _head(lines)
    if first is None:
        return ""
    return "\n".join(lines[: first + 1 + (lines[first + 1] == HEAD_LINE)])


def by_columns(text: str, most: int) -> list[str]:
    r"""Return a table whose head has over `most` characters as several ones with some columns each.

    They begin with the first two columns, which say what a row is. Tables without a head, and
    lines that are no rows, stay as they are.

    >>> print("\n--\n".join(by_columns("row | id | colour | weight\n2 | A | red | 5", 18)))
    row | id | colour
    2 | A | red
    --
    row | id | weight
    2 | A | 5
    """
    lines = text.split("\n")
    first = _head(lines)
    if first is None or len(lines[first]) <= most or len(cells(lines[first])) <= STUB + 1:
        return [text]
    caption, rows = lines[:first], [cells(line) for line in lines[first:]]
    head, groups = rows[0], list[list[int]]()
    size, spare = 0, most - sum(map(len, head[:STUB]))
    for at in range(STUB, len(head)):
        size += len(head[at]) + len(SEPARATOR) + 2
        if not groups or size > spare:
            groups.append([])
            size = len(head[at])
        groups[-1].append(at)
    kept = [[*range(STUB), *group] for group in groups]
    tables = ([[row[at] for at in of if at < len(row)] for row in rows if row] for of in kept)
    return [table_text(table, "\n".join(caption)) for table in tables]


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
    named = named if any(head[1:]) else [*filter(None, row[1:])]
    label = f"{head[0]} {row[0]}".strip()
    return f"{label}: {'; '.join(named)}" if named else label
