"""Tables of PDFs whose cells are framed by drawn lines."""

from collections.abc import Mapping, Sequence

import pytest

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.documents.layout.frames import frames
from research_agent.documents.layout.pieces import Bar, Rule
from tests.documents.small_pdf import Text, small_pdf

XS, YS = (50, 150, 300, 420), (700, 670, 640, 610)
HEAD = ("Crop", "Where it grows", "Yield")
ROWS = (("Rye", "on poor soils", "5.1"), ("Maize", "where it is warm", "9.8"))


def drawn(*lines: tuple[float, float, float, float]) -> str:
    return "\n".join(f"{a} {b} m {c} {d} l S" for a, b, c, d in lines)


def level(ys: Sequence[float], left: float = XS[0], right: float = XS[-1]) -> str:
    return drawn(*((left, y, right, y) for y in ys))


def upright(xs: Sequence[float], low: float = YS[-1], high: float = YS[0]) -> str:
    return drawn(*((x, low, x, high) for x in xs))


def written(rows: Sequence[Sequence[str]], pitch: float = 30, *, gap: float = 4) -> list[Text]:
    """Return texts at the upper left of each cell, a line break as a new line."""
    return [
        (x + gap, YS[0] - 12 - pitch * row - 11 * line, 10, text)
        for row, cells in enumerate(rows)
        for x, cell in zip(XS, cells, strict=False)
        for line, text in enumerate(cell.split("\n"))
        if text
    ]


def tables(texts: Sequence[Text], lines: str, bold: Mapping[str, int] | None = None) -> list[str]:
    around: list[Text] = [(50, 740, 10, "Text above it."), (50, 580, 10, "Text below it.")]
    parsed = parse_pdf(small_pdf([[around[0], *texts, around[1]]], drawn=lines, bold=bold))
    return [block.text for block in parsed.blocks if block.kind == "table"]


def test_cells_are_read_by_their_lines() -> None:
    """Also where a cell has several lines."""
    rows = (HEAD, ("Winter\nrye", "on poor soils,\nalso in the hills", "5.1"), ROWS[1])

    (table,) = tables(written(rows), level(YS) + "\n" + upright(XS))

    assert table.split("\n") == [
        "Crop | Where it grows | Yield",
        "Winter rye | on poor soils, also in the hills | 5.1",
        "Maize | where it is warm | 9.8",
    ]


@pytest.mark.parametrize("outer", [(XS[0], XS[-1]), ()])
def test_a_cell_is_in_every_row_and_column_that_it_covers(outer: Sequence[float]) -> None:
    """A table may be open at both sides."""
    head = ("Crop", "Where", "", "")
    rows = (head, ("", "North", "South"), ("Rye", "much", "little"))
    lines = [level([YS[0], YS[2], YS[3]]), level([YS[1]], left=XS[1])]
    lines += [upright((XS[1], *outer)), upright(XS[2:3], high=YS[1])]

    (table,) = tables(written(rows), "\n".join(lines))

    assert table.split("\n") == ["Crop | Where North | Where South", "Rye | much | little"]


def test_words_close_to_a_line_are_of_two_cells() -> None:
    """The gap between them alone is that of two words."""
    texts: list[Text] = [(120, 688, 10, "abcde"), (153, 688, 10, "fgh"), (310, 688, 10, "ijk")]
    (table,) = tables(texts + written([("", "", ""), *ROWS]), level(YS) + "\n" + upright(XS))
    assert table.startswith("abcde | fgh | ijk\n")


def test_a_line_below_a_word_parts_no_row() -> None:
    link = drawn((XS[0] + 4, 674, XS[0] + 30, 674))
    (table,) = tables(written((HEAD, *ROWS)), "\n".join([level(YS), upright(XS), link]))
    assert table.split("\n") == [" | ".join(row) for row in (HEAD, *ROWS)]


