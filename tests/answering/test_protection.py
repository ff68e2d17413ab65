"""Chunks that are not up for a decision."""

from dataclasses import replace

from research_agent.answering.select_evidence.protection import protections
from research_agent.types import Chunk
from tests.fakes import chunk

TEXTS = ("ML-KEM-768 has 1184 bytes.", "A KEM has a key of 32 bytes.", "Keys are random.")
CHUNKS = [chunk(text, number) for number, text in enumerate(TEXTS)]


def test_tables_in_any_question() -> None:
    """Cells are measured badly."""
    table: Chunk = replace(CHUNKS[2], kind="table")

    assert ("", "table") == protections("What is bread?", [CHUNKS[1], table])


def test_names_numbers_and_quotations_of_the_question() -> None:
    """Those that tell a chunk from the others."""
    assert ("identifier", "", "") == protections("How long is ML-KEM-768's key?", CHUNKS)
    assert ("", "number", "") == protections("What has 32 bytes?", CHUNKS)
    assert ("", "", "quotation") == protections('Where does it say "keys  are Random"?', CHUNKS)


def test_what_all_chunks_have_protects_none() -> None:
    """More than half of them with the name, or no name at all."""
    assert ("", "") == protections("What is ML-KEM-768?", [CHUNKS[0], CHUNKS[0]])
    assert ("", "", "") == protections("what is a key?", CHUNKS)
    assert () == protections("What is ML-KEM-768?", [])
