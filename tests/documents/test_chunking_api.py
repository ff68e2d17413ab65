"""Operations, schemas and security schemes into chunks."""

import pytest

from research_agent.documents.chunking import linked_chunks
from research_agent.types import Chunk, ChunkKind
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import ChunkLinks, Link

HEAD = "GET /pets listPets"


def chunks(*blocks: Block, size: int = 100) -> tuple[tuple[Chunk, ChunkLinks], ...]:
    return linked_chunks("key", "doc", ParsedDocument(blocks), source="/d.json", chunk_chars=size)


@pytest.mark.parametrize("kind", ["operation", "schema", "security"])
def test_they_are_chunks_of_their_own(kind: ChunkKind) -> None:
    """However short, none is put together with another one or with text around it."""
    blocks = (Block("One."), Block(HEAD, kind=kind), Block("GET /b", kind=kind), Block("Two."))

    assert [("One.", "text"), (HEAD, kind), ("GET /b", kind), ("Two.", "text")] == [
        (chunk.text, chunk.kind) for chunk, _ in chunks(*blocks)
    ]


def test_parts_have_the_heading_and_their_own_links() -> None:
    """A long one is cut between lines, and each link stays with its line."""
    lines = [f"query parameter number{i:02} (Type{i:02})" for i in range(20)]
    links = tuple(Link(f"#/Type{i:02}", "schema", line) for i, line in enumerate(lines))
    block = Block("\n".join([HEAD, *lines]), kind="operation", anchors=("#/get",), links=links)
    found = chunks(block)

    assert len(found) > 5
    assert all(chunk.text.startswith(f"{HEAD}\n") for chunk, _ in found)
    assert all(len(chunk.text) <= 100 for chunk, _ in found)
    assert lines == [line for chunk, _ in found for line in chunk.text.split("\n")[1:]]
    for chunk, own in found:
        wanted = [f"#/{line[-7:-1]}" for line in chunk.text.split("\n")[1:]]
        assert wanted == [link.target for link in own.links if link.kind == "schema"]
    anchors = {anchor for _, own in found for anchor in own.anchors}
    parts = [link.target for _, own in found for link in own.links if link.kind == "part"]
    assert "#/get" in found[0][1].anchors
    assert set(parts) <= anchors


def test_lines_with_numbers_are_no_table_of_contents() -> None:
    """Lines that end with numbers look like contents; a schema's never are."""
    text = "Schema Size\n" + "\n".join(f"1.{i} Width … {i}" for i in range(6))

    assert ["schema"] == [chunk.kind for chunk, _ in chunks(Block(text, kind="schema"), size=1000)]
    assert ["contents"] == [chunk.kind for chunk, _ in chunks(Block(text), size=1000)]
