"""Characters with places into lines, cells, paragraphs, tables and headings."""

import pytest

from research_agent.documents.layout.blocks import page_blocks
from research_agent.documents.layout.joining import join_lines
from research_agent.documents.layout.outline import Entry, row_sections
from research_agent.documents.layout.page_furniture import Page, without_running_heads
from research_agent.documents.layout.pieces import Bar, Glyph, Rule, whole_lines
from research_agent.documents.layout.rows import Row, rows
from research_agent.documents.layout.spans import Span, spans
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


def test_a_formula_that_is_drawn_after_all_else_is_read_where_it_is_seen() -> None:
    """Before words, between them, and as the small mark of a note; not a cell of the next row."""
    above = glyphs("The line above", 0, 12)
    typed = [glyph._replace(size=10) for glyph in glyphs("messages.", 60, 0)]
    words, far = glyphs("messages.", 60, 0), glyphs("The page goes on", 0, -200)
    before, between = glyphs("4096", 37, 0), glyphs("(or)", 108, 0)
    after, mark = glyphs("more", 130, 0), [Glyph("7", 105, 5, 108, 10, 5, size=5)]

    def read(*parts: list[Glyph]) -> list[str]:
        drawn = [glyph for part in (above, *parts) for glyph in (*part, Glyph("\n"))]
        return [piece.text for piece in spans(drawn)][1:]

    assert ["4096 messages.", "The page goes on"] == read(words, far, before)
    assert ["The page goes on", "messages. (or) more"] == read(between, far, words, after)
    assert ["messages.^7", "The page goes on"] == read(typed, far, mark)
    assert ["messages.", "4096"] == read(words, before)
    labels = [[Glyph("x", 0, low, 5, low + 10, low)] for low in range(-90_000, 0, 30)]
    assert "4096" == read(words, *labels, before)[-1]  # (a drawing: too many to compare)


def test_accents_and_hyphens() -> None:
    """An accent drawn elsewhere splits nothing; the next line after a hyphen is a line."""
    accent = [*glyphs("a", 0, 0), Glyph("\u0302", 90, 0, 95, 10, 0), *glyphs("b", 96, 0)]
    broken = [*glyphs("co\u00ad", 80, 20), *glyphs("de", 0, 6)]

    assert 1 == len(spans(accent))
    assert ["co\u00ad", "de"] == [piece.text for piece in spans(broken)]


def test_breaks_after_each_letter_are_none() -> None:
    """Gaps of words and cells stay; a page with breaks between its pieces alone is as it is."""
    drawn = [*glyphs("two", 0, 20), *glyphs("words", 18, 20), *glyphs("cell", 90, 20)]
    drawn = [glyph._replace(size=10) for glyph in (*drawn, *glyphs("next line", 0, 0))]
    broken = [one for glyph in drawn for one in (glyph, Glyph("\n"))]

    assert ["two words", "cell", "next line"] == [s.text for s in spans(whole_lines(broken))]
    pieces = [*drawn[:3], Glyph("\n"), *drawn[3:8], Glyph("\n"), *drawn[8:]]
    assert pieces == whole_lines(pieces)


def test_words_that_run_to_the_left() -> None:
    """A word given from left to right is turned round; stops and numbers end no line; bars do."""
    first, last = "\u05d0\u05d1\u05d2", "\u05d3\u05d4"
    text = [
        *glyphs(first[::-1], 85, 0), Glyph(" "), *glyphs("70", 70, 0), Glyph(" "),
        *reversed(glyphs(last[::-1], 55, 0)), *glyphs(".", 50, 0),
    ]  # fmt: skip

    assert [f"{first} 70 {last}."] == [piece.text for piece in spans(text)]
    cells = [piece.text for piece in spans(text, [Bar(82.5, -5, 15)])]
    assert [first, f"70 {last}."] == cells


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


def words(low: float, *pieces: tuple[str, float]) -> list[Span]:
    return [span(text, left, low) for text, left in pieces]


