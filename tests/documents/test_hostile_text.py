"""Texts made to take long: cutting them takes time in proportion to their length."""

import json
import time
from collections.abc import Callable

import pytest

from research_agent.assembly.parsing import parse_bytes
from research_agent.documents.adapters.markup.html import parse_html
from research_agent.documents.adapters.sandbox import LONGEST_NAME, MOST_PARTS, SandboxedReader
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import DocumentError
from research_agent.index.numbered_references import linked
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.references import Link

MISSING = tuple(Link(f"x{i}", "link", "words that are nowhere") for i in range(30_000))
SHAPES: dict[str, Callable[[], list[Block]]] = {
    "a sentence over 60,000 pages": lambda: [Block("a", page=i) for i in range(60_000)],
    "links whose words are missing": lambda: [Block("A b. " * 20_000, links=MISSING)],
    "the same in code": lambda: [Block("a b\n" * 120_000, kind="code", links=MISSING)],
    "anchors in one paragraph": lambda: [Block("A b. " * 20_000, anchors=("#a",) * 30_000)],
    "sections that name each other": lambda: [
        Block(f"Text, see Section {i + 1}.", section=(f"{i} A",)) for i in range(9000)
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_length(shape: str) -> None:
    """Each took from 3 seconds of the processor on; with the square of the length."""
    document, began = ParsedDocument(tuple(SHAPES[shape]())), time.process_time()
    chunks = linked(linked_chunks("k", "d", document, source="s", chunk_chars=1000))

    assert chunks
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "page",
    [
        "<p>a" + "<sup>1</sup>b" * 60_000,
        "<p>" + "x<sup>" * 3000,
        "<table>" + f"<tr><td colspan=100>{'x' * 25}" * 5000,
        "<table>" + "<tr><td rowspan=60000>x<td colspan=50>y" * 2000,
        "<table><tr>" + f"<td rowspan=60000>{'n' * 200}" * 100 + "<tr><td>x" * 10_000,
    ],
)
def test_small_type_and_joined_cells_stay_small(page: str) -> None:
    """With the square of their number such cells made gigabytes, and exponents took minutes."""
    began = time.process_time()
    text = sum(len(block.text) for block in parse_html(page).blocks)

    assert text < len(page) + 3_000_000
    assert time.process_time() - began < 4


OUTPUT = {"cell_type": "code", "source": "x", "outputs": [{"text": "x" * 200_000}]}
BLANKS = " " * 200_000


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        (json.dumps({"cells": [OUTPUT]}), ".ipynb"),
        (f"# a{BLANKS}b", ".md"),
        (f"\\begin{{itemize}}\n\\item {BLANKS}a\n\\end{{itemize}}", ".tex"),
    ],
)
def test_long_lines_and_blanks_take_no_time(text: str, ending: str) -> None:
    """An output of a program on one line took minutes."""
    began = time.process_time()

    assert parse_bytes(text.encode(), ending).blocks
    assert time.process_time() - began < 4


def parts(request: str) -> ParsedDocument:
    """Return a document of so many paragraphs below a long heading (in the child)."""
    return ParsedDocument((Block("a", section=("h" * 1000,)),) * int(request), title=request)


def test_documents_of_too_many_parts_are_refused() -> None:
    """One-letter paragraphs took hundreds of bytes each in the program itself; they are counted."""
    with SandboxedReader(f"{__name__}:parts", seconds=60, memory_mb=1024) as reader:
        with pytest.raises(
            DocumentError, match="paragraphs and links; 250,000 can be read"
        ) as told:
            reader.read(str(MOST_PARTS + 1))
        document = reader.read("1000")

    assert "split the file" == told.value.hint
    assert (1000, "1000") == (len(document.blocks), document.title)
    assert {("h" * LONGEST_NAME,)} == {block.section for block in document.blocks}
