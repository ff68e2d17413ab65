"""Chunks that define a term, told from chunks that use it."""

from research_agent.retrieval.definitions import by_definition
from research_agent.types import Chunk
from research_agent.types.question_words import ENGLISH


def ids(term: str, *chunks: Chunk) -> list[str]:
    return [chunk.chunk_id for chunk in by_definition(term, chunks, [ENGLISH])]


def test_shapes_of_definitions() -> None:
    """An entry of a glossary is surest, then sentences; mere use is no definition."""
    entry = Chunk("entry", "d", "HAT | high\nLAT | lowest tide", section=("2. Terms",))
    expanded = Chunk("expanded", "d", "the lowest astronomical tide (LAT) at the gauge")
    sentence = Chunk("sentence", "d", "In short, LAT is the lowest level.")
    introduced = Chunk("introduced", "d", "That level is called the LAT.")
    used = Chunk("used", "d", "Levels are above LAT everywhere.")

    order = ids("LAT", used, introduced, sentence, expanded, entry)

    assert "entry" == order[0]
    assert ["sentence", "expanded"] == order[1:3]
    assert ["introduced"] == order[3:]


def test_a_term_is_no_pattern() -> None:
    """Signs in a term are found as they are; equal chunks keep their order."""
    a, b = (Chunk(name, "d", "C++ is a language.") for name in "ab")

    assert ["b", "a"] == ids("C++", b, a)
    assert [] == ids("(", a)
    assert [] == ids("C", a)