def test_words_set_apart_to_fill_a_line_are_no_cells() -> None:
    """Gaps of a line are alike, its ends are those of the next one, and they are in no column."""
    text = [
        *words(36, ("which", 0), ("different", 42), ("throughout", 104), ("the", 171)),
        *words(24, ("the temperature of the population was ", 0)),
        *words(12, ("neighbouring", 0), ("cells", 80), ("influenced", 126)),
        *words(0, ("and more.", 0)),
    ]
    table = [
        *words(24, ("which", 0), ("different", 42), ("throughout", 104), ("the", 171)),
        *words(12, ("cells", 0), ("neighbour", 42), ("influenced", 104), ("all", 171)),
    ]
    text[4] = Span(text[4].text, 0, 24, 186, 34, 10, 24)
    text[7] = Span(text[7].text, 126, 12, 186, 22, 10, 12)

    assert not any(" | " in row for row in texts(rows(text)))
    assert 2 == sum(" | " in row for row in texts(rows(table)))


def test_a_line_through_a_row_parts_it() -> None:
    """The second line of a cell beside values half-way up does not go to the row below the line."""
    sheet = [
        *(span("a", 0, 42), span("1", 50, 35), span("b", 0, 28)),
        *(span("c", 0, 14), span("2", 50, 7), span("d", 0, 0)),
    ]
    assert ["a | 1", "b c | 2", "d"] == texts(rows(sheet))
    assert ["a | 1", "b", "c | 2", "d"] == texts(rows(sheet, [Rule(-5, 90, 26)]))
    assert ["a | 1", "b c | 2", "d"] == texts(rows(sheet, [Rule(-5, 30, 26)]))


def test_a_name_may_be_beside_the_middle_of_its_lines() -> None:
    """The first of them is drawn after it and well above it."""
    lines = [span(text, 60, low) for text, low in (("one", 38), ("two", 26), ("three", 14))]
    (row,) = rows([span("name", 0, 26), *lines])
    assert [["name"], ["one", "two", "three"]] == [[s.text for s in cell] for cell in row.cells]


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
    """Numbered steps with comments, and leaders, have gaps but no columns; times are no steps."""
    steps = [table(50 - 14 * i, (f"{i}: x", 0), ("\u25b7 why", 90)) for i in range(3)]
    contents = [table(50 - 14 * i, (f"{i} Part . . . . . .", 0), ("7", 150)) for i in range(3)]

    items = [table(50 - 14 * i, ("\u2022", 0), ("an item", 30), ("here", 90)) for i in range(3)]

    times = [table(50 - 14 * i, (f"{i}:00", 0), ("Anna", 30), (f"{i}:30", 90)) for i in range(3)]

    assert () == table_ranges(steps)
    assert ((0, 3),) == table_ranges(times)
    assert () == table_ranges(items)
    assert () == table_ranges(contents)
    assert {"list"} == {block.kind for block in page_blocks(contents, [()] * 3)}


def test_glossary_becomes_a_list() -> None:
    """A table of long entries is cut between them, not kept whole."""
    entries = [table(60 - 14 * i, (f"term{i}", 0), ("what it means, " * 14, 80)) for i in range(4)]

    assert ["list"] * 4 == [block.kind for block in page_blocks(entries, [()] * 4)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["stan-", "dard"], "standard"),
        (["stan\u00ad", "dard of"], "standard of"),
        (["lattice-", "based"], "lattice-based"),
        (["lattice\u00ad", "based"], "lattice-based"),
        (["Module-", "Lattice"], "Module-Lattice"),
        (["1 -", "2"], "1 - 2"),
        (["key-encapsulation-", "mechanism"], "key-encapsulation-mechanism"),
        (["ML-KEM-", "768"], "ML-KEM-768"),
        (["so\u00adft", "line"], "soft line"),
        (
            ["\u4e09\u4e2a", "\u6708\uff0c", "\u8bd5 Word", "\u8f6f"],
            "\u4e09\u4e2a\u6708\uff0c\u8bd5 Word \u8f6f",
        ),
        (["\ud55c\uad6d", "\uc0ac\ub78c"], "\ud55c\uad6d \uc0ac\ub78c"),
        ([], ""),
    ],
)
def test_hyphens(lines: list[str], expected: str) -> None:
    """A cut word is mended, a compound that the document knows keeps its hyphen."""
    assert expected == join_lines(lines, {"lattice-based", "standard"})


