"""Pages without text: read by OCR one by one, kept at once, bounded, and said to be so."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont

from research_agent.assembly import scanned_pages
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.scanned_pages import ScanReader
from research_agent.assembly.updating import Indexer
from research_agent.errors import DocumentError
from research_agent.settings import DocumentSettings, Settings
from research_agent.types.documents import IndexReport, ParsedDocument, ParseQuality
from tests.documents.small_pdf import small_pdf
from tests.fakes import WordEmbedder
from tests.needed import needed_package

SETTINGS = DocumentSettings()
INDONESIAN = "Roti gandum hitam dibuat dari tepung dan air."


def picture(*lines: str) -> Image.Image:
    page = Image.new("L", (1240, 1754), 245)
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(34)
    for number, line in enumerate(lines):
        draw.text((150, 200 + 50 * number), line, font=font, fill=30)
    return page.rotate(0.5, fillcolor=245)


def scan(path: Path, *pages: Image.Image, text: str = "") -> str:
    """Write a PDF of pictures, behind a page of text where one is given."""
    pages[0].save(path, "PDF", save_all=True, append_images=pages[1:], resolution=150)
    if text:
        with_text = pypdfium2.PdfDocument(small_pdf([[(50, 700, 12, text)]]))
        with_text.import_pages(pypdfium2.PdfDocument(path.read_bytes()))
        with_text.save(path)
    return str(path)


class FakeOcr:
    """Answers for the child, and knows what it was asked."""

    answer: Callable[[int], Any] = staticmethod(lambda page: [[f"Page {page}.", 0.9, 0, 0, 9, 9]])
    asked: list[int]

    def __init__(self, *_: object, **__: object) -> None:
        """Take what the child would take."""

    def call(self, request: str) -> dict[str, object]:
        page = json.loads(request)["page"]
        FakeOcr.asked.append(page)
        return {"value": FakeOcr.answer(page)}

    def close(self) -> None:
        """There is no child."""


class FakeReader:
    """A PDF of so many pages, all of them scanned."""

    def __init__(self, pages: int) -> None:
        self.pages = pages

    def read(self, _path: str) -> ParsedDocument:
        wanted = tuple(range(1, self.pages + 1))
        quality = ParseQuality(pages=self.pages, textless=self.pages)
        return ParsedDocument(textless_pages=wanted, quality=quality)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakeOcr]]:
    monkeypatch.setattr(scanned_pages, "SandboxedFunction", FakeOcr)
    FakeOcr.asked = []
    yield FakeOcr
    FakeOcr.answer = staticmethod(lambda page: [[f"Page {page}.", 0.9, 0, 0, 9, 9]])


def scanned(tmp_path: Path, pages: int) -> ScanReader:
    (tmp_path / "scan.pdf").write_bytes(b"the same")
    return ScanReader(FakeReader(pages), tmp_path / "ocr", SETTINGS)  # type: ignore[arg-type]


def test_a_picture_of_a_page_is_read(tmp_path: Path) -> None:
    """The real engine: its text, how sure it is, no place in the file's own text."""
    needed_package("rapidocr", "ocr")
    pages = (picture(INDONESIAN, "Harganya Rp 1.450 sejak 1987."), picture())
    path = scan(tmp_path / "a.pdf", *pages, text="Printed.")
    said: list[tuple[int, int]] = []
    with reader(SETTINGS, scans=True) as files, ScanReader(files, tmp_path, SETTINGS) as found:
        found.on_page = lambda done, of: said.append((done, of))
        document = found.read(path)

    printed, *read = (block.text for block in document.blocks)
    assert ("Printed.", f"{INDONESIAN} Harganya Rp 1.450 sejak 1987.") == (printed, " ".join(read))
    assert document.page_labels[1].startswith("read by OCR, 9")
    assert [True, False, False] == [bool(text.strip()) for text in document.page_texts]
    assert (0, 1, ()) == (document.quality.textless, document.quality.ocr, document.textless_pages)
    assert [(0, 2), (1, 2)] == said


