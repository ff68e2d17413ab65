"""How well tables are read from PDFs that a browser and an office program print.

Tables of HTML documentation are printed with and without lines around their cells; what the PDF
reads as is compared with what the HTML itself reads as. Needs Debian's tools, chromium and, for
the office program, libreoffice-writer-nogui.
"""

import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import click
from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.common import CACHE, RESULTS, folder, table_of
from benchmarks.tables import plain
from research_agent.documents.adapters.markup.html import parse_html
from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.text.tables import HEAD_LINE, cells
from research_agent.types.documents import Block

SOURCES = {
    "apache2-doc": "choose",
    "python3.11-doc": "choose",
    "postgresql-doc-15": "report",
    "sqlite3-doc": "report",
}
"""Packages whose HTML has tables, and the half of each: rules were chosen on the first two."""
TABLES, SEED = 40, 7
"""Tables of a package at most, and what they are drawn with."""
LINES = "table{border-collapse:collapse}td,th{border:1px solid #444;padding:3px 5px}"
WAYS: Mapping[str, tuple[str, str, str]] = {
    "browser, lines": ("chromium", LINES, ""),
    "browser, no lines of ours": ("chromium", "td,th{padding:3px 8px}", ""),
    "office program, lines": ("soffice", "", ' border="1" cellspacing="0" cellpadding="3"'),
}
"""The program, the style of the page, and attributes of each table."""
WORDS = (
    "river", "stone", "apple", "seven", "window", "garden", "paper", "north", "copper", "letter",
)  # fmt: skip


def tables_in(package: str, cache: Path) -> list[str]:
    """Return tables of a package's pages as HTML: 3 to 25 rows, no picture, no code."""
    place = cache / "printed" / package
    if not place.exists():
        place.mkdir(parents=True)
        _run(["apt-get", "download", "-q", package], place)
        _run(["dpkg", "-x", next(place.glob("*.deb")).name, "."], place)
    pages = [page for page in sorted(place.rglob("*.html*")) if page.suffix in {".html", ".en"}]
    trees = (LexborHTMLParser(page.read_text("utf-8", "replace")) for page in pages)
    found = [str(table.html) for tree in trees for table in tree.css("table") if _fits(table)]
    random.Random(SEED).shuffle(found)  # noqa: S311
    return found[:TABLES]


def _fits(table: LexborNode) -> bool:
    rows = table.css("tr")
    sizes = [len(row.css("td,th")) for row in rows]
    text = table.text()
    whole = len(table.css("table")) == 1 and not table.css("img,pre")
    said = len(text.split()) >= 12 and len(text) <= 6000  # noqa: PLR2004
    return whole and said and 3 <= len(rows) <= 25 and max(sizes) > 1 and sum(sizes) > 8  # noqa: PLR2004


def printed(tables: Sequence[str], way: str, place: Path) -> bytes:
    """Return a PDF with the tables, each on a page of its own below a line that is its own."""
    program, style, attributes = WAYS[way]
    parts = (
        f'<div style="page-break-before:always;padding-top:{_random(n).randrange(240)}px">'
        f"<p>{_intro(n)}</p>{table.replace('<table', f'<table{attributes}')}"
        "<p>Text below the table, which is a sentence of its own.</p></div>"
        for n, table in enumerate(tables)
    )
    page = place / "tables.html"
    head = f"<meta charset=utf-8><style>body{{font:11px sans-serif}}{style}</style>"
    page.write_text(head + "".join(parts), encoding="utf-8")
    options = ["--headless", "--convert-to", "pdf:writer_web_pdf_Export", page.name]
    if program == "chromium":
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        options += ["--print-to-pdf=tables.pdf", page.name]
    _run([program, *options], place)
    return (place / "tables.pdf").read_bytes()


def _random(number: int) -> random.Random:
    return random.Random(number)  # noqa: S311


def _intro(number: int) -> str:
    return (
        " ".join(_random(number).sample(WORDS, len(WORDS))).capitalize()
        + " is what this part tells."
    )


def right_of(tables: Sequence[str], blocks: Sequence[Block]) -> tuple[int, int]:
    """Return how many cells have the names of their row and column, and how many there are."""
    firsts = [_intro(number) for number in range(len(tables))]
    starts = [next((n for n, b in enumerate(blocks) if first in b.text), None) for first in firsts]
    right = of = 0
    for table, (start, end) in zip(tables, pairwise([*starts, len(blocks)]), strict=True):
        page = f"<h1>T</h1><p>Some text of a page.</p>{table}<p>More of it.</p>"
        wanted = _named(next(b.text for b in parse_html(page).blocks if b.kind == "table"))
        of += wanted.total()
        if start is not None:
            found = [_named(block.text) for block in blocks[start + 1 : end]]
            right += (wanted & sum(found, Counter())).total()
    return right, of


def _named(text: str) -> Counter[tuple[str, str, str]]:
    """Return the cells of a table with the names of their row and column."""
    rows = [row for line in text.split("\n") if line != HEAD_LINE and (row := cells(line))]
    names = rows[0] if rows else ()
    return Counter(
        (plain(row[0]), plain(name), plain(value))
        for row in rows[1:]
        for name, value in zip(names[1:], row[1:], strict=False)
        if re.search(r"\w", value)
    )


def _run(command: Sequence[str], place: Path) -> None:
    subprocess.run(command, cwd=place, check=True, capture_output=True, timeout=600)  # noqa: S603


@click.command("printed")
@CACHE
def printed_command(*, cache: str) -> None:
    """Measure tables of PDFs that a browser and an office program print."""
    rows: list[dict[str, str]] = []
    with folder(cache) as where:
        found = {package: tables_in(package, where) for package in SOURCES}
        for way, (program, *_) in WAYS.items():
            if not shutil.which(program):
                raise click.ClickException(f"{program} is not installed")
            for package, tables in found.items():
                blocks = parse_pdf(printed(tables, way, where / "printed")).blocks
                right, of = right_of(tables, blocks)
                row = {"printed by": way, "documentation": package, "half": SOURCES[package]}
                row |= {"tables": str(len(tables)), "cells": str(of)}
                rows.append(row | {"right": f"{right / of:.3f}"})
                print(rows[-1], flush=True)
    (RESULTS / "printed.md").write_text(f"{table_of(rows)}\n", encoding="utf-8")
