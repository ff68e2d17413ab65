"""What indexing reads from: files, web pages that are named, and scanned pages by OCR."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from research_agent.assembly.known_vectors import kept_folder
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.scanned_pages import ScanReader, can_read_scans
from research_agent.assembly.web_pages import WebPages, WebReader
from research_agent.settings import Settings


@dataclass(frozen=True, slots=True)
class Sources:
    """Finder and reader of documents."""

    files: WebPages
    reader: WebReader
    scans: ScanReader
    """Its `on_page` hears of pages that OCR reads."""


@contextmanager
def sources(
    paths: Sequence[str], settings: Settings, environment: Mapping[str, str]
) -> Iterator[Sources]:
    """Open what a run over `paths` reads from; of addresses those among them are fetched."""
    documents, offline = settings.documents, settings.models.offline
    folder, by_ocr = kept_folder(environment), can_read_scans()
    with (
        reader(documents, scans=by_ocr) as parses,
        ScanReader(parses, folder / "ocr", documents) as scans,
        WebPages(
            local_files(documents), paths, folder / "web", documents, offline=offline
        ) as pages,
    ):
        yield Sources(pages, WebReader(scans if by_ocr else parses, pages), scans)
