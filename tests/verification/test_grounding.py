"""Each sentence of an answer gets a probability, quotes and facts."""

from research_agent.types import Chunk
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.verify.grounding import ground
from tests.fakes import TEXTS, WordPairs, chunk

CHUNKS = {f"c{place}": chunk(text, place) for place, text in enumerate(TEXTS, start=1)}
MODEL = read_grounding()


def test_held_sentences_are_likelier_than_others() -> None:
    """In the order of the answer, each with the best quote of each passage."""
    held, other, empty = ground(
        ["ML-KEM-768 has an encapsulation key of 1184 bytes.", "Wine is red.", "…"],
        CHUNKS,
        pairs=WordPairs(),
        model=MODEL,
    )
    assert held.probability > MODEL.limit > other.probability
    assert empty.probability < MODEL.limit
    assert TEXTS[0] == held.quotes["c1"].quote
    assert "c1" == next(iter(held.quotes))
    assert not other.quotes
    assert {"held"} == {fact.status for fact in held.facts}


def test_another_number_in_the_same_statement_contradicts() -> None:
    """The key of the passage is told."""
    (told,) = ground(["Bread is baked at 250 degrees."], CHUNKS, pairs=WordPairs(), model=MODEL)
    assert "c3" == told.contradicted_by
    assert told.contradiction
    assert "230" == told.contradiction.found


def test_nothing_to_compare_with() -> None:
    """No sentences, no passages, a passage in another language."""
    assert () == ground([], CHUNKS, pairs=WordPairs(), model=MODEL)
    foreign = {"c1": Chunk("z", "", "密钥长度为1184字节。")}
    for passages in ({}, foreign):
        (told,) = ground(["It has keys."], passages, pairs=WordPairs(), model=MODEL)
        assert told.probability < MODEL.limit
