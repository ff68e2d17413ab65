"""Dense and word search of an open index, whatever has become of the files made from its ledger.

The ledger is the only truth. Words, and vectors where they are many, have files of their own that
are made from it: the one writer brings them up to date, and a reader that finds them missing,
damaged or of another state makes them again or does without them.
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from hashlib import sha256
from threading import RLock

from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.folders import Edition, IndexFolder
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.vectors.chroma import ChromaServer, opened, shown, spoil, sync
from research_agent.index.adapters.vectors.search import ApproximateVectors
from research_agent.index.exact_vectors import ExactVectors
from research_agent.index.messages import command
from research_agent.types import Chunk, ScoredId

HELD = 100_000_000
"""Numbers, of 4 bytes each, that are held in memory at most."""
REMADE_AT_ONCE = 10_000
"""Vectors, at most, for which Chroma's files are made again when an index is opened: seconds."""
Vectors = ExactVectors | ApproximateVectors


def is_exact(vectors: int, dimension: int, exact_below: int) -> bool:
    """Return whether vectors are compared one by one, in memory, and need no files.

    >>> [is_exact(100_000, dimension, 100_000) for dimension in (384, 1000, 3072)]
    [True, True, False]
    """
    return vectors <= exact_below and vectors * dimension <= HELD


def sync_caches(
    edition: Edition,
    ledger: LedgerReader,
    *,
    exact_below: int,
    checked: bool = False,
    server: str = "",
) -> None:
    """Bring words and vectors to the ledger's generation; nothing is embedded.

    All words are `checked`, or a sample of them. `server` is the address of a Chroma server.
    """
    _sync_words(edition, ledger, None if checked else ledger.sample())
    if not server:
        _sync_vectors(edition, ledger, exact_below=exact_below)
        return
    with ledger.snapshot():
        collection = server_of(server, edition)
        collection.sync(ledger.generation(), ledger.vector_digests(), ledger.vectors)


def server_of(url: str, edition: Edition) -> ChromaServer:
    """Return an index's collection on a Chroma server."""
    return ChromaServer(url, f"index-{sha256(os.fsencode(edition.folder)).hexdigest()[:32]}")


def _sync_words(edition: Edition, ledger: LedgerReader, sample: Sequence[Chunk] | None) -> None:
    """Bring the word index to the ledger's generation; a damaged one is made anew.

    Without a `sample` of chunks to look for, all of it is checked.
    """
    with ExitStack() as opened:
        try:
            words = opened.enter_context(WordIndex(edition.words))
            if words.generation() == ledger.generation() or sample is None:
                words.check(sample)
        except IndexDamagedError:
            opened.close()
            words = opened.enter_context(WordIndex.fresh(edition.words))
        if words.generation() != ledger.generation():
            _fill(words, ledger)


def _fill(words: WordIndex, ledger: LedgerReader) -> None:
    with ledger.snapshot():
        words.sync(ledger.generation(), ledger.chunk_digests(), ledger.chunks)


def _sync_vectors(edition: Edition, ledger: LedgerReader, *, exact_below: int) -> None:
    """Bring Chroma's files to the ledger's generation; few vectors (`is_exact`) have none."""
    if is_exact(ledger.vector_count(), ledger.header().dimension, exact_below):
        shutil.rmtree(edition.vectors, ignore_errors=True)
    elif not shown(edition.vectors, ledger.generation()):
        with ledger.snapshot():
            generation, digests = ledger.generation(), ledger.vector_digests()
            sync(edition.vectors, generation, digests, ledger.vectors)


