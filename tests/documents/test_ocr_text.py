"""Lines of OCR: columns, rows, paragraphs, and what a page's label says."""

from research_agent.documents.ocr_text import OcrLine, paragraphs, with_scans
from research_agent.types import Chunk
from research_agent.types.documents import Block, ParsedDocument, ParseQuality
from research_agent.types.evidence import place


def line(text: str, left: float, top: float, width: float = 300) -> OcrLine:
    return OcrLine(text, 0.9, left, top, left + width, top + 10)


def test_columns_are_read_one_after_the_other_below_what_spans_them() -> None:
    """A heading from side to side is above both."""
    lines = [line("Title of both", 0, 0, 640)]
    for number in range(4):
        lines += [line(f"left {number}", 0, 30 + 12 * number)]
        lines += [line(f"right {number}", 340, 31 + 12 * number)]

    assert ["Title of both", "left 0 left 1 left 2 left 3", "right 0 right 1 right 2 right 3"] == [
        *paragraphs(lines)
    ]


def test_cells_of_a_table_stay_in_their_rows() -> None:
    """Columns of short lines are no columns of text."""
    lines = [line(text, left, top, 40) for top in (0, 12) for left, text in ((0, "a"), (600, "b"))]
    assert ["a  b a  b"] == list(paragraphs(lines))


def test_chinese_lines_are_joined_without_spaces() -> None:
    """Between writing with spaces and writing without there is one."""
    lines = [line("\u9ed1\u9ea6", 0, 0), line("\u9762\u5305", 0, 12), line("Rye", 0, 24)]
    assert ["\u9ed1\u9ea6\u9762\u5305 Rye"] == list(paragraphs(lines))


def test_pages_take_their_place_and_say_how_sure_they_are() -> None:
    """Text of the file stays as it is; a page on which nothing was found has no label."""
    blocks = (Block("One.", 1, ("Bread",)), Block("Four.", 4))
    quality = ParseQuality(pages=5, textless=3)
    document = ParsedDocument(
        blocks, page_labels=("i", "", "", "", ""), quality=quality, textless_pages=(2, 3, 5)
    )
    read = with_scans(document, {2: [line("Two.", 0, 0)], 3: []})

    assert ["One.", "Two.", "Four."] == [block.text for block in read.blocks]
    assert ("Bread",) == read.blocks[1].section
    assert ("i", "read by OCR, 90 % sure", "", "", "") == read.page_labels
    assert ((5,), 1, 1) == (read.textless_pages, read.quality.textless, read.quality.ocr)


def test_a_citation_says_that_its_page_was_read_by_ocr() -> None:
    """Of two pages the less sure one counts; printed numbers stay as they were."""
    labels = ("read by OCR, 91 % sure", "read by OCR, 88 % sure")
    chunk = Chunk("x", "scan", "...", 12, 13, *labels, source="scan.pdf")
    assert "scan, PDF pages 12-13 (read by OCR, 88 % sure)" == place(chunk)
