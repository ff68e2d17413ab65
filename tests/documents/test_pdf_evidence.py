"""Indices, fractions and the tables of a PDF, as a reader sees them."""

import pytest

from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.documents.layout.fractions import with_fractions
from research_agent.documents.layout.pieces import Glyph, Rule
from research_agent.documents.layout.spans import spans
from research_agent.text.alignment import page_spans
from tests.documents.small_pdf import Text, small_pdf


def glyphs(*pieces: tuple[str, float, float, float]) -> list[Glyph]:
    """Return characters of half their size in width; a piece is text, left edge, baseline, size."""
    return [
        Glyph(c, x + i * s / 2, y - s / 5, x + (i + 1) * s / 2, y + 4 * s / 5, y, size=s)
        for text, x, y, s in pieces
        for i, c in enumerate(text)
    ]


def text(*pieces: tuple[str, float, float, float]) -> list[str]:
    return [span.text for span in spans(glyphs(*pieces))]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([("10", 0, 0, 10), ("12", 10, 4, 7)], "10^12"),
        ([("x", 0, 0, 10), ("i", 5, -2, 7)], "x_i"),
        ([("x", 0, 0, 10), ("\u22127.5", 5, 4, 7)], "x^\u22127.5"),
        ([("m", 0, 0, 10), ("2", 5, 4, 7), ("s", 9, 0, 10)], "m^{2}s"),
        ([("x", 0, 0, 10), ("2", 5, 4, 7), ("i", 5, -2, 7)], "x^{2}_i"),
        ([("2", 0, 0, 10), ("2", 5, 4, 7), ("d", 8.5, 6, 5)], "2^{2^d}"),
        ([("standard", 0, 0, 10), ("3", 40, 4, 7)], "standard^3"),
        ([("K", 0, 0, 10), ("\u2032", 5, 4, 7)], "K\u2032"),
        ([("1", 0, 4, 6), ("See", 4, 0, 10)], "1 See"),
        ([("L", 0, 0, 10), ("A", 1, 2, 7), ("TEX", 4, 0, 10)], "LATEX"),
        ([("small", 0, 0, 7), ("large", 18, 0, 10)], "smalllarge"),
    ],
)
def test_indices(pieces: list[tuple[str, float, float, float]], expected: str) -> None:
    """Small type off the line is marked, with its end where that would not be seen."""
    assert [expected] == text(*pieces)


def test_a_break_within_a_formula_is_none() -> None:
    """An exponent drawn as a line of its own stays in its place, and so does what follows."""
    power, rest = glyphs(("2", 0, 0, 10), ("8", 5, 4, 7)), glyphs(("bits", 12, 0, 10))
    broken = [power[0], Glyph("\n"), power[1], Glyph("\n"), *rest]

    assert ["2^8 bits"] == [span.text for span in spans(broken)]


def test_sizes_that_lie() -> None:
    """Letters of unlike sizes on one line, or of no size, are no exponents."""
    assert ["a9"] == text(("a", 0, 0, 10), ("9", 5, 0, 3))
    sizeless = [glyph._replace(size=0) for glyph in glyphs(("a9", 0, 0, 10))]
    assert ["a9"] == [span.text for span in spans(sizeless)]
    document = parse_pdf(
        small_pdf([[(50, 700, 0.01, "lie"), (50, 600, 500, "O"), (60, 500, 9, "k")]])
    )
    assert "k" in " ".join(block.text for block in document.blocks)


def test_fractions() -> None:
    """What stands above and below a bar that it fills is a fraction; an underlined word is none."""
    bar = Rule(20, 35, 2.5)
    parts = glyphs(("a", 13, 0, 10), ("r", 25, 6, 10), ("r+1", 20, -7, 10), ("b", 40, 0, 10))
    named = glyphs(("Total", 20, 4, 10), ("1", 20, -7, 10), ("2", 60, -7, 10))

    assert ["a r/(r+1) b"] == [span.text for span in spans(with_fractions(parts, [bar]))]
    assert named == with_fractions(named, [Rule(15, 65, 2.5)])
    table = [bar, *(bar._replace(y=bar.y + off) for off in (-20, 20))]
    assert parts == with_fractions(parts, table)
    cells = glyphs(("Year", 20, 4, 10), ("2023", 55, 4, 10), ("Costs", 20, -7, 10))
    assert cells == with_fractions(cells, [Rule(20, 75, 2.5)])


def test_a_fraction_whose_upper_part_is_drawn_last() -> None:
    """What is above the bar is written once, wherever the page draws it."""
    below = glyphs(("a", 13, 0, 10), ("r+1", 20, -7, 10), ("b", 40, 0, 10))
    parts = [*below, Glyph("\n"), *glyphs(("r", 25, 6, 10))]

    found = "".join(glyph.char for glyph in with_fractions(parts, [Rule(20, 35, 2.5)]))
    assert "a r/(r+1) b" == found.strip()


def ruled(*heights: float, left: float = 50, right: float = 350) -> str:
    return "\n".join(f"{left} {y} {right - left} 0.5 re f" for y in heights)


def table(data: bytes) -> list[str]:
    return [block.text for block in parse_pdf(data).blocks if block.kind == "table"]


def line(low: float, *cells: tuple[float, str]) -> list[Text]:
    return [(left, low, 10, cell) for left, cell in cells]


