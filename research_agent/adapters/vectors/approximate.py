"""Approximate dense search by Chroma (HNSW), for more vectors than memory should hold."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research_agent.adapters.vectors.chroma import faults, opened
from research_agent.adapters.vectors.exact import chunk_of, cosines, ranked, unit
from research_agent.core.types import ScoredId

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

_FETCH = 4  # neighbours asked for a wanted chunk: long chunks have several vectors


class ApproximateVectors:
    """A Chroma collection, searched by its graph; implements VectorIndex.

    The graph proposes candidates; their cosines are exact.
    """

    def __init__(self, folder: Path, *, dimension: int) -> None:
        """Open the collection until `close`; raises IndexDamagedError."""
        self._dimension = dimension
        self._open = ExitStack()
        self._collection: Collection = self._open.enter_context(opened(folder))

    def search(self, vector: Sequence[float], *, k: int) -> list[ScoredId]:
        """Return `k` of the most similar chunks, best first, with their cosine; ties by id.

        Raises IndexMismatchError for a vector of another length than the index holds.
        """
        query = unit(vector, self._dimension)
        with faults():
            total, size = self._collection.count(), _FETCH * k
            best: dict[str, float] = {}
            while total and len(best) < k:
                size = min(size, total)
                found: Any = self._collection.query(
                    query_embeddings=[query.tolist()], n_results=size, include=["embeddings"]
                )
                best = _best(found["ids"][0], found["embeddings"][0], query)
                if size == total:
                    break
                size *= 2
        return ranked(best, k=k)

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        """Return the exact cosine of each chunk, in order; 0 for a chunk that has no vector."""
        if not chunk_ids:
            return []
        query = unit(vector, self._dimension)
        with faults():
            firsts = [f"{chunk_id}#0" for chunk_id in dict.fromkeys(chunk_ids)]
            found: Any = self._collection.get(ids=firsts, include=["metadatas"])
            ids = [
                f"{chunk_of(vector_id)}#{number}"
                for vector_id, about in zip(found["ids"], found["metadatas"], strict=True)
                for number in range(int(about["windows"]))
            ]
            rows: Any = self._collection.get(ids=ids, include=["embeddings"]) if ids else None
        best = _best(rows["ids"], rows["embeddings"], query) if rows else {}
        return [best.get(chunk_id, 0.0) for chunk_id in chunk_ids]

    def close(self) -> None:
        """Close Chroma's files."""
        self._open.close()


def _best(ids: Sequence[str], vectors: object, query: "NDArray[Any]") -> dict[str, float]:
    """Return each chunk's best cosine."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float32).reshape(len(ids), -1)
    best: dict[str, float] = {}
    for vector_id, value in zip(ids, cosines(matrix, query), strict=True):
        chunk_id = chunk_of(vector_id)
        best[chunk_id] = max(value, best.get(chunk_id, -1.0))
    return best
