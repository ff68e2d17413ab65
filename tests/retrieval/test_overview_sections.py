"""Which documents a question means, and whose pages come first."""

from dataclasses import replace

import pytest

from research_agent.retrieval.overview_sections import family, in_turn, one_a_document
from research_agent.types import Chunk
from research_agent.types.question_words import ENGLISH, QuestionWords

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
        ("Tell me about s", set()),
        ("", set()),
        ("何ですか", set()),
    ],
)
def test_plural_in_several_titles(question: str, documents: set[str]) -> None:
    """One document is no family, nor is what the question names in the singular."""
    assert documents == family(question, PAGES, [ENGLISH])


def test_a_language_without_plurals_names_no_family() -> None:
    """The endings are settings."""
    assert frozenset() == family("harbour rules", PAGES, [QuestionWords()])
    assert frozenset() == family("harbour rules", PAGES, [])
    german = replace(ENGLISH, plurals=("n",))
    pages = [replace(page, title=page.title.replace("ule", "egel")) for page in PAGES]
    pages = [replace(page, title=page.title.replace("Regels", "Regeln")) for page in pages]
    assert {"north", "south"} == family("Wozu die Regeln?", pages, [german])


def test_each_document_brings_a_page_first() -> None:
    """Documents that are shown already wait, those of the family lead, no page is lost."""
    ordered = one_a_document(PAGES, [PAGES[0]], frozenset({"south"}))

    assert ["s1", "m1", "n1", "n2"] == [page.chunk_id for page in ordered]
    assert () == one_a_document([], PAGES, frozenset())


def test_rankings_take_turns() -> None:
    """Of unequal length, with the same chunk in several."""
    a, b, c, d = PAGES

    assert (a, b, c, d) == in_turn([[a, c], [b, a, d], []])
    assert () == in_turn([])
