"""Bookmarks into the headings above each line."""

from research_agent.documents.layout.outline import Entry, row_sections
from research_agent.documents.layout.rows import Row
from research_agent.documents.layout.spans import Span


def page(*lines: str) -> list[Row]:
    return [Row(((Span(text, 0, 90 - 10 * i, 50, 99 - 10 * i),),)) for i, text in enumerate(lines)]


def test_titles_are_found_and_numbers_taken_over() -> None:
    """The line that repeats a title starts its section, with the number the outline lacks."""
    pages = [page("before", "1. Intro", "text"), page("more", "1.1 Purpose", "text")]
    entries = [Entry(0, "Intro", 0), Entry(1, "Purpose", 1)]

    assert (
        ((), ("1. Intro",), ("1. Intro",)),
        (("1. Intro",), ("1. Intro", "1.1 Purpose"), ("1. Intro", "1.1 Purpose")),
    ) == row_sections(entries, pages)


def test_place_counts_where_no_line_repeats_the_title() -> None:
    """Without a place an entry begins at the page's top; a place below all lines is kept."""
    entries = [Entry(0, "A", 0), Entry(0, "B", 0, top=85.0), Entry(0, "C", 0, top=1.0)]

    assert ((("A",), ("B",)), (("C",),)) == row_sections(entries, [page("x", "y"), page("z")])


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


def test_entries_that_lead_nowhere_are_ignored() -> None:
    """A page that does not exist costs only its entry; no outline means no headings."""
    assert (((),),) == row_sections([Entry(0, "X", 7), Entry(0, "", 0)], [page("x")])
    assert ((), ((),)) == row_sections([], [[], page("x")])