def test_a_double_line_or_bold_type_marks_the_head_of_two_columns() -> None:
    rows = [row[:2] for row in (HEAD, *ROWS)]
    lines = level(YS, right=XS[2]) + "\n" + upright(XS[:3])
    bold = {text: len(text) for text in HEAD}

    (plain,), (double,) = (
        tables(written(rows), text)
        for text in (lines, f"{lines}\n{level([YS[1] - 2], right=XS[2])}")
    )
    (typed,) = tables(written(rows), lines, bold=bold)

    assert "---" not in plain
    assert double.split("\n")[:2] == typed.split("\n")[:2] == ["Crop | Where it grows", "--- | ---"]


def test_lines_within_the_cells_may_be_the_rows() -> None:
    """Where a table draws no line between them; nothing was broken for want of room."""
    body = tuple("\n".join(f"{name}{n}" for n in range(1, 5)) for name in "abc")
    lines = level([700, 670, 610]) + "\n" + upright(XS)
    between: Text = (304, 642, 10, "one for all")

    (table,), (covered,) = (
        tables(texts, lines)
        for texts in (written((HEAD, body)), [*written((HEAD, (*body[:2], ""))), between])
    )

    assert table.split("\n")[1:] == [f"a{n} | b{n} | c{n}" for n in range(1, 5)]
    assert covered.split("\n")[1:] == [f"a{n} | b{n} | one for all" for n in range(1, 5)]


def test_boxes_that_are_no_tables() -> None:
    """One row, one column, boxes of which few hold words, and the parts of a drawing."""
    assert [] == tables(written((HEAD,)), f"{level(YS)}\n{upright(XS)}")
    assert not frames([Rule(0, 40, 0), Rule(0, 40, 20)], [Bar(x, 0, 20) for x in (0, 20, 40)])
    assert not frames([Rule(0, 40, y) for y in (0, 20, 40)], [Bar(0, 0, 40), Bar(40, 0, 40)])
    assert not frames([Rule(0, 40, 20)], [Bar(20, 0, 40)])  # axes
    stairs = [Rule(0, 40, 0), Rule(0, 20, 20), Rule(20, 40, 30), Rule(0, 40, 40)]
    assert not frames(stairs, [Bar(0, 0, 40), Bar(20, 20, 30), Bar(40, 0, 40)])
    assert not frames([Rule(0, 40, y) for y in range(0, 7000, 7)], [Bar(0, 0, 7000)] * 300)


def test_a_numbered_table_over_several_pages_keeps_numbers_and_heads() -> None:
    """They are no line numbers and no running heads, in spite of their places."""
    ys = [770 - 30 * n for n in range(9)]
    pages: list[list[Text]] = []
    for page in range(3):
        rows = [("No.", "Crop"), *((str(8 * page + n), f"crop {n}") for n in range(1, 8))]
        cells = zip(ys, rows, strict=False)
        pages.append(
            [(x + 4, y - 12, 10, t) for y, row in cells for x, t in zip(XS, row, strict=False)]
        )
    lines = level(ys[:9], right=XS[2]) + "\n" + upright(XS[:3], low=ys[8], high=ys[0])

    parsed = parse_pdf(small_pdf(pages, drawn=lines))

    assert ["No. | Crop"] * 3 == [block.text.split("\n")[0] for block in parsed.blocks]
    assert [f"{8 * n + 7} | crop 7" for n in range(3)] == [
        b.text.split("\n")[-1] for b in parsed.blocks
    ]


def test_numbers_of_rows_without_lines_are_no_line_numbers() -> None:
    """They are beside several pieces of text."""
    rows = [(str(n), f"crop {n}", f"{n} kg") for n in range(1, 9)]
    page = [
        (x, 700.0 - 20 * n, 10.0, t)
        for n, row in enumerate(rows)
        for x, t in zip(XS, row, strict=False)
    ]
    (block,) = parse_pdf(small_pdf([page])).blocks
    assert "3 | crop 3 | 3 kg" in block.text
