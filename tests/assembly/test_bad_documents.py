"""Documents that are hard to read, from their files to what a search finds and a list says."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from research_agent.assembly.index import list_documents
from research_agent.assembly.parsing import local_files, reader
from research_agent.settings import DocumentSettings
from research_agent.text.alignment import page_spans
from research_agent.types import Chunk
from tests.documents.small_pdf import Text, small_pdf
from tests.indexing import opened, update

ROWS = [("name", "key", "text"), ("A", "800", "768"), ("B", "1184", "1088")]
MORE = [("C", "1568", "1569"), ("D", "9", "8")]
HEBREW = "\u05d0\u05d1\u05d2\u05d3 \u05d4\u05d5\u05d6\u05d7"
PICTURE = "q 100 0 0 100 50 600 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q"


def lines(*texts: str, left: float = 50, top: float = 650) -> list[Text]:
    return [(left, top - 14 * i, 12, text) for i, text in enumerate(texts)]


def grid(rows: Sequence[tuple[str, ...]], top: float) -> list[Text]:
    return [
        (50 + 100 * x, top - 16 * y, 12, cell)
        for y, row in enumerate(rows)
        for x, cell in enumerate(row)
    ]


def scan() -> bytes:
    drawn = f"<< /Length {len(PICTURE)} >>\nstream\n{PICTURE}"
    return small_pdf([[], []]).replace(b"<< /Length 0 >>\nstream\n", drawn.encode())


def mended() -> bytes:
    data = small_pdf([lines(f"Words of page {i} about rivers.", top=400) for i in range(9)])
    return data[: data.index(b"22 0 obj")] + b"trailer << /Root 1 0 R /Size 22 >>\n"


@pytest.fixture
def folder(tmp_path: Path, data_home: Path) -> Path:
    """A file of each kind, indexed by the real parsers in their child process."""
    assert not data_home.exists()
    folder = tmp_path / "docs"
    folder.mkdir()
    table: list[list[Text]] = [
        [*lines("Table 1. Sizes", top=300), *grid(ROWS, 270)],
        grid(MORE, 740),
    ]
    left = [f"left line {i} tells of apples" for i in range(6)]
    right = [f"right line {i} tells of pears" for i in range(6)]
    columns = sorted([*lines(*left), *lines(*right, left=320)], key=lambda text: -text[1])
    letters = dict(zip("abcdefgh", HEBREW.replace(" ", ""), strict=True))
    files = {
        "table": small_pdf(table),
        "lying": small_pdf([lines("A line of turned text", "and another one.")], rotate=90),
        "scan": scan(),
        "columns": small_pdf([columns]),
        "hebrew": small_pdf([lines("hgfe dcba")], letters=letters),
        "mended": mended(),
    }
    for name, data in files.items():
        (folder / f"{name}.pdf").write_bytes(data)
    (folder / "notes.txt").write_text("Rye bread is baked in the same oven.")
    shutil.copy(folder / "notes.txt", folder / "notes again.txt")
    settings = DocumentSettings()
    with reader(settings) as documents:
        update(folder, files=local_files(settings), reader=documents)
    return folder


def found(query: str) -> list[Chunk]:
    """Return what the words find, the best first."""
    with opened() as index:
        ids = [hit.chunk_id for hit in index.lexical.search(query, k=5)]
        return list(index.chunks.chunks(ids))


@pytest.mark.usefixtures("folder")
def test_what_is_missing_is_said() -> None:
    """A scan is named with its cure, a mended file with what it has lost."""
    told = {Path(item.record.path).stem: item.record for item in list_documents("default")}

    scan = "no text in it; it looks scanned: run OCR first"
    assert ("failed", scan) == (told["scan"].status, told["scan"].reason)
    assert "the end of the file is missing; 1 of 9 pages are empty" == told["mended"].reason
    assert {"mended"} == {chunk.doc_id for chunk in found("rivers")}


@pytest.mark.usefixtures("folder")
def test_quotes_lead_back_to_the_pages() -> None:
    """A cell of a second page, a lying line and a Hebrew word stand where the file has them."""
    with opened() as index:
        for query, quote in [
            ("1568", "C | 1568 | 1569"),
            ("turned", "A line of turned text and another one."),
            ("apples", "line 5 tells of apples right line 0 tells of pears"),
            ("\u05d4\u05d5\u05d6\u05d7", HEBREW),
        ]:
            (chunk, *_) = found(query)
            page = index.chunks.page_text(chunk.chunk_id, chunk.start_page)
            spans = page_spans(quote, {chunk.start_page: page})
            said = "".join(page[span.start : span.end] for span in spans)
            assert sorted(filter(str.isalnum, quote)) == sorted(filter(str.isalnum, said))
        (note, *_) = found("rye")
        assert "" == index.chunks.page_text(note.chunk_id, 1)
