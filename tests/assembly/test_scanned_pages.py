"""Pages without text: read by OCR one by one, kept at once, bounded, and said to be so."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont

from research_agent.assembly import scanned_pages
from research_agent.assembly.parsing import local_files, parse_file
from research_agent.assembly.scanned_pages import ScanReader, with_scans
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings
from research_agent.types import Chunk
from research_agent.types.documents import Block, ParsedDocument, ParseQuality
from research_agent.types.evidence import place
from tests.documents.small_pdf import small_pdf
from tests.indexing import update
from tests.needed import needed_package

SETTINGS = DocumentSettings()
INDONESIAN = "Roti gandum hitam dibuat dari tepung dan air."


def scan(path: Path, *lines: str) -> str:
    """Write a PDF of a page of text, one with lines as a picture, and one with an empty picture."""
    pages = [Image.new("L", (900, 300), 245) for _ in range(2)]
    for number, line in enumerate(lines):
        where, font = (40, 60 + 60 * number), ImageFont.load_default(34)
        ImageDraw.Draw(pages[0]).text(where, line, font=font, fill=30)
    turned = pages[0].rotate(0.5, fillcolor=245)
    turned.save(path, "PDF", save_all=True, append_images=pages[1:], resolution=150)
    document = pypdfium2.PdfDocument(small_pdf([[(50, 700, 12, "Printed.")]]))
    document.import_pages(pypdfium2.PdfDocument(path.read_bytes()))
    document.save(path)
    return str(path)


def parser(*, scans: bool) -> Any:  # noqa: ANN401 (a reader that starts no child)
    return SimpleNamespace(read=lambda path: parse_file(path, scans=scans))


class FakeOcr:
    """Answers for the child, and knows what it was asked."""

    asked: list[int]
    answer: Callable[[int], list[str]]

    def __init__(self, *_: object, **__: object) -> None:
        """Take what the child would take."""

    def call(self, request: str) -> dict[str, object]:
        FakeOcr.asked.append(json.loads(request)["page"])
        return {"value": {"sure": 0.9, "text": FakeOcr.answer(FakeOcr.asked[-1])}}

    def close(self) -> None:
        """There is no child."""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeOcr]:
    monkeypatch.setattr(scanned_pages, "SandboxedFunction", FakeOcr)
    FakeOcr.asked, FakeOcr.answer = [], staticmethod(lambda page: [f"Page {page}."])
    return FakeOcr


def read(tmp_path: Path, pages: int) -> ParsedDocument:
    """Return what is read of a PDF of so many pages, all of them scanned."""
    (tmp_path / "scan.pdf").write_bytes(b"the same")
    quality = ParseQuality(pages=pages, textless=pages)
    scanned = ParsedDocument(textless_pages=tuple(range(1, pages + 1)), quality=quality)
    below: Any = SimpleNamespace(read=lambda _: scanned)
    return ScanReader(below, tmp_path / "ocr", SETTINGS).read(str(tmp_path / "scan.pdf"))


def test_a_picture_of_a_page_is_read(tmp_path: Path) -> None:
    """The real engine: its text, how sure it is, no place in the file's own text."""
    needed_package("rapidocr", "ocr")
    path = scan(tmp_path / "a.pdf", INDONESIAN, "Harganya Rp 1.450 sejak 1987.")
    said: list[tuple[int, int]] = []
    with ScanReader(parser(scans=True), tmp_path, SETTINGS) as found:
        found.on_page = lambda done, of: said.append((done, of))
        document = found.read(path)

    printed, *by_ocr = (block.text for block in document.blocks)
    read = f"{INDONESIAN} Harganya Rp 1.450 sejak 1987."
    assert ("Printed.", read) == (printed, " ".join(by_ocr))
    assert document.page_labels[1].startswith("read by OCR, 9")
    assert [True, False, False] == [bool(text.strip()) for text in document.page_texts]
    assert (0, 1, ()) == (document.quality.textless, document.quality.ocr, document.textless_pages)
    assert [(0, 2), (1, 2)] == said


