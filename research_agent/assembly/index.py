"""Indexes for the rest of the program: opened for reading, listed, removed."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from research_agent.assembly.edited_files import IndexedFile
from research_agent.assembly.index_search import is_exact, open_vectors, open_words
from research_agent.assembly.shared import remove_shared, shared_reader
from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.folders import Edition, IndexFolder, locate, named_indexes
from research_agent.index.adapters.ledger.documents import all_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.vectors import chroma
from research_agent.index.exact_vectors import ExactVectors
from research_agent.index.outlines import whole_documents
from research_agent.ports import Embedder, LexicalIndex, VectorIndex
from research_agent.settings import IndexSettings, Settings
from research_agent.text.paths import is_shared
from research_agent.types import Chunk, ScoredId
from research_agent.types.records import DocumentOutline, IndexHeader, KeptDocument
from research_agent.types.references import Edge

if TYPE_CHECKING:
    from research_agent.index.adapters.shared.reading import SharedReader


@dataclass(frozen=True)
class OpenIndex(Closing):
    """An index that can be searched, as it was last published. Threads may share it."""

    header: IndexHeader
    chunks: "LedgerReader | SharedReader"
    vectors: VectorIndex
    lexical: LexicalIndex
    is_current: Callable[[], bool]
    """Tells whether nothing was published since it was opened; if not, open it again."""
    warnings: tuple[str, ...] = ()
    """What is worse than usual about answers from this index, a sentence each."""
    spoil: Callable[[], None] | None = None
    """Has files that are made from the ledger made again at the next opening: one is damaged."""
    closing: Callable[[], None] = lambda: None
    files: Callable[[Collection[str]], Sequence[IndexedFile]] = lambda _: ()
    """The files at some paths as they were read; none of an index that several machines share."""

    @cached_property
    def documents(self) -> tuple[DocumentOutline, ...]:
        """What every document holds, by path, as it was when this was first asked."""
        return whole_documents(self.chunks.documents())

    def close(self) -> None:
        """Close all files."""
        self.closing()


Search = Callable[[OpenIndex], Sequence[ScoredId]]


class LatestIndex:
    """An index that notices, at each dense search, that a new generation was published.

    It fulfils the ports of dense search, word search and chunks at once, so that all three answer
    from one generation. A question that is running while the index changes may miss chunks that
    are gone. Damage that shows at a search is mended by opening the index again. Threads may share
    it.
    """

    def __init__(self, opened: Callable[[], OpenIndex]) -> None:
        """Open the index; raises what opening it raises."""
        self._opened, self._lock = opened, Lock()
        self._index = opened()
        self._older: list[OpenIndex] = []

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
        return self._latest().chunks.contents(doc_id)

    def files(self, paths: Collection[str]) -> Sequence[IndexedFile]:
        """Return the files of the latest generation at `paths`, as they were read."""
        return self._latest().files(paths)

    def close(self) -> None:
        """Close every generation that was opened."""
        for index in (*self._older, self._index):
            index.close()

    def _searched(self, search: Search) -> Sequence[ScoredId]:
        index = self._index
        try:
            return search(index)
        except IndexDamagedError:
            if index.spoil is None:
                raise
            with self._lock:
                if self._index is index:
                    index.spoil()
                    self._renew()
            return search(self._index)

    def _latest(self) -> OpenIndex:
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


def open_index(location: str, settings: Settings, *, embedder: Embedder) -> OpenIndex:
    """Open the index at `location` for searching; caches that are not current are made again.

    Raises IndexMissingError where there is none, IndexMismatchError where it was made with another
    embedding model, IndexDamagedError, IndexUnavailableError. The embedding model is not loaded.
    """
    if is_shared(location):
        reader = shared_reader(location, offline=settings.models.offline)
        return _open_shared(reader, embedder.name, settings.index)
    folder = locate(location)
    folder.close_to_others()
    while True:
        edition = folder.current()
        try:
            return _open_edition(folder, edition, embedder.name, settings.index)
        except IndexingError:
            if folder.current() == edition:  # (else it was rebuilt just now)
                raise


def _open_edition(
    folder: IndexFolder, edition: Edition, model: str, settings: IndexSettings
) -> OpenIndex:
    with ExitStack() as opened:
        ledger = opened.enter_context(LedgerReader(edition.ledger, folder.label))
        header = ledger.check(model)
        words = opened.enter_context(open_words(folder, edition, ledger))
        vectors, warning = open_vectors(folder, edition, ledger, settings)
        opened.callback(vectors.close)

        def is_current() -> bool:
            return ledger.generation() == header.generation and folder.current() == edition

        def spoil() -> None:
            chroma.spoil(edition.vectors)
            with suppress(IndexingError, OSError), folder.locked():
                WordIndex.fresh(edition.words).close()

        warnings, closing = (warning,) if warning else (), opened.pop_all().close
        return OpenIndex(
            header, ledger, vectors, words, is_current, warnings, spoil, closing, ledger.files
        )


def _open_shared(reader: "SharedReader", model: str, settings: IndexSettings) -> OpenIndex:
    """Search a generation; few vectors are held in memory, and no file stays open."""
    from research_agent.index.adapters.shared.searching import SharedVectors, SharedWords

    header, state = reader.check(model), reader.state
    exact = is_exact(state.vectors, state.dimension, settings.limit)
    vectors = ExactVectors(*reader.matrix()) if exact else SharedVectors(reader)
    return OpenIndex(header, reader, vectors, SharedWords(reader), reader.is_current)


@contextmanager
def _ledger_of(location: str) -> Iterator[LedgerReader]:
    """Open the ledger of an index in a folder; links are refused."""
    folder = locate(location)
    folder.close_to_others()
    with LedgerReader(folder.current().ledger, folder.label) as ledger:
        yield ledger


def index_header(location: str, *, offline: bool = False) -> IndexHeader:
    """Return what an index says about itself; raises what `index_state` raises.

    With `offline` one on another machine is refused with ConfigError.
    """
    if is_shared(location):
        return shared_reader(location, offline=offline).header()
    with _ledger_of(location) as ledger:
        return ledger.header()


def index_state(location: str) -> tuple[IndexHeader, tuple[str, ...]]:
    """Return what an index says about itself, and the ids of all its chunks.

    Raises IndexMissingError, IndexDamagedError, IndexMismatchError.
    """
    if is_shared(location):
        reader = shared_reader(location)
        return reader.header(), reader.chunk_ids()
    with _ledger_of(location) as ledger, ledger.snapshot():
        return ledger.header(), tuple(sorted(ledger.chunk_digests()))


def list_indexes() -> list[IndexInfo]:
    """Return the named indexes, by name, also those that cannot be opened."""
    return [_info(folder) for folder in named_indexes()]


def list_documents(location: str) -> list[KeptDocument]:
    """Return the documents of an index by path, also those that could not be read.

    Those of a run that was interrupted are there too. Raises IndexMissingError,
    IndexMismatchError, IndexDamagedError.
    """
    if is_shared(location):
        return shared_reader(location).kept()
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
