"""Algorithms and tables found by what is above them, definitions by their shape, and families."""

import time

import pytest

from research_agent.retrieval.search.definitions import by_definition, identifiers
from research_agent.retrieval.search.overviews import family
from research_agent.retrieval.search.places import pages_apart, place_at
from research_agent.types import Chunk, ChunkKind
from research_agent.types.question_plan import MOST_FOUND, LookUp, by_heading

STEPS = "\n1: add\n2: return"
ALGORITHMS: tuple[ChunkKind, ...] = ("algorithm", "code")


def algorithm(name: str, caption: str, *, doc_id: str = "tides", title: str = "") -> Chunk:
    return Chunk(
        name, doc_id, f"{caption}{STEPS}", section=(caption,), kind="algorithm", title=title
    )


TIDES = [
    Chunk("table", "tides", "Table 2. Levels\n | low\nA | 1", kind="table"),
    algorithm("twelve", "Algorithm 12 Ebb(x)"),
    algorithm("part", "Algorithm 1.5 Ebb(x)"),
    Chunk("prose", "tides", "Algorithm 1 is fast."),
    algorithm("one", "Algorithm 1. Flood(x)"),
    algorithm("two", "Algorithm 2 Tide.ReRead(x)"),
    algorithm("inner", "Algorithm 3 Tide.Read_internal(x)"),
    algorithm("wanted", "Algorithm 5 Tide.Read(x)"),
    Chunk("empty", "d", ""),
    Chunk("text", "d", f"As follows.\n\nAlgorithm 7 Ebb(x){STEPS}\n\nAlgorithm 8 Flood(x)"),
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (LookUp(ALGORITHMS, "algorithm 1"), ["one"]),
        (LookUp(ALGORITHMS, "Algorithm 1.5"), ["part"]),
        (LookUp(ALGORITHMS, "Algorithm 2"), ["two"]),
        (LookUp(("table",), "Table 2"), ["table"]),
        (LookUp(ALGORITHMS, names=("Read",)), ["wanted"]),
        (LookUp(ALGORITHMS, names=("Tide.Read", "Algorithm")), ["wanted", "inner"]),
        (LookUp(ALGORITHMS, names=("Ti",)), []),
        (LookUp(ALGORITHMS, "Algorithm 7"), ["text"]),
        (LookUp(ALGORITHMS, "Algorithm 8"), []),
        (LookUp(ALGORITHMS), []),
    ],
)
def test_headings(wanted: LookUp, found: list[str]) -> None:
    """The whole number and the whole name; steps in running text count, use does not."""
    assert found == [c.chunk_id for c in by_heading(wanted, TIDES, "")][: max(1, len(found))]


def test_the_document_of_the_question_leads() -> None:
    chunks = [
        algorithm("north", "Algorithm 1 Ebb(x)", doc_id="north", title="Tides of the north"),
        algorithm("south", "Algorithm 1 Flood(x)", doc_id="south", title="Tides of the south"),
    ]
    found = [
        [c.chunk_id for c in by_heading(LookUp(ALGORITHMS, "Algorithm 1"), chunks, question)]
        for question in ("Algorithm 1 of the south", "Algorithm 1")
    ]

    assert [["south", "north"], ["north", "south"]] == found
    many = [algorithm(f"{i:02}", f"Algorithm {i} Ebb(x)") for i in range(30)]
    most = by_heading(LookUp(ALGORITHMS, names=("Ebb",)), many, "")
    assert [f"{i:02}" for i in range(MOST_FOUND)] == [chunk.chunk_id for chunk in most]


DEFINING = [
    Chunk("used", "d", "Levels are above LAT everywhere."),
    Chunk("introduced", "d", "That level is called the LAT."),
    Chunk("sentence", "d", "In short, LAT is the lowest level."),
    Chunk("expanded", "d", "the lowest astronomical tide (LAT) at the gauge"),
    Chunk("entry", "d", "HAT | high\nLAT | lowest tide", section=("2. Terms",)),
]


