"""Lines of OCR: columns, rows and paragraphs."""

import pytest

from research_agent.documents.adapters.ocr import Line, paragraphs


def line(text: str, left: float, top: float, width: float = 300) -> Line:
    return Line(text, left, top, left + width, top + 10)


COLUMNS = [
    line(f"{side} {number}", left, 30 + 12 * number)
    for number in range(2)
    for side, left in (("left", 0), ("right", 340))
]
CELLS = [line(text, left, top, 40) for top in (0, 12) for left, text in ((0, "a"), (600, "b"))]
CHINESE = [line("\u9ed1\u9ea6", 0, 0), line("\u9762\u5305", 0, 12), line("Rye", 0, 24)]


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ([line("Both", 0, 0, 640), *COLUMNS], ["Both", "left 0 left 1", "right 0 right 1"]),
        (CELLS, ["a  b a  b"]),
        (CHINESE, ["\u9ed1\u9ea6\u9762\u5305 Rye"]),
    ],
)  # fmt: skip
def test_lines_become_paragraphs_in_the_order_of_reading(
    lines: list[Line], read: list[str]
) -> None:
    """Columns below what spans them, cells in their rows, Chinese without spaces."""
    assert read == list(paragraphs(lines))
