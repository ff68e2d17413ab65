"""Characters with places into lines, cells, paragraphs and tables."""

from research_agent.documents.layout.blocks import page_blocks
from research_agent.documents.layout.rows import Row, rows
from research_agent.documents.layout.spans import Glyph, Span, spans
from research_agent.documents.layout.tables import table_ranges, table_text


def glyphs(text: str, left: float, low: float, width: float = 5) -> list[Glyph]:
    return [
        Glyph(char, left + i * width, low, left + (i + 1) * width, low + 10, low)
        for i, char in enumerate(text)
    ]


def span(text: str, left: float, low: float, size: float = 10) -> Span:
    return Span(text, left, low, left + 5 * len(text), low + size, size, low)


def line(text: str, low: float, left: float = 0, size: float = 10) -> Row:
    return Row(((span(text, left, low, size),),))


def texts(found: tuple[Row, ...]) -> list[str]:
    return [" | ".join(" ".join(s.text for s in cell) for cell in row.cells) for row in found]


def test_large_gap_splits_and_small_gap_is_a_space() -> None:
    """Words that the page draws apart without a space are words; columns are apart."""
    page = [*glyphs("one", 0, 0), *glyphs("two", 17, 0), *glyphs("three", 60, 0)]

    assert ["one two", "three"] == [piece.text for piece in spans(page)]


def test_accents_and_hyphens() -> None:
    """An accent drawn elsewhere splits nothing; the next line after a hyphen is a line."""
    accent = [*glyphs("a", 0, 0), Glyph("\u0302", 90, 0, 95, 10, 0), *glyphs("b", 96, 0)]
    broken = [*glyphs("co\u00ad", 80, 20), *glyphs("de", 0, 6)]

    assert 1 == len(spans(accent))
    assert ["co\u00ad", "de"] == [piece.text for piece in spans(broken)]


def test_row_by_row_and_cell_by_cell() -> None:
    """A table is read in rows, also where each cell was drawn with all its lines."""
    by_row = [span("a", 0, 30), span("b", 50, 30), span("c", 0, 10), span("d", 50, 10)]
    by_cell = [
        span("RSA", 0, 60), span("[1]", 0, 48), span("112 bits", 60, 54),
        span("until", 140, 62), span("2030", 140, 50),
        span("128 bits", 60, 30), span("then", 140, 30),
    ]  # fmt: skip

    assert ["a | b", "c | d"] == texts(rows(by_row))
    assert ["RSA [1] | 112 bits | until 2030", "128 bits | then"] == texts(rows(by_cell))


def test_two_columns_are_not_interleaved() -> None:
    """Text in two columns is read column by column, as it was drawn."""
    left = [span(f"left {i} of some words", 0, 200 - 14 * i) for i in range(12)]
    right = [span(f"right {i} of some words", 150, 200 - 14 * i) for i in range(12)]

    assert [s.text for s in left + right] == texts(rows([*left, *right]))


def test_footnote_drawn_in_a_paragraph_moves_behind_it() -> None:
    """What interrupts a paragraph far below it comes after it."""
    page = [
        span("A first line of text", 0, 500), span("1 A note.", 0, 50),
        span("and the second line", 0, 486), span("and a third.", 0, 472),
    ]  # fmt: skip

    assert "1 A note." == texts(rows(page))[-1]


def test_tables_drawn_last_come_in_their_place() -> None:
    """A page of one column is read from top to bottom whatever was drawn first."""
    page = [span("Below.", 0, 100), span("a", 0, 300), span("b", 50, 300), span("Above.", 0, 500)]

    assert ["Above.", "a | b", "Below."] == texts(rows(page))


def test_paragraphs() -> None:
    """A gap, a list mark and a short last line begin a paragraph; formulas do not."""
    lines = [
        line("This paragraph has lines of usual length", 300),
        line("and a formula in a taller type, then it", 286, size=17),
        line("ends.", 272),
        line("The next begins after a full stop, on", 258),
        line("another line.", 244),
        line("\u2022 an item that is long enough to go on", 230),
        line("below", 216, left=10),
        line("Far away.", 150),
    ]
    found = page_blocks(lines, [()] * len(lines), page=4)

    assert [
        ("text", f"{lines[0].text} {lines[1].text} ends."),
        ("text", "The next begins after a full stop, on another line."),
        ("list", "\u2022 an item that is long enough to go on below"),
        ("text", "Far away."),
    ] == [(block.kind, block.text) for block in found]  # fmt: skip
    assert {4} == {block.page for block in found}


def table(low: float, *cells: tuple[str, float]) -> Row:
    return Row(tuple((span(text, left, low),) for text, left in cells))


SIZES = [
    line("Table 1. Sizes", 95, left=20),
    table(70, ("key", 50), ("text", 100)),
    table(56, ("KEM-5", 0), ("800", 50), ("768", 100)),
    table(42, ("KEM-7", 0), ("1184", 50), ("1088", 100)),
    line("Text after the table.", 10),
]


def test_table_with_caption_and_empty_corner() -> None:
    """The caption belongs to its table, and a row with fewer cells keeps its columns."""
    assert ((0, 4),) == table_ranges(SIZES)
    expected = "Table 1. Sizes\n| key | text\nKEM-5 | 800 | 768\nKEM-7 | 1184 | 1088"
    assert expected == table_text(SIZES[:4])
    assert ["table", "text"] == [b.kind for b in page_blocks(SIZES, [()] * 5)]


def test_caption_between_two_tables_goes_to_the_nearer() -> None:
    """A caption below its table is not taken for the next one's."""
    rows_above = SIZES[1:4]
    caption = line("Table 3. Above", 25, left=20)
    below = [table(-30 - 14 * i, ("a", 0), ("b", 50), ("c", 100)) for i in range(2)]

    assert ((0, 4), (4, 6)) == table_ranges([*rows_above, caption, *below])


def test_programs_and_contents_are_no_tables() -> None:
    """Numbered steps with comments, and leaders, have gaps but no columns."""
    steps = [table(50 - 14 * i, (f"{i}: x", 0), ("\u25b7 why", 90)) for i in range(3)]
    contents = [table(50 - 14 * i, (f"{i} Part . . . . . .", 0), ("7", 150)) for i in range(3)]

    items = [table(50 - 14 * i, ("\u2022", 0), ("an item", 30), ("here", 90)) for i in range(3)]

    assert () == table_ranges(steps)
    assert () == table_ranges(items)
    assert () == table_ranges(contents)
    assert {"list"} == {block.kind for block in page_blocks(contents, [()] * 3)}


def test_glossary_becomes_a_list() -> None:
    """A table of long entries is cut between them, not kept whole."""
    entries = [table(60 - 14 * i, (f"term{i}", 0), ("what it means, " * 14, 80)) for i in range(4)]

    assert ["list"] * 4 == [block.kind for block in page_blocks(entries, [()] * 4)]
