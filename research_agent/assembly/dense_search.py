"""Dense search of an open index, whatever has become of its files."""

from collections.abc import Sequence
from threading import RLock

from research_agent.assembly.caches import HELD, is_exact, sync_vectors
from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError, IndexingError
from research_agent.index.adapters.folders import Edition, IndexFolder
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.schema import command
from research_agent.index.adapters.vectors.approximate import ApproximateVectors, UnsearchedVectors
from research_agent.index.adapters.vectors.chroma import shown, spoil
from research_agent.index.adapters.vectors.exact import ExactVectors
from research_agent.types import ScoredId

REMADE_AT_ONCE = 10_000
"""Up to so many vectors Chroma's files are made again when an index is opened: in seconds."""

Vectors = ExactVectors | ApproximateVectors | UnsearchedVectors


class DenseSearch(Closing):
    """Dense search by whatever can be used; implements VectorIndex.

    Few vectors are read from the ledger. Many are searched by Chroma; where its files are missing
    or damaged they are made again if that is quick. If not, the vectors are searched one by one,
    or not at all where they are too many for the memory; `warning` says so.
    """

    def __init__(
        self, folder: IndexFolder, edition: Edition, ledger: LedgerReader, *, exact_below: int
    ) -> None:
        """Open what can be used; raises IndexDamagedError for the ledger's faults."""
        self._folder, self._edition, self._ledger = folder, edition, ledger
        self.warning = ""
        """What is worse than usual, and the cure; empty where all is well."""
        self._lock = RLock()
        self._older: list[Vectors] = []
        self._vectors: Vectors
        if is_exact(ledger.vector_count(), ledger.header().dimension, exact_below):
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
        if self._ledger.vector_count() > REMADE_AT_ONCE:
            return self._without_chroma(reason)
        try:
            with self._folder.locked():
                spoil(self._edition.vectors)
                sync_vectors(self._edition, self._ledger, exact_below=exact_below)
                return self._opened()
        except (IndexingError, OSError) as error:
            return self._without_chroma(str(error))

    def _opened(self) -> ApproximateVectors:
        """Open Chroma's files; raises IndexDamagedError."""
        files = shown(self._edition.vectors, self._ledger.generation())
        if not files:
            raise IndexDamagedError("Its files are missing, damaged or not of this state.")
        dimension = self._ledger.header().dimension
        return ApproximateVectors(files, self._ledger.matrix_of, dimension=dimension)

    def _without_chroma(self, reason: str) -> Vectors:
        """Return vectors that are searched one by one, or not at all."""
        count, dimension = self._ledger.vector_count(), self._ledger.header().dimension
        held = count * dimension <= HELD
        meanwhile = "all are compared one by one" if held else "only words are searched"
        self.warning = (
            f"The files for searching {count} vectors quickly cannot be used; {meanwhile}. "
            f"Make them again: {command(self._folder.label)} PATH… ({reason})"
        )
        if held:
            return ExactVectors(*self._ledger.matrix())
        return UnsearchedVectors(self._ledger.matrix_of)
