"""Indexes for the rest of the program: opened for reading, brought up to date, listed, removed."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

from research_agent.assembly.dense_search import DenseSearch
from research_agent.assembly.updating import preview_index, update_index
from research_agent.assembly.word_search import WordSearch
from research_agent.closeable import Closing
from research_agent.errors import IndexingError
from research_agent.index.adapters.folders import IndexFolder, locate, named_indexes
from research_agent.index.adapters.ledger.documents import all_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.ports import ChunkStore, Embedder, LexicalIndex, VectorIndex
from research_agent.settings import Settings
from research_agent.types import Chunk
from research_agent.types.corpus import DocumentOutline
from research_agent.types.records import IndexHeader, KeptDocument

__all__ = [
    "IndexInfo",
    "OpenIndex",
    "list_documents",
    "list_indexes",
    "open_index",
    "preview_index",
    "remove_index",
    "update_index",
]


class OpenIndex(Closing):
    """An index that can be searched, as it was last published. Threads may share it."""

    def __init__(self, folder: IndexFolder, model: str, *, exact_below: int) -> None:
        """Open the files until `close`; raises what `open_index` raises."""
        self._folder, self._edition = folder, folder.current()
        with ExitStack() as opened:
            ledger = opened.enter_context(LedgerReader(self._edition.ledger, folder.label))
            self.header = ledger.check(model)
            where = (folder, self._edition, ledger)
            words = opened.enter_context(WordSearch(*where))
            dense = opened.enter_context(DenseSearch(*where, exact_below=exact_below))
            self._files = opened.pop_all()
        self._ledger, self._dense = ledger, dense
        self.vectors: VectorIndex = dense
        self.lexical: LexicalIndex = words
        self.chunks: ChunkStore = ledger

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is worse than usual about answers from this index, a sentence each."""
        return (self._dense.warning,) if self._dense.warning else ()

    @cached_property
    def documents(self) -> tuple[DocumentOutline, ...]:
        """What every document holds, by path, as it was when this was first asked."""
        return self._ledger.documents()

    def contents(self, doc_id: str) -> Sequence[Chunk]:
        """Return every chunk of a document, in reading order."""
        return self._ledger.contents(doc_id)

    def is_current(self) -> bool:
        """Return whether nothing was published since it was opened; if so, open it again."""
        same = self._ledger.generation() == self.header.generation
        return same and self._folder.current() == self._edition

    def close(self) -> None:
        """Close all files."""
        self._files.close()


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """One line of the list of indexes."""

    name: str
    path: str
    bytes_on_disk: int
    header: IndexHeader | None
    problem: str = ""
    """Why it cannot be opened; then there is no header."""


def open_index(location: str, settings: Settings, *, embedder: Embedder) -> OpenIndex:
    """Open the index at `location` for searching; caches that are not current are made again.

    Raises IndexMissingError where there is none, IndexMismatchError where it was made with another
    embedding model, IndexDamagedError. The embedding model is not loaded.
    """
    folder = locate(location)
    folder.close_to_others()
    while True:
        edition = folder.current()
        try:
            return OpenIndex(folder, embedder.name, exact_below=settings.index.exact_below)
        except IndexingError:
            if folder.current() == edition:  # (else it was rebuilt just now)
                raise


def list_indexes() -> list[IndexInfo]:
    """Return the named indexes, by name, also those that cannot be opened."""
    return [_info(folder) for folder in named_indexes()]


def list_documents(location: str) -> list[KeptDocument]:
    """Return the documents of an index by path, also those that could not be read.

    Those of a run that was interrupted are there too. Raises IndexMissingError,
    IndexMismatchError, IndexDamagedError.
    """
    folder = locate(location)
    folder.close_to_others()
    return all_documents(folder.current().ledger, folder.label)


def remove_index(location: str) -> str:
    """Delete an index and return where it was.

    Raises IndexMissingError where there is no index of ours, IndexLockedError.
    """
    folder = locate(location)
    folder.remove()
    return str(folder.path)


def _info(folder: IndexFolder) -> IndexInfo:
    """Return what the list says about one index."""
    header, problem = None, ""
    try:
        with LedgerReader(folder.current().ledger, folder.label) as ledger:
            header = ledger.header()
    except IndexingError as error:
        problem = str(error)
    return IndexInfo(folder.label, str(folder.path), folder.bytes_on_disk(), header, problem)
