"""What a run of indexing needs from the outside world."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from research_agent.ports import Embedder, TextWindows
from research_agent.types.documents import FileReport, FoundFiles, ParsedDocument, SourceFile
from research_agent.types.records import DocumentRecord, IndexedChunk
from research_agent.types.references import LinkedChunk


class FileSource(Protocol):
    """The user's files."""

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the files below `paths`; raises PathError for a path that does not exist."""

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file's content; raises DocumentError."""


class DocumentReader(Protocol):
    """Files to documents."""

    def read(self, path: str) -> ParsedDocument:
        """Return the document in a file; raises DocumentError, whatever the file holds."""


class IndexWriter(Protocol):
    """The index, for its one writer. Nothing is seen by readers before `publish`."""

    def documents(self) -> Sequence[DocumentRecord]:
        """Return the newest version of every document, published or not."""

    def vectors(self, digests: Collection[str]) -> Mapping[str, Sequence[float]]:
        """Return the vectors that are known already, by the digest of the embedded text."""

    def put(
        self,
        record: DocumentRecord,
        chunks: Sequence[IndexedChunk],
        *,
        page_texts: Sequence[str] = (),
    ) -> None:
        """Keep a new version of a document for good; `page_texts` are those of its pages."""

    def publish(self, moved: Mapping[str, SourceFile], removed: Collection[str]) -> None:
        """Show readers all that was put, documents by key under new paths, and some no more."""


class Task(NamedTuple):
    """A document that has to be read, cut and embedded; `recipe` is what its chunks depend on."""

    file: SourceFile
    key: str
    digest: str
    recipe: str


class Made(NamedTuple):
    """What came of a task elsewhere: rows for `TakesRows`, or None for an unreadable document."""

    report: FileReport
    rows: object = None
    embedded: int = 0  # texts that were embedded for it


class Workers(Protocol):
    """Processes that read, cut and embed documents beside each other."""

    def made(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Made]]:
        """Yield what comes of each task once, in any order; raises IndexUnavailableError."""


@runtime_checkable
class TakesRows(Protocol):
    """An index whose rows may be made elsewhere, for an edition of its tables."""

    edition: int

    def put_rows(self, rows: Any) -> None:  # noqa: ANN401 (its adapter knows)
        """Keep a new version of a document for good; raises IndexingError."""


@runtime_checkable
class ReadsScans(Protocol):
    """A reader of documents that may read pages without text by OCR."""

    reads_scans: bool  # documents with such pages are read again


class Chunker(Protocol):
    """Cuts documents into chunks."""

    def __call__(
        self, doc_key: str, doc_id: str, document: ParsedDocument, *, source: str, chunk_chars: int
    ) -> Sequence[LinkedChunk]:
        """Return the chunks of a document in reading order, of about `chunk_chars` characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingPorts:
    """The adapters one run of indexing works on."""

    files: FileSource
    reader: DocumentReader
    chunker: Chunker
    embedder: Embedder
    windows: TextWindows
    writer: IndexWriter
    workers: Workers | None = None
    """Who reads and embeds instead of this process, for an index that takes their rows."""
    now: Callable[[], float] = lambda: 0.0  # seconds, to see how long the embedding of a file takes
