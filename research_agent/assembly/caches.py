"""The files made from the ledger for searching, brought up to date by the one writer."""

from research_agent.errors import IndexDamagedError
from research_agent.index.adapters.folders import Edition
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.vectors.chroma import discard, shown, sync

HELD = 100_000_000
"""Up to so many numbers, of 4 bytes, are held in memory."""


def is_exact(vectors: int, dimension: int, exact_below: int) -> bool:
    """Return whether vectors are compared one by one, in memory, and need no files.

    >>> [is_exact(100_000, dimension, 100_000) for dimension in (384, 1000, 3072)]
    [True, True, False]
    """
    return vectors <= exact_below and vectors * dimension <= HELD


def sync_caches(edition: Edition, ledger: LedgerReader, *, exact_below: int) -> None:
    """Bring words and vectors to the ledger's generation; nothing is embedded."""
    sync_words(edition, ledger)
    sync_vectors(edition, ledger, exact_below=exact_below)


def sync_words(edition: Edition, ledger: LedgerReader) -> None:
    """Bring the word index to the ledger's generation; a damaged one is made anew."""
    try:
        words = WordIndex(edition.words)
    except IndexDamagedError:
        words = WordIndex.fresh(edition.words)
    with words:
        if words.generation() != ledger.generation():
            with ledger.snapshot():
                words.sync(ledger.generation(), ledger.chunk_digests(), ledger.chunks)


def sync_vectors(edition: Edition, ledger: LedgerReader, *, exact_below: int) -> None:
    """Bring Chroma's files to the ledger's generation.

    Few vectors (`is_exact`) are searched in the ledger itself, and have no files.
    """
    if is_exact(ledger.vector_count(), ledger.header().dimension, exact_below):
        discard(edition.vectors)
    elif not shown(edition.vectors, ledger.generation()):
        with ledger.snapshot():
            generation, digests = ledger.generation(), ledger.vector_digests()
            sync(edition.vectors, generation, digests, ledger.vectors)
