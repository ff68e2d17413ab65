"""PDF files whose structure has to be found: headings, tables, algorithms, columns, directions."""

from collections.abc import Sequence

import pytest

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.types.documents import Block
from tests.documents.small_pdf import Text, small_pdf

LINES = ("First line of a text,", "and the second one.")
TABLE = [("name", "key", "text"), ("A", "800", "768"), ("B", "1184", "1088")]


def column(*lines: str, top: float = 650, left: float = 50, size: float = 12) -> list[Text]:
    return [(left, top - 14 * i, size, text) for i, text in enumerate(lines)]


def grid(rows: Sequence[tuple[str, ...]], top: float) -> list[Text]:
    return [
        (50 + 100 * x, top - 16 * y, 12, cell)
        for y, row in enumerate(rows)
        for x, cell in enumerate(row)
    ]


def sections(blocks: tuple[Block, ...]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(block.section for block in blocks))


def test_headings_of_a_document_without_outline() -> None:
    """Bold or large lines are headings, numbers tell their depth, a list stays a list."""
    page = column("1 Scope", "This document says what the scope of it is.", top=700)
    page += column("1.1 Terms", "Terms are explained here, in a line of text.", top=640)
    page += column("1. first item", "2. second item", top=590)
    page += column("2 Methods", "What was done is told here, in one more line.", top=540)
    page += column("Notes", "What is set in bold heads the text below it.", top=510)
    page += column("Appendix A. Tables", "The tables stand here, after everything else.", top=480)
    page += column(*["More and more lines of text stand below it."] * 9, top=440)
    bold = {"1 Scope": 7, "2 Methods": 9, "Notes": 5, "Appendix A. Tables": 18}
    blocks = parse_pdf(small_pdf([page], bold=bold)).blocks

    assert [
        ("1 Scope",),
        ("1 Scope", "1.1 Terms"),
        ("2 Methods",),
        ("Notes",),
        ("Appendix A. Tables",),
    ] == sections(blocks)


def test_headings_in_the_line_of_their_text() -> None:
    """Bold numbers and names at the beginning of paragraphs are sections where the outline ends.

    A larger line ends the section before, whose heading stands in its own line of text.
    """
    page = column("Keywords: locks; keys.", top=700)
    page += column("Announcing the Standard", top=670, size=20)
    items = ["1. Name. The standard of locks.", "2. Use. Locks are for doors.", "3. Date. Today."]
    for number, item in enumerate(items):
        page += column(item, top=630 - 30 * number)
    bold = {"Keywords: locks; keys.": 9, "Announcing the Standard": 23}
    bold |= {item: item.index(". ", 3) + 1 for item in items}
    data = small_pdf([page], bold=bold, outline=[("Preamble", 0, 790), ("Keywords", 0, 715)])
    nested = data.replace(b"/Title (Keywords)", b"/Title (Keywords) ")
    found = [(b.text, b.section[-1]) for b in parse_pdf(nested).blocks]

    assert [(item, item[: item.index(". ", 3)]) for item in items] == found[-3:]


def test_bold_list_items_in_a_section_stay_in_it() -> None:
    """Two bold numbers are no sections, and neither is a number that does not count from 1."""
    texts = ["1. Left. Turn left there.", "2. Right. Turn right there.", "7. On. Go on then."]
    page = [line for i, t in enumerate(texts) for line in column(t, top=600 - 30 * i)]
    blocks = parse_pdf(small_pdf([page], bold=dict.fromkeys(texts, 7))).blocks

    assert [()] == sections(blocks)


def test_bookmark_that_leads_nowhere_is_found_by_its_title() -> None:
    """A heading whose bookmark has no page begins where the text shows it."""
    pages = [column("Sources", "A list of sources is given here."), column("Appendix A", *LINES)]
    data = small_pdf(pages, outline=[("Sources", 0, 790), ("Appendix A", 1, 790)])
    broken = data.replace(
        b"/Dest [7 0 R /XYZ 0 790 0]", b"/Dest [7 0 R /XYZ 0 790 0]"[:0] + b" " * 26
    )

    assert [("Sources",), ("Appendix A",)] == sections(parse_pdf(broken).blocks)


def test_table_over_two_pages() -> None:
    """Rows on the second page have the table's caption and head above them."""
    first = [*column("Table 1. Sizes", top=300), *grid(TABLE, 270)]
    second = [*grid([("C", "1568", "1568"), ("D", "9", "8")], 740), *column(*LINES)]
    blocks = parse_pdf(small_pdf([first, second])).blocks

    assert [
        (1, "Table 1. Sizes\nname | key | text\nA | 800 | 768\nB | 1184 | 1088"),
        (2, "Table 1. Sizes\nname | key | text\nC | 1568 | 1568\nD | 9 | 8"),
    ] == [(block.page, block.text) for block in blocks if block.kind == "table"]