BODY = [
    *line(660, (55, "Alpha"), (150, "1"), (210, "2"), (270, "3")),
    *line(645, (55, "Beta"), (150, "4"), (210, "5"), (270, "6")),
]
HEAD = line(685, (55, "Crime"), (150, "young"), (210, "old"), (270, "all"))
READ = "Crime | young | old | all\nAlpha | 1 | 2 | 3\nBeta | 4 | 5 | 6"
UNDER_MALE = "\n145 696 95 0.5 re f"
BILL = [
    *line(700, (55, "Net"), (200, "84.00")),
    *line(685, (55, "Tax"), (200, "15.96")),
    *line(665, (55, "Total"), (200, "99.96")),
]
PARTS = [
    *line(700, (55, "Code"), (200, "Model")),
    *line(680, (55, "R"), (200, "Resistor")),
    *line(665, (55, "C"), (200, "Capacitor")),
]
SETS = [
    *line(700, (55, "Set"), (150, "size"), (210, "rate")),
    *line(680, (55, "Alpha"), (150, "1"), (210, "2")),
    *line(665, (150, "3"), (210, "4")),
    *line(650, (55, "Beta"), (150, "5"), (210, "6")),
]
LINES_OF_CELLS = [
    *line(700, (55, "Set"), (150, "key"), (210, "text")),
    *(
        text
        for low in (680, 652, 624)
        for text in (
            *line(low, (55, f"S{low}")),
            *line(low - 7, (150, f"{low}"), (210, "x")),
            *line(low - 14, (55, f"S{low}f")),
        )
    ),
]


@pytest.mark.parametrize(
    ("rows", "drawn", "read"),
    [
        # The rows above the line that closes the head are one; a name over columns is in each.
        (
            [*line(700, (185, "Male")), *HEAD, *BODY],
            ruled(712, 675, 640) + UNDER_MALE,
            READ.replace("young | old", "Male young | Male old"),
        ),
        # Rows with cells right above the first line of a table are its head.
        (
            [*line(700, (55, "Kind"), (165, "Male")), *HEAD, *BODY],
            ruled(675, 640),
            READ.replace("Crime | young", "Kind Crime | Male young"),
        ),
        # A line below the first row says that it names the columns.
        (PARTS, ruled(712, 694, 660), "Code | Model\n--- | ---\nR | Resistor\nC | Capacitor"),
        # A total below the last line is a row; words that are in no column of the table are none.
        (
            [*HEAD, *BODY, *line(625, (55, "Both"), (150, "5"), (210, "7"), (270, "9"))],
            ruled(675, 640),
            f"{READ}\nBoth | 5 | 7 | 9",
        ),
        (
            [*HEAD, *BODY, *line(625, (55, "Both"), (115, "5"), (180, "7"), (240, "9"))],
            ruled(675, 640),
            READ,
        ),
        # A line above a total closes no head, whether or not a line closes the total too.
        (BILL, ruled(680), "Net | 84.00\nTax | 15.96\nTotal | 99.96"),
        (BILL, ruled(680, 660), "Net | 84.00\nTax | 15.96\nTotal | 99.96"),
        # Lines that leave out the first column say that its cell spans rows.
        (
            SETS,
            ruled(712, 694, 661, 646) + "\n145 676 205 0.5 re f",
            "Set | size | rate\nAlpha | 1 | 2\nAlpha | 3 | 4\nBeta | 5 | 6",
        ),
        # A cell of two lines, beside values half-way up, is one row with them.
        (
            LINES_OF_CELLS,
            ruled(712, 694, 662, 634, 606),
            "Set | key | text\nS680 S680f | 680 | x\nS652 S652f | 652 | x\nS624 S624f | 624 | x",
        ),
    ],
)
def test_tables_with_drawn_lines(rows: list[Text], drawn: str, read: str) -> None:
    """Lines tell heads, rows and what spans several of them."""
    assert [read] == table(small_pdf([rows], drawn=drawn))


def test_rotated() -> None:
    """A table is read the same on a page that is stored lying."""
    content = [
        f"BT 0 1 -1 0 {600 - y + 100} {x} Tm /F {size} Tf ({word}) Tj ET"
        for x, y, size, word in [*HEAD, *BODY]
    ]
    lines = [f"{600 - y + 100} 50 0.5 300 re f" for y in (700, 675, 640)]
    lying = small_pdf([[]], drawn="\n".join([*content, *lines]))

    assert [READ] == table(lying)


def test_quotes_with_marks_are_found_on_the_page() -> None:
    """The page keeps its own characters, by which a quote of the chunk is marked."""
    data = small_pdf([[(50, 700, 12, "about 10"), (98, 705, 8, "12"), (110, 700, 12, "keys")]])
    document = parse_pdf(data)
    block = document.blocks[0]

    assert "about 10^12 keys" == block.text
    found = page_spans(block.text, {1: document.page_texts[0]})
    assert [("about", "keys")] == [
        (document.page_texts[0][s.start :][:5], document.page_texts[0][: s.end][-4:]) for s in found
    ]


def test_bullets_that_are_drawn_as_shapes() -> None:
    """So browsers print lists. One dot alone, or some of which one has no line, are a drawing's."""
    lines: list[Text] = [
        *((72, 700, 12, "Switch the pump off and wait until"), (72, 686, 12, "the tank is empty")),
        *((72, 672, 12, "Open valve B"), (72, 658, 12, "Close the cover")),
    ]
    dots = [f"60 {low} 4 4 re f" for low in (702, 674, 660)]
    data = small_pdf([lines], drawn="\n".join([*dots, "300 500 4 4 re f"]))
    drawing = small_pdf([lines], drawn="\n".join([*dots, "60 500 4 4 re f"]))

    parsed = parse_pdf(data)
    items = [block.text for block in parsed.blocks if block.kind == "list"]
    assert [
        "\u2022 Switch the pump off and wait until the tank is empty",
        "\u2022 Open valve B",
        "\u2022 Close the cover",
    ] == items
    assert page_spans("\n".join(items), {1: parsed.page_texts[0]})
    assert "\u2022" not in parse_pdf(drawing).blocks[0].text