def test_a_run_that_is_ended_loses_the_page_that_it_was_at(
    tmp_path: Path, fake: type[FakeOcr]
) -> None:
    """The next one begins there, also behind a line that was torn off."""

    def ended(page: int) -> object:
        if page == 3:
            raise KeyboardInterrupt
        return [[f"Page {page}.", 0.8, 0, 0, 9, 9]]

    fake.answer = staticmethod(ended)
    with pytest.raises(KeyboardInterrupt):
        scanned(tmp_path, 4).read(str(tmp_path / "scan.pdf"))
    (kept,) = (tmp_path / "ocr").glob("*.jsonl")
    with kept.open("a") as stream:
        stream.write('\n{"page": 3, "lines": [["Pa')
    fake.asked.clear()
    fake.answer = staticmethod(lambda page: [[f"Page {page} again.", 0.9, 0, 0, 9, 9]])
    again = scanned(tmp_path, 4).read(str(tmp_path / "scan.pdf"))
    scanned(tmp_path, 4).read(str(tmp_path / "scan.pdf"))

    assert [3, 4] == fake.asked
    assert ["Page 1.", "Page 2.", "Page 3 again.", "Page 4 again."] == [
        block.text for block in again.blocks
    ]


def test_a_scan_of_2000_pages_is_read_in_parts(tmp_path: Path, fake: type[FakeOcr]) -> None:
    """One run reads 250 pages and says how many are left; the next goes on."""
    document = scanned(tmp_path, 2000).read(str(tmp_path / "scan.pdf"))

    assert ("1750 of 2000 scanned pages are left: index it again",) == document.warnings
    assert (1750, 250) == (document.quality.textless, document.quality.ocr)
    assert list(range(1, 251)) == fake.asked
    assert 500 == scanned(tmp_path, 2000).read(str(tmp_path / "scan.pdf")).quality.ocr


def test_a_page_that_fails_is_named(tmp_path: Path, fake: type[FakeOcr]) -> None:
    """The others are read; where none holds text the file is refused."""

    def failing(page: int) -> object:
        if page == 2:
            raise DocumentError("took more than 120 s")
        return [["One.", 0.9, 0, 0, 9, 9]] if page == 1 else []

    fake.answer = staticmethod(failing)
    document = scanned(tmp_path, 3).read(str(tmp_path / "scan.pdf"))
    assert ("page 2 was not read by OCR: took more than 120 s",) == document.warnings
    fake.answer = staticmethod(lambda _: [])
    (tmp_path / "ocr").rename(tmp_path / "old")
    with pytest.raises(DocumentError, match="no text in it, and OCR found none"):
        scanned(tmp_path, 2).read(str(tmp_path / "scan.pdf"))


def test_a_document_with_scanned_pages_is_read_again_once_ocr_is_there(
    tmp_path: Path, fake: type[FakeOcr]
) -> None:
    """Without OCR the report names the page; afterwards the document is left alone."""
    path = scan(tmp_path / "a.pdf", picture("Rye"), text="Printed.")

    def update(*, scans: bool) -> IndexReport:
        with reader(SETTINGS, scans=scans) as files:
            read = ScanReader(files, tmp_path / "ocr", SETTINGS) if scans else files
            indexer = Indexer(
                settings=Settings(),
                embedder=WordEmbedder(),
                files=local_files(SETTINGS),
                reader=read,
            )
            return indexer.update(str(tmp_path / "index"), [path])

    told = [update(scans=False), update(scans=False), update(scans=True), update(scans=True)]

    assert ["indexed", "unchanged", "indexed", "unchanged"] == [one.files[0].status for one in told]
    assert "1 of 2 pages have no text (scanned?): page 2" == told[0].files[0].reason
    assert [2] == fake.asked
