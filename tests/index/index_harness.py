"""Files, an index of either kind, and the runs of indexing that bring one to the other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from research_agent.assembly.shared import link
from research_agent.documents.chunking import linked_chunks
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.adapters.shared.reading import SharedReader
from research_agent.index.adapters.shared.storage import Storage
from research_agent.index.adapters.shared.writing import SharedWriter
from research_agent.index.ports import IndexingPorts, IndexWriter
from research_agent.index.step import index_documents, preview_documents
from research_agent.types import Chunk
from research_agent.types.documents import IndexReport
from research_agent.types.records import IndexProgress
from tests.indexing import CuttingEmbedder, MemoryFiles

BREAD = "Bread is baked at 230 degrees.\n\nCake is baked at 180 degrees, for an hour at least."
KEYS = "A key has 1184 bytes."


class IndexHarness:
    """Files, an index, and the run that brings one to the other.

    `kept` returns the chunks that readers see, and the number of vectors.
    """

    def __init__(self, writer: IndexWriter, kept: Callable[[], tuple[list[Chunk], int]]) -> None:
        self.writer, self.kept = writer, kept
        self.files = MemoryFiles(bread=BREAD, keys=KEYS)
        self.embedder = CuttingEmbedder()
        self.progress: list[IndexProgress] = []

    def index(self, *paths: str, chunk_chars: int = 200, prune: bool = False) -> IndexReport:
        self.embedder.asked.clear()
        self.files.hashed.clear()
        return index_documents(
            paths or ("/docs",),
            ports=IndexingPorts(
                files=self.files,
                reader=self.files,
                chunker=linked_chunks,
                embedder=self.embedder,
                windows=self.embedder,
                writer=self.writer,
            ),
            chunk_chars=chunk_chars,
            on_progress=self.progress.append,
            prune=prune,
        )

    def preview(self, *paths: str, chunk_chars: int = 200, prune: bool = False) -> IndexReport:
        return preview_documents(
            paths or ("/docs",),
            files=self.files,
            records=self.writer.documents(),
            chunk_chars=chunk_chars,
            prune=prune,
        )

    def chunk_ids(self) -> dict[str, str]:
        """Return what readers see: the id of every chunk and where it is."""
        return {chunk.chunk_id: f"{chunk.source} {chunk.text}" for chunk in self.kept()[0]}


@contextmanager
def ledger_harness(folder: Path) -> Iterator[IndexHarness]:
    """Yield a harness over a ledger."""

    def kept() -> tuple[list[Chunk], int]:
        with LedgerReader(folder / "ledger", "mine") as ledger:
            return ledger.chunks(list(ledger.chunk_digests())), ledger.vector_count()

    with LedgerWriter(folder / "ledger", "mine", model="words") as writer:
        yield IndexHarness(writer, kept)


@contextmanager
def shared_harness(folder: Path) -> Iterator[IndexHarness]:
    """Yield a harness over a shared index."""
    storage = Storage.at(f"lance:{folder / 'shared'}")

    def kept() -> tuple[list[Chunk], int]:
        reader = SharedReader(storage)
        return reader.chunks(reader.chunk_ids()), reader.state.vectors

    with SharedWriter(storage, model="words", linker=link) as writer:
        yield IndexHarness(writer, kept)


def outcomes(report: IndexReport) -> list[tuple[str, str]]:
    return [(file.path.removeprefix("/docs/"), file.status) for file in report.files]
