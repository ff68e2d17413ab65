"""Dense search that compares all vectors one by one, in memory."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from research_agent.errors import IndexMismatchError
from research_agent.types import ScoredId

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS = 10_000  # scaled at a time, so that no second matrix is held
_ROUNDING = 1e-5  # more than 32-bit products of vectors of length one are off


class ExactVectors:
    """All vectors of an index, compared one by one; implements VectorIndex.

    A chunk has one vector or, where it is long, several: its best one counts. Candidates are
    found with 32-bit numbers and compared with 64-bit ones, so that equal vectors tie exactly.
    """

    def __init__(
        self, vector_ids: Sequence[str], vectors: "Sequence[Sequence[float]] | NDArray[np.float32]"
    ) -> None:
        """Take over vectors with ids `chunk id#window`, and scale them to length one."""
        import numpy as np

        matrix: NDArray[np.float32] = np.asarray(vectors, dtype=np.float32)
        self._matrix = matrix.reshape(len(vector_ids), -1 if vector_ids else 0)
        for part in np.array_split(self._matrix, len(vector_ids) // _ROWS + 1):
            lengths = np.linalg.norm(part, axis=1, keepdims=True)
            np.divide(part, np.maximum(lengths, np.float32(1e-12)), out=part)
        self._owners = [chunk_of(name) for name in vector_ids]
        self._rows: dict[str, list[int]] = {}
        for row, chunk_id in enumerate(self._owners):
            self._rows.setdefault(chunk_id, []).append(row)

    def search(self, vector: Sequence[float], *, k: int) -> list[ScoredId]:
        """Return the `k` most similar chunks, best first, with their cosine; ties by id."""
        import numpy as np

        total = len(self._owners)
        if not total:
            return []
        query = self._query(vector)
        rough = self._matrix @ query.astype(np.float32)
        wanted, size = min(k, len(self._rows)), k
        best: Mapping[str, float] = {}
        while len(best) < wanted:
            size = min(2 * size, total)
            floor = np.partition(rough, total - size)[total - size] - _ROUNDING
            best = self._best(np.flatnonzero(rough >= floor).tolist(), query)
        return ranked(best, k=k)

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        """Return the exact cosine of each chunk, in order; 0 for a chunk that has no vector."""
        if not self._owners:
            return [0.0] * len(chunk_ids)
        rows = [row for chunk_id in set(chunk_ids) for row in self._rows.get(chunk_id, ())]
        best = self._best(rows, self._query(vector))
        return [best.get(chunk_id, 0.0) for chunk_id in chunk_ids]

    def close(self) -> None:
        """Do nothing: there is no file."""

    def _query(self, vector: Sequence[float]) -> "NDArray[np.float64]":
        return unit(vector, int(self._matrix.shape[1]))

    def _best(self, rows: Sequence[int], query: "NDArray[np.float64]") -> dict[str, float]:
        import numpy as np

        products = self._matrix[rows].astype(np.float64) * query  # (a sum of its own for each row)
        best: dict[str, float] = {}
        for row, value in zip(rows, products.sum(axis=1).clip(-1.0, 1.0).tolist(), strict=True):
            chunk_id = self._owners[row]
            best[chunk_id] = max(value, best.get(chunk_id, -1.0))
        return best


def chunk_of(vector_id: str) -> str:
    """Return the chunk that a vector belongs to.

    >>> chunk_of("0af3#1")
    '0af3'
    """
    return vector_id.rpartition("#")[0]


def ranked(best: Mapping[str, float], *, k: int) -> list[ScoredId]:
    """Return the `k` best chunks, best first; ties by id.

    >>> [hit.chunk_id for hit in ranked({"b": 0.5, "a": 0.5, "c": 0.9}, k=2)]
    ['c', 'a']
    """
    order = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [ScoredId(chunk_id, value) for chunk_id, value in order[:k]]


def unit(vector: Sequence[float], dimension: int) -> "NDArray[np.float64]":
    """Return a vector scaled to length one; raises IndexMismatchError for another length."""
    import numpy as np

    query = np.asarray(vector, dtype=np.float64)
    if len(query) != dimension:
        raise IndexMismatchError(
            f"The question's vector has {len(query)} numbers, those of the index {dimension}.",
            hint="Make the index anew: research-agent index --rebuild PATH…",
        )
    length: float = float(np.linalg.norm(query))
    return query / max(length, 1e-12)