def sheet(number: str, body: str, head: str = "The Standard") -> Page:
    return Page((span(head, 0, 770), span(body, 0, 400), span(number, 200, 30)), 800)


def bodies(pages: tuple[Page, ...]) -> list[list[str]]:
    return [[piece.text for piece in one.spans] for one in pages]


def test_heads_go_and_numbers_become_labels() -> None:
    """Roman numbers, then Arabic ones that begin again, are read as printed."""
    numbers = ["", "i", "ii", "iii", "1", "2", "3"]
    cleaned, labels = without_running_heads(
        [sheet(n or "x", f"b{i}") for i, n in enumerate(numbers)]
    )

    assert ("", "i", "ii", "iii", "1", "2", "3") == labels
    assert [["b0", "x"], ["b1"], ["b2"], ["b3"], ["b4"], ["b5"], ["b6"]] == bodies(cleaned)


def test_left_and_right_pages_have_their_own_heads() -> None:
    """A head on every second page is one too; what is repeated outside the margins is text."""
    pages = [sheet("", "same", "Left" if i % 2 else "Right") for i in range(8)]

    assert [["same"]] * 8 == [
        [text for text in texts if text] for texts in bodies(without_running_heads(pages)[0])
    ]


def test_of_two_pages_each_keeps_what_the_other_repeats() -> None:
    """The head stays on the first, the foot on the second; a line that differs ends both."""
    pages = [
        Page(
            (
                *(span(f"Page {number} of 2", 0, 780), span(f"row {7 * number}", 0, 760)),
                *(span("1.10", 0, 740), span("body", 0, 400), span("Bank: 12", 0, 30)),
            ),
            800,
        )
        for number in (1, 2)
    ]

    assert [
        ["Page 1 of 2", "row 7", "1.10", "body"],
        ["row 14", "1.10", "body", "Bank: 12"],
    ] == bodies(without_running_heads(pages)[0])


def test_a_number_that_does_not_count_is_text() -> None:
    """The same year on each page, or numbers without order, are no page numbers."""
    numbers = ["2024", "7", "2024", "90", "31"]
    _, labels = without_running_heads([sheet(n, f"b{i}") for i, n in enumerate(numbers)])

    assert ("",) * 5 == labels


def page(*lines: str) -> list[Row]:
    return [Row(((Span(text, 0, 90 - 10 * i, 50, 99 - 10 * i),),)) for i, text in enumerate(lines)]


def test_heading_pushed_to_the_next_page() -> None:
    """A bookmark may lead to the end of the page before its heading."""
    entries = [Entry(0, "Methods", 0, top=5.0)]

    assert (((), ()), (("2 Methods",),)) == row_sections(
        entries, [page("x", "y"), page("2 Methods")]
    )


def test_the_documents_title_is_no_heading() -> None:
    """An outermost entry that repeats the title and holds everything is left out."""
    entries = [Entry(0, "The Standard", 0), Entry(1, "Scope", 0)]

    assert ((("Scope",),),) == row_sections(entries, [page("Scope")], title="The  standard")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("...", "print(n)"), "... | print(n)"),  # a program that goes on
        (("a name", "....."), "a name"),
    ],
)
def test_dots_lead_from_a_name_to_its_values(cells: tuple[str, str], expected: str) -> None:
    """Where a row begins with them they lead from nothing; rows of them alone are no error."""
    lines = [table(24 - 12 * n, (cells[0], 0), (cells[1], 60)) for n in range(3)]
    assert [expected] * 3 == table_text(lines).split("\n")
