"""Word search of an open index, whatever has become of its file."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from threading import RLock

from research_agent.assembly.caches import sync_words
from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.folders import Edition, IndexFolder
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.lexical import WordIndex
from research_agent.types import ScoredId


class WordSearch(Closing):
    """Word search that makes a damaged file again; implements LexicalIndex.

    While another process writes, the words are held in memory instead.
    """

    def __init__(self, folder: IndexFolder, edition: Edition, ledger: LedgerReader) -> None:
        """Open the file, or make it again; raises IndexDamagedError for the ledger's faults."""
        self._folder, self._edition, self._ledger = folder, edition, ledger
        self._lock = RLock()
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
            self._replace(words)
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
            opened.pop_all()
            return words

    def _replace(self, damaged: WordIndex) -> None:
        """Make the file anew where damage to it was seen only now."""
        with self._lock:
            if self._words is damaged:
                with suppress(IndexingError, OSError), self._folder.locked():
                    WordIndex.fresh(self._edition.words).close()
                self._older.append(damaged)
                self._words = self._remade()

    def _remade(self) -> WordIndex:
        """Bring the file up to date, or return words in memory."""
        with suppress(IndexingError, OSError), self._folder.locked():
            sync_words(self._edition, self._ledger)
            return self._opened()
        words = WordIndex(None)
        with self._ledger.snapshot():
            generation, digests = self._ledger.generation(), self._ledger.chunk_digests()
            words.sync(generation, digests, self._ledger.chunks)
        return words
