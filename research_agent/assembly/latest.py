"""The latest published state of an index, for those who keep it open for long."""

from collections.abc import Callable, Sequence
from threading import Lock

from research_agent.assembly.index import OpenIndex
from research_agent.types import Chunk, ScoredId
from research_agent.types.corpus import DocumentOutline
from research_agent.types.records import IndexHeader
from research_agent.types.references import Edge


class LatestIndex:
    """An index that notices, at each dense search, that a new generation was published.

    It fulfils the ports of dense search, word search and chunks at once, so that all three answer
    from one generation. A question that is running while the index changes may miss chunks that
    are gone. Threads may share it.
    """

    def __init__(self, opened: Callable[[], OpenIndex]) -> None:
        """Open the index; raises what opening it raises."""
        self._opened, self._lock = opened, Lock()
        self._index = opened()
        self._older: list[OpenIndex] = []

    @property
    def lexical(self) -> "LatestWords":
        """Word search over the same generation."""
        return LatestWords(lambda: self._index)

    @property
    def header(self) -> IndexHeader:
        """What the index says about itself as it is open now."""
        return self._index.header

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is worse than usual about answers from the index as it is open now."""
        return self._index.warnings

    def search(self, vector: Sequence[float], *, k: int) -> Sequence[ScoredId]:
        """Return the `k` most similar chunks of the latest generation."""
        return self._latest().vectors.search(vector, k=k)

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> Sequence[float]:
        """Return the exact cosine of each chunk."""
        return self._index.vectors.similarities(vector, chunk_ids)

    def chunks(self, chunk_ids: Sequence[str]) -> Sequence[Chunk]:
        """Return the chunks themselves."""
        return self._index.chunks.chunks(chunk_ids)

    def around(self, chunk_id: str, *, window: int) -> Sequence[Chunk]:
        """Return the chunks before and after one in its document."""
        return self._index.chunks.around(chunk_id, window=window)

    def edges(self, chunk_ids: Sequence[str]) -> Sequence[Edge]:
        """Return the references from and to any of the chunks."""
        return self._index.chunks.edges(chunk_ids)

    def page_text(self, chunk_id: str, page: int) -> str:
        """Return the text of a page of a chunk's document, as its file has it."""
        return self._index.chunks.page_text(chunk_id, page)

    def documents(self) -> Sequence[DocumentOutline]:
        """Return every document of the latest generation."""
        return self._latest().documents

    def contents(self, doc_id: str) -> Sequence[Chunk]:
        """Return every chunk of a document of the latest generation, in reading order."""
        return self._latest().contents(doc_id)

    def close(self) -> None:
        """Close every generation that was opened."""
        for index in (*self._older, self._index):
            index.close()

    def _latest(self) -> OpenIndex:
        """Open the index again where it has changed; who still searches the old one goes on."""
        with self._lock:
            if not self._index.is_current():
                new = self._opened()
                self._older.append(self._index)
                self._index = new
            return self._index


class LatestWords:
    """Word search over whatever generation is open now."""

    def __init__(self, index: Callable[[], OpenIndex]) -> None:
        """Ask `index` at each search."""
        self._index = index

    def search(self, query: str, *, k: int) -> Sequence[ScoredId]:
        """Return the `k` best chunks that share a word with `query`."""
        return self._index().lexical.search(query, k=k)
