"""Mentions: whole words, capitals, frequent names, names of several documents."""

import pytest

from research_agent.index.mentions import CHUNKS, LEAST_CHUNKS, Mentions, Names
from research_agent.text.names import document_names, heading_name, term_name

HARBOUR, TIDES, OTHER = 1, 2, 3


def names(*titles: str) -> Names:
    """Return the names of documents 1, 2, … whose first chunks are 10, 20, …"""
    found = Names()
    for number, title in enumerate(titles, start=1):
        found.add_document(number, 10 * number, title=title, doc_id=f"d{number}")
    return found


def targets(known: Names, text: str, *, document: int = 99) -> list[int]:
    mentions = Mentions(known, chunks=1)
    mentions.add(document, 999, text)
    return [target for _, target, _ in mentions.edges()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Harbour Rules hold.", [10]),
        ("HARBOUR RULES", [10]),
        ("Harbour-Rules", [10]),
        ("Harbour\u00adRules, Harbour\nRules", [10]),
        ("harbour rules", []),
        ("New Harbour Rulesets", []),
        ("the Tide gauge", [20]),
        ("Harbour Rules of Tide gauge Harbour Rules", [10, 20]),
        ("O\u2019Neill\u2019s Caf\u00e9 opens", [30]),
        ("", []),
        ("\ud800 \x00 \U0010ffff", []),
    ],
)
def test_whole_words_and_capitals(text: str, found: list[int]) -> None:
    """Marks and invisible characters between words do not count, capitals inside a name do."""
    assert found == targets(names("Harbour Rules", "Tide gauge", "O'Neill's Caf\u00e9"), text)


def test_a_longer_name_hides_a_shorter_one() -> None:
    """The leftmost, then the longest: a name within another one is not meant."""
    known = names("Harbour Rules", "Harbour Rules Annex")
    assert [20] == targets(known, "the Harbour Rules Annex")
    assert [10, 20] == targets(known, "the Harbour Rules and the Harbour Rules Annex")


def test_nobody_mentions_itself() -> None:
    """A document that names itself has no edge to its beginning, nor has a chunk to itself."""
    known = names("Harbour Rules")
    assert [] == targets(known, "the Harbour Rules", document=HARBOUR)
    known.add_heading(TIDES, 999, "Mooring Lines")
    assert [] == targets(known, "Mooring Lines", document=TIDES)


def test_a_text_does_not_mention_the_sections_it_stands_in() -> None:
    """Parts of one section repeat its heading: that leads nowhere, other headings do."""
    known = names()
    known.add_heading(HARBOUR, 11, "2 Mooring Lines")
    known.add_heading(HARBOUR, 12, "Spring Tides")
    mentions = Mentions(known, chunks=1)
    text = "Mooring Lines, Spring Tides"
    mentions.add(HARBOUR, 13, text, ["Guide", "2 Mooring Lines"])
    assert [(13, 12, 0)] == list(mentions.edges())


def test_sections_are_meant_in_their_document_or_where_they_are_the_only_one() -> None:
    """ "Key Sizes" in two documents: each means its own, a third one neither."""
    known = names("Harbour Rules", "Tide gauge")
    known.add_heading(HARBOUR, 11, "2 Key Sizes")
    known.add_heading(TIDES, 21, "Key Sizes")
    known.add_heading(TIDES, 22, "Only Quay")
    text = "Key Sizes, Only Quay"
    assert [11, 22] == targets(known, text, document=HARBOUR)
    assert [21, 22] == targets(known, text, document=TIDES)
    assert [22] == targets(known, text, document=OTHER)


def test_a_title_of_many_documents_is_nobodys() -> None:
    """Up to three are all meant; a fourth makes it no name."""
    assert [10, 20, 30] == targets(names(*["Annual Report"] * 3), "the Annual Report")
    assert [] == targets(names(*["Annual Report"] * 4), "the Annual Report")


def test_frequent_names_are_weeded_out() -> None:
    """In few chunks a name counts whatever their share, in very many it never does."""
    for chunks, most in ((1, LEAST_CHUNKS), (1000, 20), (10**6, CHUNKS)):
        for uses in (most, most + 1):
            mentions = Mentions(names("Harbour Rules"), chunks=chunks)
            for number in range(uses):
                mentions.add(99, 1000 + number, "Harbour Rules")
            assert (uses if uses == most else 0) == len(list(mentions.edges()))


def test_places_count_up_within_a_chunk_and_their_number_is_capped() -> None:
    """An index of all titles leads to twenty of them, in reading order."""
    titles = [f"Pier {chr(65 + i)}x" for i in range(26)]
    mentions = Mentions(names(*titles), chunks=1)
    mentions.add(99, 999, ", ".join(titles))
    assert [(999, 10 * i, i - 1) for i in range(1, 21)] == list(mentions.edges())


@pytest.mark.parametrize(
    ("title", "doc_id", "found"),
    [
        ("Guide", "guide", ["Guide"]),
        ("guide", "guide", []),
        ("The", "x", []),
        ("Of the And", "x", []),
        ("A very long title " * 4, "x", []),
        ("SPHINCS+: a signature scheme", "x", ["SPHINCS a signature scheme", "SPHINCS"]),
        ("Notes: a diary", "x", ["Notes a diary"]),
        ("", "NIST.FIPS.203", ["fips 203"]),
        ("", "px-200 manual", ["px 200"]),
        ("", "2024-01-05", []),
        ("", "a-1", []),
        ("12 34", "x", []),
    ],
)
def test_names_of_documents(title: str, doc_id: str, found: list[str]) -> None:
    """Titles that say something, without brackets and subtitles, and cited numbers."""
    assert found == [" ".join(words) for words in document_names(title, doc_id)]


def test_names_of_sections_and_terms() -> None:
    """One common word is no name; numbers before a heading are no part of it."""
    headings = (
        "3.1 Key Sizes",
        "Appendix B \u2014 Loop Bounds",
        "Scope",
        "KeyGen",
        "IV. Two Words",
    )
    assert ["Key Sizes", "Loop Bounds", "", "KeyGen", "Two Words"] == [
        " ".join(heading_name(heading)) for heading in headings
    ]
    assert [("KEM",), (), ("shared", "secret")] == [
        term_name(term) for term in ("KEM", "key", "shared secret (KDF)")
    ]
