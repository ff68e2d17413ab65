"""The files made from the ledger for searching, brought up to date by the one writer."""

from research_agent.adapters.folders import Edition
from research_agent.adapters.ledger.reading import LedgerReader
from research_agent.adapters.lexical import WordIndex
from research_agent.adapters.vectors.chroma import discard, shown, sync
from research_agent.errors import IndexDamagedError


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

    Up to `exact_below` vectors are searched in the ledger itself, and have no files.
    """
    if ledger.vector_count() <= exact_below:
        discard(edition.vectors)
    elif not shown(edition.vectors, ledger.generation()):
        with ledger.snapshot():
            generation, digests = ledger.generation(), ledger.vector_digests()
            sync(edition.vectors, generation, digests, ledger.vectors)
