"""What one search reads from the indexes, each chunk once, within a scope."""

from collections.abc import Callable, Sequence

from research_agent.ports import Ports
from research_agent.types import Chunk, ScoredId
from research_agent.types.references import Edge
from research_agent.types.scope import Scope

WIDER = 4
"""Where a scope leaves too few hits, this many times more are asked for."""


class ScopedSearch:
    """Rankings of chunks that are in the scope, `k` of them wherever there are that many."""

    def __init__(self, ports: Ports, scope: Scope) -> None:
        self._ports, self._scope = ports, scope
        self._read: dict[str, Chunk] = {}

    def dense(self, vector: Sequence[float], k: int) -> list[ScoredId]:
        """Return the `k` most similar chunks of the scope."""
        return self._within(lambda wide: self._ports.vectors.search(vector, k=wide), k)

    def words(self, query: str, k: int) -> list[ScoredId]:
        """Return the `k` chunks of the scope that fit the words best."""
        return self._within(lambda wide: self._ports.lexical.search(query, k=wide), k)

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> dict[str, float]:
        """Return the exact cosine of each chunk."""
        found = self._ports.vectors.similarities(vector, chunk_ids)
        return dict(zip(chunk_ids, found, strict=True))

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of `chunk_ids`; unknown ids are left out."""
        new = [chunk_id for chunk_id in chunk_ids if chunk_id not in self._read]
        if new:
            self._read |= {chunk.chunk_id: chunk for chunk in self._ports.chunks.chunks(new)}
        return [self._read[chunk_id] for chunk_id in chunk_ids if chunk_id in self._read]

    def edges(self, chunk_ids: Sequence[str]) -> Sequence[Edge]:
        """Return the references from and to any of the chunks, whatever the scope."""
        return self._ports.chunks.edges(chunk_ids)

    def admitted(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return those of the chunks that are in the scope."""
        return [chunk for chunk in self.chunks(chunk_ids) if self._scope.admits(chunk)]

    def _within(self, search: Callable[[int], Sequence[ScoredId]], k: int) -> list[ScoredId]:
        """Return the `k` best of the scope: ever more are asked for until they are enough."""
        wide = k
        found = search(wide)
        if self._scope.everything:
            return list(found)
        admitted = self._admitted(found)
        while len(admitted) < k and len(found) == wide:
            wide *= WIDER
            found = search(wide)
            admitted = self._admitted(found)
        return admitted[:k]

    def _admitted(self, scored: Sequence[ScoredId]) -> list[ScoredId]:
        chunks = self.chunks([item.chunk_id for item in scored])
        admitted = {chunk.chunk_id for chunk in chunks if self._scope.admits(chunk)}
        return [item for item in scored if item.chunk_id in admitted]