def test_a_run_that_is_ended_loses_the_page_that_it_was_at(
    tmp_path: Path, fake: type[FakeOcr]
) -> None:
    """The next one begins there, also behind a line that was torn off."""

    def ended(page: int) -> list[str]:
        if page == 3:
            raise KeyboardInterrupt
        return [f"Page {page}."]

    fake.answer = staticmethod(ended)
    with pytest.raises(KeyboardInterrupt):
        read(tmp_path, 4)
    (kept,) = (tmp_path / "ocr").glob("*.jsonl")
    with kept.open("a") as stream:
        stream.write('\n{"page": 3, "text": ["Pa')
    fake.asked.clear()
    fake.answer = staticmethod(lambda page: [f"Page {page} again."])
    texts = [block.text for block in read(tmp_path, 4).blocks]
    read(tmp_path, 4)

    assert [3, 4] == fake.asked
    assert ["Page 1.", "Page 2.", "Page 3 again.", "Page 4 again."] == texts


def test_a_scan_of_2000_pages_is_read_in_parts(tmp_path: Path, fake: type[FakeOcr]) -> None:
    """One run reads 250 pages and says how many are left; the next goes on."""
    document = read(tmp_path, 2000)

    assert ("1750 of 2000 scanned pages are left: index it again",) == document.warnings
    assert (1750, 250) == (document.quality.textless, document.quality.ocr)
    assert list(range(1, 251)) == fake.asked
    assert 500 == read(tmp_path, 2000).quality.ocr


def test_a_page_that_fails_is_named(tmp_path: Path, fake: type[FakeOcr]) -> None:
    """The others are read; where none holds text the file is refused."""

    def failing(page: int) -> list[str]:
        if page == 2:
            raise DocumentError("took more than 120 s")
        return ["One."]

    fake.answer = staticmethod(failing)
    warnings = read(tmp_path, 3).warnings
    assert ("page 2 was not read by OCR: took more than 120 s",) == warnings
    fake.answer = staticmethod(lambda _: [])
    (tmp_path / "ocr").rename(tmp_path / "old")
    with pytest.raises(DocumentError, match="no text in it, and OCR found none"):
        read(tmp_path, 2)


def test_a_document_with_scanned_pages_is_read_again_once_ocr_is_there(
    tmp_path: Path, fake: type[FakeOcr]
) -> None:
    """Without OCR the report names the pages; afterwards the document is left alone."""
    path, index = Path(scan(tmp_path / "a.pdf", "Rye")), str(tmp_path / "index")
    files = local_files(SETTINGS)
    with_ocr = ScanReader(parser(scans=True), tmp_path / "ocr", SETTINGS)
    readers = (*[parser(scans=False)] * 2, *[with_ocr] * 2)
    told = [update(path, name=index, files=files, reader=one).files[0] for one in readers]

    assert ["indexed", "unchanged", "indexed", "unchanged"] == [one.status for one in told]
    assert "2 of 3 pages have no text (scanned?): pages 2-3" == told[0].reason
    assert [2, 3] == fake.asked


def test_pages_take_their_place_and_citations_say_how_sure_they_are() -> None:
    """Text of the file stays; an empty page has no label; of two pages the less sure one counts."""
    blocks = (Block("One.", 1, ("Bread",)), Block("Four.", 4))
    quality = ParseQuality(pages=5, textless=3)
    document = ParsedDocument(
        blocks, page_labels=("i", "", "", "", ""), quality=quality, textless_pages=(2, 3, 5)
    )
    found = with_scans(document, {2: (0.9, ["Two."]), 3: (0, [])})
    labels = ("read by OCR, 91 % sure", "read by OCR, 88 % sure")

    assert ["One.", "Two.", "Four."] == [block.text for block in found.blocks]
    assert ("Bread",) == found.blocks[1].section
    assert ("i", "read by OCR, 90 % sure", "", "", "") == found.page_labels
    assert ((5,), 1, 1) == (found.textless_pages, found.quality.textless, found.quality.ocr)
    assert "scan, PDF pages 12-13 (read by OCR, 88 % sure)" == place(
        Chunk("x", "scan", "...", 12, 13, *labels, source="scan.pdf")
    )
