"""Pages without text, read by OCR one after the other; what was read is kept at once."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from research_agent.closeable import Closing
from research_agent.documents.adapters.sandbox import SandboxedFunction, SandboxedReader
from research_agent.errors import DocumentError
from research_agent.private_files import make_folder, touch
from research_agent.settings import DocumentSettings
from research_agent.types.documents import Block, ParsedDocument, ocr_label

PAGES = 250
"""Pages of one file that are read by OCR in one run; the next run goes on."""
MEMORY_MB = 4096  # address space of the child at least; it fills about a quarter of it
ENGINE = (
    "PP-OCRv6-small"  # what was read with other weights, or put together otherwise, is read again
)
_FAULTS = (ValueError, KeyError, TypeError)  # of a line that was torn off
INSTALL = "pip install 'research-agent[ocr]'"

Page = tuple[float, Sequence[str]]
"""How sure OCR is of a page, 0 to 1, and its paragraphs."""
OnPage = Callable[[int, int], None]
"""Gets how many of a file's pages without text were read, and how many there are."""


def can_read_scans() -> bool:
    """Return whether the extra `ocr` is installed."""
    return find_spec("rapidocr") is not None


class ScanReader(Closing):
    """Reads files like the reader below it, and pages without text by OCR.

    Pages are kept in a folder, a line each, under the digest of their file: a run that is ended
    loses the page that it was at.
    """

    reads_scans = True

    def __init__(self, reader: SandboxedReader, folder: Path, settings: DocumentSettings) -> None:
        """Read with `reader`, which its owner closes; a page may take `parse_seconds`."""
        self.on_page: OnPage = lambda _done, _of: None
        self._reader, self._folder = reader, folder
        self._ocr = SandboxedFunction(
            "research_agent.documents.adapters.ocr:read_page",
            seconds=settings.parse_seconds,
            memory_mb=max(settings.parse_memory_mb, MEMORY_MB),
        )

    def read(self, path: str) -> ParsedDocument:
        """Return the document in a file; raises DocumentError, whatever the file holds."""
        document = self._reader.read(path)
        wanted = document.textless_pages
        if not wanted:
            return document
        pages, warnings = self._pages(path, wanted)
        read = with_scans(document, pages)
        if not read.blocks and not read.textless_pages:
            raise DocumentError("no text in it, and OCR found none")
        if read.textless_pages:
            left = len(read.textless_pages)
            warnings.append(f"{left} of {len(wanted)} scanned pages are left: index it again")
        return replace(read, warnings=(*read.warnings, *warnings))

    def close(self) -> None:
        """End the child that reads pages."""
        self._ocr.close()

    def _pages(self, path: str, wanted: Sequence[int]) -> tuple[dict[int, Page], list[str]]:
        make_folder(self._folder)
        digest = sha256(Path(path).read_bytes() + ENGINE.encode("ascii")).hexdigest()[:32]
        kept = self._folder / f"{digest}.jsonl"
        touch(kept)
        pages, warnings = dict(_known(kept)), list[str]()
        missing = [page for page in wanted if page not in pages]
        for page in missing[:PAGES]:
            self.on_page(len(pages), len(wanted))
            try:
                found: Any = self._ocr.call(json.dumps({"path": path, "page": page}))["value"]
                pages[page] = _page(found)
            except (DocumentError, *_FAULTS) as error:  # (it may be read when it is indexed anew)
                pages[page] = 0.0, ()
                warnings.append(f"page {page} was not read by OCR: {error}")
                continue
            with kept.open("a", encoding="utf-8") as stream:  # (what was torn off has its own line)
                stream.write("\n" + json.dumps({"page": page, **found}))
        return pages, warnings


def with_scans(document: ParsedDocument, pages: Mapping[int, Page]) -> ParsedDocument:
    """Return a document with the text of pages that OCR has read, below the headings before them.

    The label of such a page says how sure that was.
    """
    blocks = list(document.blocks)
    labels = list(document.page_labels) or [""] * document.quality.pages
    for number, (sure, texts) in pages.items():
        above = [block.section for block in document.blocks if block.page < number]
        blocks += [Block(text, number, above[-1] if above else ()) for text in texts]
        if texts:
            labels[number - 1] = ocr_label(sure)
    left = tuple(page for page in document.textless_pages if page not in pages)
    read = sum(bool(texts) for _, texts in pages.values())
    return replace(
        document,
        blocks=tuple(sorted(blocks, key=lambda block: block.page)),
        page_labels=tuple(labels),
        textless_pages=left,
        quality=replace(document.quality, textless=len(left), ocr=read),
    )


def _known(kept: Path) -> Iterator[tuple[int, Page]]:
    for line in kept.read_text("utf-8").splitlines():
        with suppress(*_FAULTS):
            line_values = json.loads(line)
            yield int(line_values["page"]), _page(line_values)


def _page(found: Mapping[str, Any]) -> Page:
    return float(found["sure"]), [str(text) for text in found["text"]]