class DenseSearch(Closing):
    """Dense search by whatever can be used; implements VectorIndex.

    Few vectors are read from the ledger. Many are searched by Chroma; where its files are missing
    or damaged they are made again if that is quick. If not, the vectors are compared one by one;
    `warning` says so.
    """

    def __init__(
        self,
        folder: IndexFolder,
        edition: Edition,
        ledger: LedgerReader,
        *,
        exact_below: int,
        server: str = "",
    ) -> None:
        """Open what can be used; raises IndexDamagedError for the ledger's faults."""
        self._folder, self._edition, self._ledger = folder, edition, ledger
        self._server = server
        self.warning = ""
        """What is worse than usual, and the cure; empty where all is well."""
        self._lock = RLock()
        self._older: list[Vectors] = []
        self._vectors: Vectors
        count, dimension = ledger.vector_count(), ledger.header().dimension
        if not server and is_exact(count, dimension, exact_below):
            self._vectors = ExactVectors(*ledger.matrix())
        else:
            self._vectors = self._approximate(exact_below)

    @property
    def kind(self) -> type[Vectors]:
        """How it searches now."""
        return type(self._vectors)

    def search(self, vector: Sequence[float], *, k: int) -> Sequence[ScoredId]:
        """Return the `k` most similar chunks, best first, with their cosine; ties by id."""
        vectors = self._vectors
        try:
            return vectors.search(vector, k=k)
        except IndexDamagedError as error:
            with self._lock:
                if self._vectors is vectors:
                    spoil(self._edition.vectors)
                    self._older.append(vectors)
                    self._vectors = self._without_chroma(str(error))
            return self._vectors.search(vector, k=k)

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> Sequence[float]:
        """Return the exact cosine of each chunk, in the order of `chunk_ids`."""
        return self._vectors.similarities(vector, chunk_ids)

    def close(self) -> None:
        """Close Chroma's files."""
        for vectors in (*self._older, self._vectors):
            vectors.close()

    def _approximate(self, exact_below: int) -> Vectors:
        """Open Chroma's files, made again where that is quick, or do without them."""
        try:
            return self._opened()
        except IndexDamagedError as error:
            reason = str(error)
        if self._server or self._ledger.vector_count() > REMADE_AT_ONCE:
            return self._without_chroma(reason)
        try:
            with self._folder.locked():
                spoil(self._edition.vectors)
                _sync_vectors(self._edition, self._ledger, exact_below=exact_below)
                return self._opened()
        except (IndexingError, OSError) as error:
            return self._without_chroma(str(error))

    def _opened(self) -> ApproximateVectors:
        dimension, generation = self._ledger.header().dimension, self._ledger.generation()
        if self._server:
            opening = server_of(self._server, self._edition).opened(generation)
        elif files := shown(self._edition.vectors, generation):
            opening = opened(files)
        else:
            raise IndexDamagedError("Its files are missing, damaged or not of this state.")
        return ApproximateVectors(opening, self._ledger.matrix_of, dimension=dimension)

    def _without_chroma(self, reason: str) -> ExactVectors:
        """Return vectors that are compared one by one, and say so in `warning`."""
        what = f"Chroma server {self._server}" if self._server else "files"
        self.warning = (
            f"The {what} for searching {self._ledger.vector_count()} vectors quickly cannot be "
            "used; all are compared one by one. "
            f"Make them again: {command(self._folder.label)} PATH… ({reason})"
        )
        return ExactVectors(*self._ledger.matrix())


class WordSearch(Closing):
    """Word search that makes a damaged file again; implements LexicalIndex.

    While another process writes, the words are held in memory instead.
    """

    def __init__(self, folder: IndexFolder, edition: Edition, ledger: LedgerReader) -> None:
        """Open the file, or make it again; raises IndexDamagedError for the ledger's faults."""
        self._folder, self._edition, self._ledger = folder, edition, ledger
        self._lock, self._sample = RLock(), ledger.sample()
        self._older: list[WordIndex] = []
        try:
            self._words = self._opened()
        except IndexDamagedError:
            self._words = self._remade()

    def search(self, query: str, *, k: int) -> Sequence[ScoredId]:
        """Return the `k` best chunks that share a word with `query`, best first; ties by id."""
        words = self._words
        try:
            return words.search(query, k=k)
        except IndexDamagedError:
            with self._lock:
                if self._words is words:
                    with suppress(IndexingError, OSError), self._folder.locked():
                        WordIndex.fresh(self._edition.words).close()
                    self._older.append(words)
                    self._words = self._remade()
            return self._words.search(query, k=k)

    def close(self) -> None:
        """Close the files."""
        for words in (*self._older, self._words):
            words.close()

    def _opened(self) -> WordIndex:
        """Open the file; raises IndexDamagedError where it does not show what the ledger has."""
        with ExitStack() as opened:
            words = opened.enter_context(WordIndex(self._edition.words))
            if words.generation() != self._ledger.generation():
                raise IndexDamagedError("The word index does not show the index as it is now.")
            words.check(self._sample)
            opened.pop_all()
            return words

    def _remade(self) -> WordIndex:
        """Bring the file up to date, or return words in memory."""
        with suppress(IndexingError, OSError), self._folder.locked():
            _sync_words(self._edition, self._ledger, self._sample)
            return self._opened()
        words = WordIndex(None)
        _fill(words, self._ledger)
        return words
