"""Tables that are drawn with signs, as reStructuredText has them."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from textwrap import dedent
from unicodedata import east_asian_width

from research_agent.text.tables import Cell, joined_cells

MOST_PLACES = 1_000_000  # of a simple table that is read: its lines may be short

_COLUMNS = re.compile(r"=+(?: +=+)+")
_EDGE = re.compile(r"\+(?:[-=]+\+)+")
_WIDE = "\uffff"  # follows a sign that is drawn two places wide


def simple_table(lines: Sequence[str]) -> str:
    r"""Return a table whose columns lie below lines of `=`; "" for other lines.

    >>> print(simple_table(["=  ===", "K  Use", "=  ===", "a  one", "   two", "=  ==="]))
    K | Use
    --- | ---
    a | one two
    """
    top, *body = _drawn(lines)
    starts = [match.start() for match in re.finditer("=+", top)]
    gaps = [match.span() for match in re.finditer(" +", top)]
    ruled = _COLUMNS.fullmatch(top) and body and _COLUMNS.fullmatch(body[-1])
    if not ruled or len(starts) * len(body) > MOST_PLACES:
        return ""
    rows: list[list[str]] = []
    heads, begun = 0, False
    for line in body[:-1]:
        if _COLUMNS.fullmatch(line):
            heads, begun = len(rows), False
        elif any(line[start:end].strip() for start, end in gaps):
            return ""
        elif begun and not line[: starts[1]].strip():
            rows[-1].append(line)
        else:
            rows.append([line])
            begun = True
    places = list(zip(starts, [*starts[1:], None], strict=True))
    return joined_cells([_cells(row, places) for row in rows], heads=heads)


def grid_table(lines: Sequence[str]) -> str:
    r"""Return a table whose cells have edges; "" for other lines, and where a cell covers several.

    >>> print(grid_table(["+---+---+", "| a | b |", "|   | c |", "+---+---+"]))
    a | b c
    """
    top, *body = _drawn(lines)
    if not _EDGE.fullmatch(top) or any(len(line) != len(top) for line in body):
        return ""
    edges = [match.start() for match in re.finditer(r"\+", top)]
    places = [(start + 1, end) for start, end in pairwise(edges)]
    rows: list[list[Cell]] = []
    row: list[str] = []
    heads = 0
    for line in body:
        crossings = {line[at] for at in edges}
        if crossings == {"|"}:
            row.append(line)
        elif crossings == {"+"} and _EDGE.fullmatch(line) and row:
            rows.append(_cells(row, places))
            row, heads = [], len(rows) if "=" in line else heads
        else:
            return ""
    return "" if row else joined_cells(rows, heads=heads)


def _cells(lines: Sequence[str], places: Iterable[tuple[int, int | None]]) -> list[Cell]:
    spread = (" ".join(line[start:end].strip() for line in lines) for start, end in places)
    texts = (text.replace(_WIDE, "").strip() for text in spread)
    return [Cell("" if text == "\\" else text) for text in texts]  # (a first place that is empty)


def _drawn(lines: Iterable[str]) -> list[str]:
    """Return lines without their common indent, with a place for each that is drawn."""
    flat = dedent("\n".join(lines)).expandtabs()
    return "".join(c + _WIDE * (east_asian_width(c) in "WF") for c in flat).split("\n")
