"""Listings in PDFs: lines of equal widths keep their ends, their columns and their indentation."""

from collections.abc import Sequence

import pytest

from research_agent.documents.layout.blocks import page_blocks
from research_agent.documents.layout.listings import has_listings
from research_agent.documents.layout.pieces import Glyph
from research_agent.documents.layout.rows import Row, rows
from research_agent.documents.layout.spans import spans

CODE = """def turn(valve):
    if valve < 0:
        raise Fault

    pumps = [1]   # slowly, by hand
    x
    return  quick"""
PROSE = "The valve is turned by hand and never by the pump itself."
TOP = 700


def drawn(
    lines: Sequence[str], top: float, widths: Sequence[float], left: float = 70.0
) -> list[Glyph]:
    """Return lines 12 points apart; the n-th character is as wide as the n-th of `widths`."""
    found: list[Glyph] = []
    for at, text in enumerate(lines):
        low, x = top - 12 * at, left
        for number, char in enumerate(text):
            width = widths[number % len(widths)]
            found += [Glyph(char, x, low, x + width, low + 10, low, size=10)] * (char != " ")
            x += width
        found.append(Glyph("\n"))
    return found


def page(*parts: tuple[str, Sequence[float]]) -> tuple[Row, ...]:
    found: list[Glyph] = []
    top = float(TOP)
    for text, widths in parts:
        found += drawn(text.split("\n"), top, widths)
        top -= 12 * (text.count("\n") + 2)
    return rows(spans(found))


def blocks(lines: Sequence[Row], *, listings: bool = True) -> list[tuple[str, str]]:
    found = page_blocks(lines, [()] * len(lines), listings=listings)
    return [(block.kind, block.text) for block in found]


@pytest.mark.parametrize("width", [6.0, 5.25])
def test_a_listing_keeps_its_lines_and_columns(width: float) -> None:
    lines = page((PROSE, [4, 6, 5]), (CODE, [width]), (PROSE, [5, 4]))

    assert [("text", PROSE), ("code", CODE), ("text", PROSE)] == blocks(lines)
    assert has_listings([lines])


def test_one_line_and_columns_of_numbers_are_no_listing() -> None:
    numbers = "1000 2000\n3000 4000\n5000 6000"

    assert "code" not in dict(blocks(page((PROSE, [4, 6]), ("pump --start", [6]))))
    assert "code" not in dict(blocks(page((PROSE, [4, 6]), (numbers, [5]))))


@pytest.mark.parametrize(("at", "kind"), [(180.0, "code"), (183.0, "table")])
def test_cells_in_such_a_font_are_a_table(at: float, kind: str) -> None:
    """Pieces of a listing begin where one of its characters does; 6 points is their width."""
    names, values = ("timeout", "retries", "verbose"), ("seconds", "quantity", "jumpy")
    found: list[Glyph] = []
    for number, pair in enumerate(zip(names, values, strict=True)):
        for text, left in zip(pair, (70.0, at + 70.0), strict=True):
            found += drawn([text], TOP - 12.0 * number, [6], left)[:-1]
        found.append(Glyph("\n"))

    assert [kind] == [found for found, _ in blocks(rows(spans(found)))]


def test_text_of_a_typewriter_is_text() -> None:
    typed = page((f"{PROSE}\n{PROSE}", [6]))

    assert not has_listings([typed])
    assert [("text", f"{PROSE} {PROSE}")] == blocks(typed, listings=False)
