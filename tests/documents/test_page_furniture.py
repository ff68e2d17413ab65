"""Running heads, page numbers and line numbers are recognised."""

from research_agent.documents.layout.page_furniture import (
    Page,
    without_line_numbers,
    without_running_heads,
)
from research_agent.documents.layout.spans import Span


def span(text: str, left: float, low: float) -> Span:
    return Span(text, left, low, left + 5 * len(text), low + 9, 9, low)


def page(number: str, body: str, head: str = "The Standard") -> Page:
    return Page((span(head, 0, 770), span(body, 0, 400), span(number, 200, 30)), 800)


def bodies(pages: tuple[Page, ...]) -> list[list[str]]:
    return [[piece.text for piece in one.spans] for one in pages]


def test_heads_go_and_numbers_become_labels() -> None:
    """Roman numbers, then Arabic ones that begin again, are read as printed."""
    numbers = ["", "i", "ii", "iii", "1", "2", "3"]
    cleaned, labels = without_running_heads(
        [page(n or "x", f"b{i}") for i, n in enumerate(numbers)]
    )

    assert ("", "i", "ii", "iii", "1", "2", "3") == labels
    assert [["b0", "x"], ["b1"], ["b2"], ["b3"], ["b4"], ["b5"], ["b6"]] == bodies(cleaned)


def test_left_and_right_pages_have_their_own_heads() -> None:
    """A head on every second page is one too."""
    pages = [page("", f"b{i}", "Left" if i % 2 else "Right") for i in range(8)]

    assert [[f"b{i}"] for i in range(8)] == [
        [text for text in texts if text] for texts in bodies(without_running_heads(pages)[0])
    ]


def test_a_number_that_does_not_count_is_text() -> None:
    """The same year on each page, or numbers without order, are no page numbers."""
    numbers = ["2024", "7", "2024", "90", "31"]
    _, labels = without_running_heads([page(n, f"b{i}") for i, n in enumerate(numbers)])

    assert ("",) * 5 == labels


def test_text_in_the_middle_stays() -> None:
    """What is repeated outside the margins is text."""
    cleaned, _ = without_running_heads([page("-", "same") for _ in range(5)])

    assert [["same"]] * 5 == [texts[:1] for texts in bodies(cleaned)]


def test_line_numbers_go() -> None:
    """A column of counting numbers beside the text is left out; a column of values stays."""
    numbers = tuple(span(str(9 + i), 20, 700 - 14 * i) for i in range(8))
    values = tuple(span(str(9 * i), 20, 700 - 14 * i) for i in range(8))
    text = (span("text", 60, 700),)

    assert text == without_line_numbers(Page((*numbers, *text), 800)).spans
    assert (*values, *text) == without_line_numbers(Page((*values, *text), 800)).spans


def test_line_numbers_that_share_their_right_edge() -> None:
    """Numbers of one and two digits are one column; the longest that counts up goes."""
    numbers = [
        Span(str(n), 20 - 6 * len(str(n)), 90 - 10 * n, 20, 99 - 10 * n) for n in range(5, 15)
    ]
    text = Span("text", 40, 0, 60, 9)

    assert (text,) == without_line_numbers(Page((*numbers, text), 100)).spans


def test_a_number_twice_on_a_page_is_no_page_number() -> None:
    """Only what grows from page to page is; cells of a table at a page's top stay."""
    cells = (Span("1568", 10, 92, 30, 99), Span("1568", 50, 92, 70, 99))
    pages, labels = without_running_heads([Page((), 100), Page(cells, 100)])

    assert cells == pages[1].spans
    assert ("", "") == labels