def test_shapes_of_definitions() -> None:
    """An entry of a glossary is surest, then sentences; mere use is no definition."""
    order = [chunk.chunk_id for chunk in by_definition("LAT", DEFINING)]

    assert ["entry", "sentence", "expanded", "introduced"] == order
    assert (DEFINING[-1],) == by_definition("LAT", DEFINING, surest=True)
    assert () == by_definition("LAT", DEFINING[:1], surest=True)


def test_a_term_is_no_pattern() -> None:
    a, b = (Chunk(name, "d", "C++ is a language.") for name in "ab")

    assert (b, a) == by_definition("C++", [b, a])
    assert () == by_definition("(", [a]) + by_definition("C", [a])
    net = Chunk("n", "d", "Today .NET is a platform.")
    assert (net,) == by_definition(".NET", [a, net])


PAGES = [
    Chunk("n1", "north", "…", title="Harbour rule of the north"),
    Chunk("n2", "north", "…", title="Harbour rule of the north"),
    Chunk("s1", "south", "…", title="Harbour Rules of the South"),
    Chunk("m1", "map", "…", title="Map of the tides"),
]


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("Why do we need harbour rules?", {"north", "south"}),
        ("What are the RULES for?", {"north", "south"}),
        ("Why is there a harbour rule?", set()),
        ("What are maps for?", set()),
        ("What are pumps?", set()),
        ("", set()),
    ],
)
def test_plural_in_several_titles(question: str, documents: set[str]) -> None:
    """One document is no family, nor is what the question names in the singular."""
    assert documents == family(question, PAGES)


def paged(name: str, page: int, source: str = "a.pdf") -> Chunk:
    return Chunk(name, "d", name, page, page, source=source)


@pytest.mark.parametrize(
    ("own", "others", "after", "most", "expected"),
    [
        ("abcd", "xy", 2, 2, "abxycd"),
        ("abcd", "xy", 2, 1, "abxcd"),
        ("abcd", "dx", 2, 2, "abdxc"),
        ("abcd", "ax", 2, 2, "abxcd"),
        ("abcd", "xX", 1, 2, "axbcd"),
        ("a", "xy", 3, 2, "axy"),
        ("", "xy", 3, 2, "xy"),
        ("abcd", "x", 2, 0, "abcd"),
    ],
)
def test_inserted_after_a_rank(own: str, others: str, after: int, most: int, expected: str) -> None:
    """Each of another page; what ranks lower already moves up; nothing is lost."""
    pages = {name: paged(name, ord(name.lower())) for name in "abcdxyX"}
    found = place_at([pages[n] for n in own], [pages[n] for n in others], after=after, most=most)

    assert expected == "".join(chunk.text for chunk in found)


@pytest.mark.parametrize(
    ("own", "source", "expected"),
    [
        ("aAbcd", "a.pdf", "abAcd"),  # (A's place is 4, as c's)
        ("aAaA", "a.pdf", "aAaA"),
        ("abcdA", "a.pdf", "abcdA"),
        ("aAbcd", "a.md", "aAbcd"),
    ],
)
def test_later_hits_of_a_page_are_put_back(own: str, source: str, expected: str) -> None:
    """By their number on the page, not behind all others; formats without pages keep ranks."""
    paged_at = [(name, ord(name.lower()) if source == "a.pdf" else 1) for name in own]
    chunks = [
        Chunk(str(rank), "d", name, page, page, source=source)
        for rank, (name, page) in enumerate(paged_at)
    ]

    assert expected == "".join(chunk.text for chunk in pages_apart(chunks))


@pytest.mark.parametrize(
    ("word", "is_one"),
    [("ML-KEM-768", True), ("_main", True), ("2a.b3", True), ("256-bit", False), ("2024", False)],
)
def test_a_low_line_or_a_digit_after_a_letter(word: str, *, is_one: bool) -> None:
    assert ((word,) if is_one else ()) == identifiers(f"What is {word}?")


@pytest.mark.parametrize("word", ["a" * 100_000, "1a" * 50_000 + ".b", "1-" * 50_000])
def test_long_words_are_read_in_time(word: str) -> None:
    began = time.process_time()
    identifiers(word)
    assert time.process_time() - began < 5
