"""Approximate dense search by Chroma, for more vectors than are compared one by one."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any

from research_agent.closeable import Closing
from research_agent.index.adapters.vectors.chroma import all_ids, faults
from research_agent.index.exact_vectors import ExactVectors, chunk_of, unit
from research_agent.types import ScoredId

if TYPE_CHECKING:
    import numpy as np
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

_FETCH = 4  # neighbours asked for a wanted chunk: long chunks have several vectors

Fetch = Callable[[Sequence[str]], "tuple[list[str], NDArray[np.float32]]"]
"""All vectors of some chunks: their ids, `chunk id#window`, and one row each."""


class ApproximateVectors(Closing):
    """A Chroma collection, searched by its graph; implements VectorIndex.

    The graph proposes chunks; the ledger's vectors say how similar they are, so that a cosine is
    the same as in exact search.
    """

    def __init__(
        self, opening: "AbstractContextManager[Collection]", fetch: Fetch, *, dimension: int
    ) -> None:
        """Open the collection until `close`; raises IndexDamagedError."""
        self._fetch, self._dimension = fetch, dimension
        self._open = ExitStack()
        self._collection: Collection = self._open.enter_context(opening)

    def search(self, vector: Sequence[float], *, k: int) -> list[ScoredId]:
        """Return `k` of the most similar chunks, best first, with their cosine; ties by id."""
        query, size = unit(vector, self._dimension).tolist(), _FETCH * k
        with faults():
            total = self._collection.count()
        found: list[ScoredId] = []
        while total and len(found) < k:
            size = min(size, total)
            names = self._near(query, size, total)
            chunk_ids = list(dict.fromkeys(map(chunk_of, names)))
            found = ExactVectors(*self._fetch(chunk_ids)).search(vector, k=k)
            if size == total:
                break
            size *= 2
        return found

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        """Return the exact cosine of each chunk, in order; 0 for a chunk that has no vector."""
        return ExactVectors(*self._fetch(chunk_ids)).similarities(vector, chunk_ids)

    def close(self) -> None:
        """Close Chroma's files."""
        self._open.close()

    def _near(self, query: Sequence[float], size: int, total: int) -> list[str]:
        with faults():
            if size == total:  # (a graph may miss some, also where all are asked for)
                return all_ids(self._collection)
            near: Any = self._collection.query(query_embeddings=[query], n_results=size, include=[])
        return list(near["ids"][0])
