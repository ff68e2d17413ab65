"""A quote on its page: what readable text has lost and gained since, and what is not there."""

import time

import pytest

from research_agent.text.alignment import PageSpan, page_spans, quote_spans


def shown(quote: str, page: str, *, before: str = "", after: str = "") -> list[str] | None:
    spans = quote_spans(quote, page, before=before, after=after)
    return None if spans is None else [page[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("The key is long.", "The key\r\nis long."),
        ("a document of one word", "a docu\u00adment\r\nof one word"),
        ("a document of one word", "a docu\x02\r\nment of one word"),
        ("a document of one word", "a docu\ufffement of one word"),
        ("a lattice-based standard", "a lattice-\r\nbased stan-\r\ndard"),
        ("the first office flows", "the \ufb01rst o\ufb03ce \ufb02ows"),
        ("sizes 7\u2009856 and 1184", "sizes 7 856 and 1184"),
        ("caf\u00e9 na\u00efve", "cafe\u0301 nai\u0308ve"),
        ("x \u2208 \U0001d43a", "x \u2208 \U0001d43a"),
        ("\u05d0\u05d1\u05d2 \u05d4\u05d5", "\u05d0\u05d1\u05d2\r\n\u05d4\u05d5"),
    ],
)
def test_ways_of_writing(quote: str, page: str) -> None:
    assert [page] == shown(quote, f"{page}")
    assert [page] == shown(quote, f"Before it. {page} And more.")


def test_line_numbers_and_running_heads_between() -> None:
    page = "12 All keys of the scheme\r\n13 are sampled anew for\r\n14 every session.\r\n15 Then"
    parts = ["All keys of the scheme", "are sampled anew for", "every session."]

    assert parts == shown("All keys of the scheme are sampled anew for every session.", page)
    short = "12 Every key of the scheme\r\n13 is\r\n14 sampled anew."
    parts = ["Every key of the scheme", "is", "sampled anew."]
    assert parts == shown("Every key of the scheme is sampled anew.", short)


@pytest.mark.parametrize(
    ("quote", "page", "parts"),
    [
        ("B | 1184 | 1088", "COLUMNS", ["B", "1184", "1088"]),
        ("A | 800 | 768", "COLUMNS", ["A", "800", "768"]),
        ("C | 1568 | 1569", "COLUMNS", None),
        ("C | 7 | 7", "C\r\n7\r\n9\r\n7\r\nD", ["C\r\n7", "7"]),  # no character is used twice
        ("A | 7 | 7", "7\r\nA\r\n7", ["7\r\nA\r\n7"]),  # the nearest is used, another is not
        ("rows | 8", "key 1184 bytes 18 rows 8", ["rows 8"]),  # not inside another number
        ("bytes | 18", "key 1184 bytes 18 rows 8", ["bytes 18"]),
    ],
)
def test_cells(quote: str, page: str, parts: list[str] | None) -> None:
    """A table drawn column by column has the cells of a row in several places; they are words."""
    columns = "name\r\nA\r\nB\r\nkey\r\n800\r\n1184\r\ntext\r\n768\r\n1088\r\n"

    assert parts == shown(quote, page.replace("COLUMNS", columns))
    assert ["8"] == shown("8", "key 1184 bytes 18 rows 8", before="rows")


def test_what_stands_around_decides() -> None:
    """Of equal places the one with the chunk's own words around it."""
    page = "In mode A the key has 32 bytes. In mode B the key has 32 bytes. In mode C it has none."
    second = page.rindex("the key has 32 bytes.")
    quote = "the key has 32 bytes."

    assert ((second, second + len(quote)),) == quote_spans(quote, page, before="In mode B ")
    assert ((second, second + len(quote)),) == quote_spans(quote, page, after=" In mode C")
    assert ((14 - 4, 31),) == quote_spans(quote, page, before="In mode A ")


def test_a_part_after_the_break_is_the_next_one() -> None:
    page = (
        "sam-\r\npled anew for it. Head\r\nAll keys of the scheme\r\n7\r\nsam-\r\npled anew for it."
    )
    spans = quote_spans("All keys of the scheme sampled anew for it.", page)

    assert ((page.index("All"), page.index("\r\n7")), (page.rindex("sam"), len(page))) == spans


@pytest.mark.parametrize(
    "quote", ["", " ", "|", "-", "no such words here", "keys for a new man in the sun of it"]
)
def test_what_is_not_there(quote: str) -> None:
    page = "A man in the sun. It is new, and keys of a door are for sale in the town of Bath."

    assert None is quote_spans(quote, page)
    assert None is quote_spans("some words", "")


def test_pages() -> None:
    """Each part is on its page; a quote may go on over the break, and pages may be blank."""
    pages = {3: "Text. All keys of the\r\n", 4: "", 5: "Running head\r\nscheme are new."}
    quote = "All keys of the scheme are new."

    assert (PageSpan(3, 6, 21), PageSpan(5, 14, 29)) == page_spans(quote, pages)
    assert () == page_spans(quote, {})
    assert () == page_spans("other words than these", pages)


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("a" * 3000, "a" * 100_000),
        ("ab " * 1000, "a " * 50_000),
        ("a | " * 1000, "b a " * 20_000),
        ("| " * 1000, "| " * 50_000),
        ("xaaaaaaa" * 300, "aaaaaaa" * 14_000),
    ],
)
def test_hostile_pages_take_no_time(quote: str, page: str) -> None:
    start = time.process_time()
    quote_spans(quote, page)

    assert time.process_time() - start < 2
