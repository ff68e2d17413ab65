"""Indexes for the rest of the program: opened for reading, listed, removed."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock

from research_agent.assembly.index_search import is_exact, open_vectors, open_words
from research_agent.assembly.shared import OpenSharedIndex, remove_shared, storage_of
from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.folders import IndexFolder, locate, named_indexes
from research_agent.index.adapters.ledger.documents import all_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.vectors.chroma import spoil
from research_agent.ports import ChunkStore, Embedder, LexicalIndex, VectorIndex
from research_agent.settings import IndexSettings, Settings
from research_agent.text.paths import is_shared
from research_agent.types import Chunk, ScoredId
from research_agent.types.records import DocumentOutline, IndexHeader, KeptDocument
from research_agent.types.references import Edge


class OpenIndex(Closing):
    """An index that can be searched, as it was last published. Threads may share it."""

    def __init__(self, folder: IndexFolder, model: str, settings: IndexSettings) -> None:
        """Open the files until `close`; raises what `open_index` raises."""
        self._folder, self._edition, self.label = folder, folder.current(), folder.label
        with ExitStack() as opened:
            ledger = opened.enter_context(LedgerReader(self._edition.ledger, folder.label))
            self.header = ledger.check(model)
            where = (folder, self._edition, ledger)
            words = opened.enter_context(open_words(*where))
            vectors, warning = open_vectors(
                *where, exact_below=settings.limit, server=settings.server
            )
            opened.callback(vectors.close)
            self._files = opened.pop_all()
        self._ledger = ledger
        self.warnings: tuple[str, ...] = (warning,) if warning else ()
        """What is worse than usual about answers from this index, a sentence each."""
        self.vectors: VectorIndex = vectors
        self.lexical: LexicalIndex = words
        self.chunks: ChunkStore = ledger

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

    def spoil(self) -> None:
        """Have what is made from the ledger made again at the next opening: it is damaged."""
        spoil(self._edition.vectors)
        with suppress(IndexingError, OSError), self._folder.locked():
            WordIndex.fresh(self._edition.words).close()

    def close(self) -> None:
        """Close all files."""
        self._files.close()


AnyIndex = OpenIndex | OpenSharedIndex
Search = Callable[[AnyIndex], Sequence[ScoredId]]


class LatestIndex:
    """An index that notices, at each dense search, that a new generation was published.

    It fulfils the ports of dense search, word search and chunks at once, so that all three answer
    from one generation. A question that is running while the index changes may miss chunks that
    are gone. Damage that shows at a search is mended by opening the index again. Threads may share
    it.
    """

    def __init__(self, opened: Callable[[], AnyIndex]) -> None:
        """Open the index; raises what opening it raises."""
        self._opened, self._lock = opened, Lock()
        self._index = opened()
        self._older: list[AnyIndex] = []

    @property
    def lexical(self) -> "LatestWords":
        """Word search over the same generation."""
        return LatestWords(self._searched)

    @property
    def header(self) -> IndexHeader:
        """What the index says about itself as it is open now."""
        return self._index.header

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is worse than usual about answers from the index as it is open now."""
        return self._index.warnings

    def search(self, vector: Sequence[float], *, k: int) -> Sequence[ScoredId]:
        """Return the `k` most similar chunks of the latest generation.

        Raises IndexMismatchError for a vector of another length than the index has.
        """
        self._latest()
        return self._searched(lambda now: now.vectors.search(vector, k=k))

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> Sequence[float]:
        """Return the exact cosine of each chunk."""
        return self._index.vectors.similarities(vector, chunk_ids)

    def chunks(self, chunk_ids: Sequence[str]) -> Sequence[Chunk]:
        """Return the chunks themselves."""
        return self._index.chunks.chunks(chunk_ids)

    def around(self, chunk_id: str, *, window: int) -> Sequence[Chunk]:
        """Return the chunks before and after one in its document."""
        return self._index.chunks.around(chunk_id, window=window)

    def edges(self, chunk_ids: Sequence[str]) -> Sequence[Edge]:
        """Return the references from and to any of the chunks."""
        return self._index.chunks.edges(chunk_ids)

    def page_text(self, chunk_id: str, page: int) -> str:
        """Return the text of a page of a chunk's document, as its file has it."""
        return self._index.chunks.page_text(chunk_id, page)

    def documents(self) -> Sequence[DocumentOutline]:
        """Return every document of the latest generation."""
        return self._latest().documents

    def contents(self, doc_id: str) -> Sequence[Chunk]:
        """Return every chunk of a document of the latest generation, in reading order."""
        return self._latest().contents(doc_id)

    def close(self) -> None:
        """Close every generation that was opened."""
        for index in (*self._older, self._index):
            index.close()

    def _searched(self, search: Search) -> Sequence[ScoredId]:
        index = self._index
        try:
            return search(index)
        except IndexDamagedError:
            if not isinstance(index, OpenIndex):
                raise
            with self._lock:
                if self._index is index:
                    index.spoil()
                    self._renew()
            return search(self._index)

    def _latest(self) -> AnyIndex:
        """Open the index again where it has changed; who still searches the old one goes on."""
        with self._lock:
            if not self._index.is_current():
                self._renew()
            return self._index

    def _renew(self) -> None:
        new = self._opened()
        self._older.append(self._index)
        self._index = new


class LatestWords:
    """Word search over whatever generation is open now."""

    def __init__(self, searched: Callable[[Search], Sequence[ScoredId]]) -> None:
        self._searched = searched

    def search(self, query: str, *, k: int) -> Sequence[ScoredId]:
        """Return the `k` best chunks that share a word with `query`."""
        return self._searched(lambda index: index.lexical.search(query, k=k))


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """One line of the list of indexes."""

    name: str
    path: str
    bytes_on_disk: int
    header: IndexHeader | None
    problem: str = ""
    """Why it cannot be opened; then there is no header."""


def open_index(location: str, settings: Settings, *, embedder: Embedder) -> AnyIndex:
    """Open the index at `location` for searching; caches that are not current are made again.

    Raises IndexMissingError where there is none, IndexMismatchError where it was made with another
    embedding model, IndexDamagedError, IndexUnavailableError. The embedding model is not loaded.
    """
    if is_shared(location):
        storage = storage_of(location, offline=settings.models.offline)
        exact = partial(is_exact, exact_below=settings.index.limit)
        return OpenSharedIndex(storage, embedder.name, is_exact=exact)
    folder = locate(location)
    folder.close_to_others()
    while True:
        edition = folder.current()
        try:
            return OpenIndex(folder, embedder.name, settings.index)
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
    if is_shared(location):
        from research_agent.index.adapters.shared.reading import SharedReader

        return SharedReader(storage_of(location)).kept()
    folder = locate(location)
    folder.close_to_others()
    return all_documents(folder.current().ledger, folder.label)


def remove_index(location: str) -> str:
    """Delete an index and return where it was.

    Raises IndexMissingError where there is no index of ours, IndexLockedError.
    """
    if is_shared(location):
        remove_shared(location)
        return location
    folder = locate(location)
    folder.remove()
    return str(folder.path)


def _info(folder: IndexFolder) -> IndexInfo:
    header, problem = None, ""
    try:
        with LedgerReader(folder.current().ledger, folder.label) as ledger:
            header = ledger.header()
    except IndexingError as error:
        problem = str(error)
    return IndexInfo(folder.label, str(folder.path), folder.bytes_on_disk(), header, problem)
