"""Files, a ledger, and the runs of indexing that bring one to the other."""

from pathlib import Path

from research_agent.documents.chunking import linked_chunks
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.ports import IndexingPorts
from research_agent.index.step import index_documents, preview_documents
from research_agent.types.documents import IndexReport
from research_agent.types.records import IndexProgress
from tests.indexing import CuttingEmbedder, MemoryFiles

BREAD = "Bread is baked at 230 degrees.\n\nCake is baked at 180 degrees, for an hour at least."
KEYS = "A key has 1184 bytes."


class IndexHarness:
    """Files, a ledger, and the run that brings one to the other."""

    def __init__(self, ledger: Path, writer: LedgerWriter) -> None:
        self.ledger, self.writer = ledger, writer
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
        with LedgerReader(self.ledger, "mine") as ledger:
            found = ledger.chunks(list(ledger.chunk_digests()))
        return {chunk.chunk_id: f"{chunk.source} {chunk.text}" for chunk in found}


def outcomes(report: IndexReport) -> list[tuple[str, str]]:
    return [(file.path.removeprefix("/docs/"), file.status) for file in report.files]
