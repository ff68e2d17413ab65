"""Documents into chunks: whole sentences, whole tables, stable ids."""

from itertools import pairwise

import pytest

from research_agent.documents.chunking import linked_chunks
from research_agent.text.pseudocode import goes_on
from research_agent.types import Chunk, chunk_header
from research_agent.types.documents import Block, ParsedDocument


def chunks(*blocks: Block, size: int = 100, key: str = "key") -> tuple[Chunk, ...]:
    document = ParsedDocument(blocks, title="T", date="2024", page_labels=("i", "1", "2"))
    found = linked_chunks(key, "doc", document, source="/d.pdf", chunk_chars=size)
    return tuple(chunk for chunk, _ in found)


def test_blocks_of_a_section_are_merged() -> None:
    """Paragraphs are joined by a blank line, list items by a line's end; sections never."""
    found = chunks(
        Block("One.", 1, ("A",)),
        Block("- a", 2, ("A",), "list"),
        Block("- b", 2, ("A",), "list"),
        Block("Two.", 3, ("B",)),
    )

    assert ["One.\n\n- a\n- b", "Two."] == [chunk.text for chunk in found]
    first = found[0]
    assert (1, 2, "i", "1") == (
        first.start_page, first.end_page, first.start_label, first.end_label,
    )  # fmt: skip
    assert ("T", "2024", "/d.pdf", "doc") == (first.title, first.date, first.source, first.doc_id)
    assert [0, 1] == [chunk.order for chunk in found]
    assert [("A",), ("B",)] == [chunk.section for chunk in found]


def test_long_text_is_cut_between_sentences() -> None:
    """Every chunk of a long paragraph ends where a sentence does, and nothing is lost."""
    text = " ".join(f"Sentence number {i} has e.g. some words." for i in range(50))
    found = chunks(Block(text), size=200)

    assert text == " ".join(chunk.text for chunk in found)
    assert all(chunk.text.endswith("words.") for chunk in found)
    assert all(100 < len(chunk.text) <= 200 for chunk in found)


@pytest.mark.parametrize("letter", ["x", "x "])
def test_endless_sentence_is_cut(letter: str) -> None:
    """400 kB without a full stop are cut at spaces, or hard, without loss."""
    text = (letter * 400_000)[:400_000].strip()
    found = chunks(Block(text), size=1000)

    assert max(len(chunk.text) for chunk in found) <= 1000
    assert text.count("x") == sum(chunk.text.count("x") for chunk in found)


def test_tables_and_code_stay_whole() -> None:
    """Up to half as long again; then rows are split, and a table repeats its first."""
    rows = [f"row {i} | {i}" for i in range(100)]
    small, *parts = chunks(
        Block("a | b\nc | d", kind="table"), Block("\n".join(rows), kind="table"), size=100
    )
    code = chunks(Block("\n".join(rows), kind="code"), size=100)

    assert "a | b\nc | d" == small.text
    assert "table" == parts[0].kind
    assert all(part.text.startswith("row 0 | 0\n") for part in parts)
    assert rows[1:] == [line for part in parts for line in part.text.split("\n")[1:]]
    assert rows == [line for part in code for line in part.text.split("\n")]


def test_algorithms_stay_whole() -> None:
    """As long as half a chunk more, apart from the text around, whatever their sections are."""
    text = "Algorithm 1 Sum\n" + "\n".join(f"{i}: add" for i in range(1, 17))
    assert 100 < len(text) <= 150

    found = chunks(Block("Before."), Block(text, kind="algorithm"), Block("After " * 5))

    assert ["text", "algorithm", "text"] == [chunk.kind for chunk in found]
    assert text == found[1].text


def test_parts_of_an_algorithm_have_its_caption() -> None:
    """No line is cut or lost, no part is too long, and each goes on with the steps before."""
    steps = [f"{i}: add {i} to the sum" for i in range(1, 30)]
    found = chunks(Block("\n".join(["Algorithm 1 Sum", *steps]), kind="algorithm"))

    assert len(found) > 2
    assert {"Algorithm 1 Sum"} == {chunk.text.split("\n")[0] for chunk in found}
    assert steps == [line for chunk in found for line in chunk.text.split("\n")[1:]]
    assert all(len(chunk.text) <= 150 and chunk.kind == "algorithm" for chunk in found)
    assert all(goes_on(a.text, b.text) for a, b in pairwise(found))


def test_tiny_rest_joins_the_chunk_before() -> None:
    """A last piece under 15 % of the length makes no chunk of its own; after a table neither."""
    table = Block("a | b\nc | d", kind="table")

    assert 1 == len(chunks(Block("x" * 95 + "."), Block("Tiny.")))
    assert ["a | b\nc | d\n\nTiny."] == [c.text for c in chunks(table, Block("Tiny."))]
    assert 2 == len(chunks(table, Block("Tiny.", section=("other",))))


def test_sentence_over_a_page_break_stays_one() -> None:
    """A paragraph that goes on, on the next page, is joined; the chunk knows both pages."""
    (found,) = chunks(Block("This goes", 1), Block("on here.", 2))

    assert ("This goes on here.", 1, 2) == (found.text, found.start_page, found.end_page)


def test_heading_above_headings_makes_no_chunk() -> None:
    """A heading with nothing under it but deeper headings is only in their paths."""
    found = chunks(
        Block("A", section=("A",)),
        Block("B", section=("A", "B")),
        Block("Text.", section=("A", "B")),
        Block("C", section=("C",)),
    )

    assert ["B\n\nText.", "C"] == [chunk.text for chunk in found]


def test_ids_survive_insertions() -> None:
    """A new section changes no other id; equal texts have different ids; documents differ."""
    blocks = [Block(f"Text {i}.", section=(str(i),)) for i in range(3)]
    before = {chunk.text: chunk.chunk_id for chunk in chunks(*blocks)}
    after = {
        c.text: c.chunk_id for c in chunks(blocks[0], Block("New.", section=("n",)), *blocks[1:])
    }
    twins = chunks(Block("Same.", section=("a",)), Block("Same.", section=("b",)))
    other = chunks(*blocks, key="other")

    assert before.items() <= after.items()
    assert 2 == len({chunk.chunk_id for chunk in twins})
    assert before["Text 0."] != other[0].chunk_id
    assert 16 == len(other[0].chunk_id)


def test_empty_documents_have_no_chunks() -> None:
    """White space is no chunk."""
    assert () == chunks()
    assert () == chunks(Block(" \n\t"), Block("", kind="table"))


def test_text_that_is_no_unicode_has_an_id() -> None:
    """Half a surrogate pair, as broken files hold it, does not stop indexing."""
    assert 1 == len(chunks(Block("\ud800 broken")))


def test_header_has_no_repetition() -> None:
    """The title that an outline repeats stands once."""
    chunk = Chunk("id", "doc", "text", title="T", section=("T", "A", "", "A"))

    assert "T > A" == chunk_header(chunk)
