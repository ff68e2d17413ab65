"""The two search indexes of an index folder: opened, brought up to date, or made in memory."""

from dataclasses import dataclass

from research_agent.adapters.folders import IndexFolder
from research_agent.adapters.ledger.reading import LedgerReader
from research_agent.adapters.lexical import WordIndex
from research_agent.adapters.vectors.approximate import ApproximateVectors
from research_agent.adapters.vectors.chroma import shown_generation, sync
from research_agent.adapters.vectors.exact import ExactVectors
from research_agent.adapters.vectors.reading import open_vectors
from research_agent.core.records import IndexHeader
from research_agent.errors import IndexDamagedError, IndexingError


@dataclass(frozen=True, slots=True)
class Caches:
    """What an index is searched with."""

    vectors: ExactVectors | ApproximateVectors
    words: WordIndex

    def close(self) -> None:
        """Close the files of both."""
        self.vectors.close()
        self.words.close()


def usable_caches(folder: IndexFolder, ledger: LedgerReader, *, exact_below: int) -> Caches:
    """Return both caches as they are, or made again, or in memory where another process writes.

    Raises IndexDamagedError where the ledger itself cannot be read.
    """
    try:
        return open_caches(folder, ledger.header(), exact_below=exact_below)
    except IndexDamagedError:
        pass
    try:
        with folder.locked():
            sync_caches(folder, ledger)
            return open_caches(folder, ledger.header(), exact_below=exact_below)
    except (IndexingError, OSError):
        return caches_in_memory(ledger)


def open_caches(folder: IndexFolder, header: IndexHeader, *, exact_below: int) -> Caches:
    """Return both caches; raises IndexDamagedError where one does not show what the ledger has."""
    words = WordIndex(folder.words)
    try:
        _check_current(words, header)
        vectors = open_vectors(
            folder.vectors, header.generation, dimension=header.dimension, exact_below=exact_below
        )
    except BaseException:
        words.close()
        raise
    return Caches(vectors, words)


def sync_caches(folder: IndexFolder, ledger: LedgerReader) -> None:
    """Bring both caches to the ledger's generation, embedding nothing; for the one writer."""
    generation = ledger.generation()
    words = _words(folder)
    try:
        if words.generation() != generation:
            words.sync(generation, ledger.chunk_digests(), ledger.chunks)
    finally:
        words.close()
    if shown_generation(folder.vectors) != generation:
        sync(folder.vectors, generation, ledger.vector_keys(), ledger.vectors)


def caches_in_memory(ledger: LedgerReader) -> Caches:
    """Return caches that were made just now, from one generation."""
    words = WordIndex(None)
    with ledger.snapshot():
        words.sync(ledger.generation(), ledger.chunk_digests(), ledger.chunks)
        ids = list(ledger.vector_keys())
        return Caches(ExactVectors(ids, ledger.vectors(ids)), words)


def _words(folder: IndexFolder) -> WordIndex:
    """Open the word index, an empty one where it is missing or damaged."""
    try:
        return WordIndex(folder.words)
    except IndexDamagedError:
        return WordIndex.fresh(folder.words)


def _check_current(words: WordIndex, header: IndexHeader) -> None:
    """Raise IndexDamagedError where the word index shows another generation."""
    if words.generation() != header.generation:
        raise IndexDamagedError("The word index does not show the index as it is now.")
