"""How well tables of PDFs are read: tables transcribed by hand from pictures of pages."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.common import CACHE, RESULTS, folder, table_of
from benchmarks.pdf_files import DATA, half_of, part
from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.text.tables import cells, head_of

Grid = Sequence[Sequence[str]]
Named = Counter[tuple[str, str, str]]
"""Cells with the names of their row and column."""
HEAD_ROWS = 4  # rows at the top of another reader's grid that may be its head: the best number
_DROPPED = re.compile(r"[^\w\-.,/%=*<>()√$+]|_")


@dataclass(frozen=True, slots=True)
class Gold:
    """A table as a person reads it."""

    document: str
    page: int
    name: str
    head: tuple[str, ...]
    """Empty where the table has no names of columns."""
    rows: tuple[tuple[str, ...], ...]

    def cells(self) -> Iterator[tuple[list[str], list[str], str]]:
        """Yield the names that its row may have, those of its column, and the cell."""
        for row in self.rows:
            for place, value in enumerate(row[1:], start=1):
                names = self.head[place] if self.head else ""
                yield _ways(row[0]), _ways(names), plain(value)


def golds() -> Iterator[Gold]:
    """Yield the transcribed tables."""
    text = (DATA / "tables.txt").read_text(encoding="utf-8")
    for block in re.split(r"(?m)^= ", text)[1:]:
        first, *lines = block.strip("\n").split("\n")
        document, page, name = first.split(" ", 2)
        head, *rows = (tuple(cell.strip() for cell in line.split(" |")) for line in lines)
        yield Gold(document, int(page), name, () if head == ("-",) else head, tuple(rows))


def plain(text: str) -> str:
    """Return what has to be equal: letters, digits and some signs, without spaces and accents.

    >>> plain("10^-24 (X) na\u00efve"), plain("a_1 - b")
    ('10-24(x)naive', 'a1-b')
    """
    folded = unicodedata.normalize("NFKD", text).replace("\u2217", "*").lower()
    letters = (c for c in folded if unicodedata.category(c) not in {"Lm", "Sk"})
    dashed = ("-" if c == "\u2212" or unicodedata.category(c) == "Pd" else c for c in letters)
    return _DROPPED.sub("", "".join(dashed))


def _ways(text: str) -> list[str]:
    return [plain(way) for way in text.split("//")]


def named(grid: Grid, head: int) -> Named:
    """Return the cells of a grid whose first `head` rows name the columns."""
    names = [
        " ".join(dict.fromkeys(filter(None, column))) for column in zip(*grid[:head], strict=False)
    ]
    found: Named = Counter()
    for row in grid[head:]:
        for column, value in enumerate(row[1:], start=1):
            name = names[column] if column < len(names) else ""
            found[plain(row[0]), plain(name), plain(value)] += 1
    return found


def right(gold: Gold, found: Named, names: tuple[bool, bool] = (True, True)) -> int:
    """Return how many cells were read with the names of their row, of their column, or both."""
    of_row, of_column = names[0], names[1] and bool(gold.head)
    pool: Counter[tuple[str, ...]] = Counter()
    for (row, column, value), count in found.items():
        pool[row if of_row else "", column if of_column else "", value] += count
    counted = 0
    for rows, columns, value in gold.cells():
        keys = [
            (row, column, value)
            for row in (rows if of_row else [""])
            for column in (columns if of_column else [""])
        ]
        key = next((key for key in keys if pool[key] > 0), None)
        if key:
            pool[key] -= 1
            counted += 1
    return counted


def product(data: bytes, page: int) -> list[Grid]:
    """Return the tables of a page as the product gives them to its index."""
    grids: list[Grid] = []
    for block in parse_pdf(data).blocks:
        if block.page == page and "|" in block.text:
            head = head_of(block.text).rpartition("\n")[2]
            rows = [cells(line) for line in block.text.split("\n")]
            kept = [row for row in rows if row]
            grids.append(kept if head else [[""] * len(kept[0]), *kept])
    return grids


def shares(gold: Gold, grids: Sequence[Grid], *, fixed: bool) -> tuple[float, ...]:
    """Return the shares of cells that are right with both names, the row's, and the column's.

    Where the head of a grid is not `fixed` as its first row, the best number of rows counts.
    """
    found: Named = Counter()
    for grid in grids:
        ways = [named(grid, head) for head in ([1] if fixed else range(HEAD_ROWS + 1))]
        best = max(range(len(ways)), key=lambda at: right(gold, ways[at]))
        found.update(ways[best])
    of = sum(1 for _ in gold.cells())
    kinds = ((True, True), (True, False), (False, True))
    return tuple(right(gold, found, kind) / of for kind in kinds)


@click.command("tables")
@click.option("--grids", "others", multiple=True, help="Another reader's tables: NAME=FILE.")
@CACHE
def tables_command(*, others: tuple[str, ...], cache: str) -> None:
    """Measure how tables of PDFs are read, and compare with what other readers found.

    Such a file is made by benchmarks/peers/with_tables.py.
    """
    readers = dict(pair.split("=", 1) for pair in others)
    found = {name: json.loads(Path(path).read_text("utf-8")) for name, path in readers.items()}
    figures: dict[tuple[str, str], list[tuple[int, tuple[float, ...]]]] = {}
    with folder(cache) as where:
        for gold in golds():
            data, page = part(gold.document, gold.page, where)
            count = sum(1 for _ in gold.cells())
            half = half_of(gold.document)
            own = shares(gold, product(data, page), fixed=True)
            figures.setdefault(("product", half), []).append((count, own))
            for name, grids in found.items():
                on_page = grids.get(f"{gold.document}-{gold.page}", [])
                other = shares(gold, on_page, fixed=False)
                figures.setdefault((name, half), []).append((count, other))
    text = table_of([_row(*key, values) for key, values in figures.items()])
    (RESULTS / "tables.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)


def _row(name: str, half: str, values: Sequence[tuple[int, tuple[float, ...]]]) -> dict[str, str]:
    cells_of = sum(count for count, _ in values)
    kinds = ("both names", "the row's name", "the column's name")
    right_of = [sum(count * found[i] for count, found in values) / cells_of for i in range(3)]
    counts = {"reader": name, "documents": half, "tables": str(len(values)), "cells": str(cells_of)}
    return counts | {kind: f"{share:.3f}" for kind, share in zip(kinds, right_of, strict=True)}
