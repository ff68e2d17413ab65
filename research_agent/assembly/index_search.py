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

from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.folders import Edition, IndexFolder
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.index.adapters.vectors.chroma import ChromaServer, opened, shown, spoil, sync
from research_agent.index.adapters.vectors.search import ApproximateVectors
from research_agent.index.exact_vectors import ExactVectors
from research_agent.index.messages import command
from research_agent.settings import IndexSettings
from research_agent.types import Chunk

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
    edition: Edition, ledger: LedgerReader, settings: IndexSettings, *, checked: bool = False
) -> None:
    """Bring words and vectors to the ledger's generation; nothing is embedded.

    All words are `checked`, or a sample of them.
    """
    _sync_words(edition, ledger, None if checked else ledger.sample())
    if not settings.server:
        _sync_vectors(edition, ledger, settings)
        return
    with ledger.snapshot():
        collection = server_of(settings.server, edition)
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


def _sync_vectors(edition: Edition, ledger: LedgerReader, settings: IndexSettings) -> None:
    """Bring Chroma's files to the ledger's generation; few vectors (`is_exact`) have none."""
    if is_exact(ledger.vector_count(), ledger.header().dimension, settings.limit):
        shutil.rmtree(edition.vectors, ignore_errors=True)
    elif not shown(edition.vectors, ledger.generation()):
        with ledger.snapshot():
            generation, digests = ledger.generation(), ledger.vector_digests()
            sync(edition.vectors, generation, digests, ledger.vectors)


def open_vectors(
    folder: IndexFolder, edition: Edition, ledger: LedgerReader, settings: IndexSettings
) -> tuple[Vectors, str]:
    """Return dense search by whatever can be used, and what is worse than usual, with its cure.

    Few vectors are read from the ledger. Many are searched by Chroma; where its files are missing
    or damaged they are made again if that is quick. If not, the vectors are compared one by one.
    """
    server, count = settings.server, ledger.vector_count()
    if not server and is_exact(count, ledger.header().dimension, settings.limit):
        return ExactVectors(*ledger.matrix()), ""
    try:
        return _approximate(edition, ledger, server), ""
    except IndexDamagedError as error:
        reason = str(error)
    if not server and count <= REMADE_AT_ONCE:
        with suppress(IndexingError, OSError), folder.locked():
            spoil(edition.vectors)
            _sync_vectors(edition, ledger, settings)
            return _approximate(edition, ledger, server), ""
    what = f"Chroma server {server}" if server else "files"
    warning = (
        f"The {what} for searching {count} vectors quickly cannot be used; all are "
        f"compared one by one. Make them again: {command(folder.label)} PATH… ({reason})"
    )
    return ExactVectors(*ledger.matrix()), warning


def _approximate(edition: Edition, ledger: LedgerReader, server: str) -> ApproximateVectors:
    """Open Chroma's collection; raises IndexDamagedError where it does not show the ledger."""
    dimension, generation = ledger.header().dimension, ledger.generation()
    if server:
        opening = server_of(server, edition).opened(generation)
    elif files := shown(edition.vectors, generation):
        opening = opened(files)
    else:
        raise IndexDamagedError("Its files are missing, damaged or not of this state.")
    return ApproximateVectors(opening, ledger.matrix_of, dimension=dimension)


def open_words(folder: IndexFolder, edition: Edition, ledger: LedgerReader) -> WordIndex:
    """Open the word index; where it does not show what the ledger has, it is made again.

    While another process writes, the words are held in memory instead.
    """
    sample = ledger.sample()
    with suppress(IndexDamagedError):
        return _current_words(edition, ledger, sample)
    with suppress(IndexingError, OSError), folder.locked():
        _sync_words(edition, ledger, sample)
        return _current_words(edition, ledger, sample)
    words = WordIndex(None)
    _fill(words, ledger)
    return words


def _current_words(edition: Edition, ledger: LedgerReader, sample: Sequence[Chunk]) -> WordIndex:
    with ExitStack() as opening:
        words = opening.enter_context(WordIndex(edition.words))
        if words.generation() != ledger.generation():
            raise IndexDamagedError("The word index does not show the index as it is now.")
        words.check(sample)
        opening.pop_all()
        return words