def test_algorithm_is_whole() -> None:
    """Caption and numbered steps are one block with a line each, below their own heading."""
    steps = ["1: x", "2: for all y", "3: end for", "4: return x"]
    page = column(*LINES, top=700)
    page += column("Algorithm 3 Sum of y", "Input: y", *steps, top=600)
    page += column("The algorithm ends here, and text goes on.", top=480)
    blocks = parse_pdf(small_pdf([page])).blocks

    assert ["text", "algorithm", "text"] == [block.kind for block in blocks]
    assert "\n".join(["Algorithm 3 Sum of y", "Input: y", *steps]) == blocks[1].text
    assert ("Algorithm 3 Sum of y",) == blocks[1].section


@pytest.mark.parametrize("by_line", [False, True])
def test_two_columns(*, by_line: bool) -> None:
    """The left column comes first, whether columns were drawn one by one or line by line."""
    left = [f"left line {i} has five words" for i in range(6)]
    right = [f"right line {i} has five words" for i in range(6)]
    drawn = [*column(*left), *column(*right, left=320)]
    drawn = sorted(drawn, key=lambda text: -text[1]) if by_line else drawn
    (block,) = parse_pdf(small_pdf([drawn])).blocks

    assert " ".join(left + right) == block.text


@pytest.mark.parametrize(
    ("rotate", "matrix", "place"),
    [
        (0, "1 0 0 1", lambda i: (50, 600 - 14 * i)),
        (90, "1 0 0 1", lambda i: (50, 600 - 14 * i)),
        (90, "0 1 -1 0", lambda i: (200 + 14 * i, 50)),
        (0, "0 1 -1 0", lambda i: (200 + 14 * i, 50)),
        (180, "-1 0 0 -1", lambda i: (500, 200 + 14 * i)),
        (270, "0 -1 1 0", lambda i: (400 - 14 * i, 700)),
    ],
)
def test_pages_that_lie(rotate: int, matrix: str, place) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001 (a lambda)
    """Lines are read in their own direction, however the page is stored or shown."""
    data = small_pdf([[(9000 + i, 0, 12, text) for i, text in enumerate(LINES)]], rotate=rotate)
    for i in range(len(LINES)):
        x, y = place(i)
        data = data.replace(f"{9000 + i} 0 Td".encode(), f"{matrix} {x} {y} Tm".encode())
    (block,) = parse_pdf(data).blocks

    assert " ".join(LINES) == block.text


def test_numbers_with_thin_spaces() -> None:
    """A narrow gap in a number is a thin space, which word search takes out; others stay."""
    page = [(50, 500, 12, "sizes 7"), (89.3, 500, 12, "856 of 1"), (136.1, 500, 12, "2 pages")]
    (block,) = parse_pdf(small_pdf([page])).blocks

    assert "sizes 7\u2009856 of 1 2 pages" == block.text


def test_ligatures_and_soft_hyphens() -> None:
    """Ligatures become letters; a word cut at a line's end is whole, as a quote would have it."""
    letters = {"~": "\ufb01", "^": "\ufb03", "|": "\u00ad"}
    page = column("The ~rst o^ce is on page num|", "ber one of the docu|ment.")
    (block,) = parse_pdf(small_pdf([page], letters=letters)).blocks

    assert "The first office is on page number one of the document." == block.text


def test_what_was_dropped_is_counted() -> None:
    """Running heads, page numbers and line numbers are counted, page by page."""
    pages = [
        [
            (50.0, 780.0, 9.0, "The Standard"),
            *[(20.0, 650.0 - 14 * i, 12.0, str(7 * n + i)) for i in range(7)],
            *column(*[f"Line {word} {n} of a text." for word in "abcdefg"]),
            (300.0, 30.0, 9.0, str(n + 1)),
        ]
        for n in range(4)
    ]
    document = parse_pdf(small_pdf(pages))

    assert (8, 28) == (document.quality.running_heads, document.quality.line_numbers)


def test_signs_of_lists_are_those_that_a_person_sees() -> None:
    """Office programs draw them with symbol fonts, whose codes are no characters."""
    lines = [(50.0, 700.0 - 20 * n, 10.0, f"* item {name}") for n, name in enumerate("abc")]
    parsed = parse_pdf(small_pdf([lines], letters={"*": "\uf0b7"}))

    assert ["\u2022 item a", "\u2022 item b", "\u2022 item c"] == [b.text for b in parsed.blocks]
    assert {"list"} == {block.kind for block in parsed.blocks}
    assert "\u2022 item b" in parsed.page_texts[0]
