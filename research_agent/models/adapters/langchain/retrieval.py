"""A retriever of LangChain in place of an index, and a document compressor as a reranker."""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from research_agent.errors import ConfigError, ModelReplyError
from research_agent.models.adapters.langchain.failures import translated, within
from research_agent.ports import Embedder, TextWindows
from research_agent.types import Chunk, ScoredId
from research_agent.types.records import DocumentOutline, IndexHeader
from research_agent.types.references import Edge

Read = Callable[[str, Mapping[str, Any]], Sequence[Chunk]]
"""The chunks of a text with LangChain's metadata."""
MOST_KEPT = 5000
"""Chunks that stay in memory; above this the oldest go."""
NUMBER = "research_agent_number"


class RetrievedChunks:
    """The chunks that a retriever has given so far; implements VectorIndex and ChunkStore.

    A retriever cannot be asked for vectors, so its chunks are embedded when they are compared.
    Threads may share it.
    """

    def __init__(self, given: object, read: Read, embedder: Embedder, *, seconds: float) -> None:
        """Ask the retriever `given`; raises ConfigError where it is no BaseRetriever."""
        from langchain_core.retrievers import BaseRetriever

        if not isinstance(given, BaseRetriever):
            raise ConfigError(
                f"{type(given).__name__} is no retriever",
                hint="Give an object of a subclass of LangChain's BaseRetriever; a vector store "
                "gives one with as_retriever().",
            )
        self.header = IndexHeader(model=embedder.name, dimension=0, generation=0)
        self.warnings: tuple[str, ...] = ()
        self._given, self._read, self._embedder, self._seconds = given, read, embedder, seconds
        self._lock = Lock()
        self._chunks: dict[str, Chunk] = {}
        self._vectors: dict[str, Sequence[float]] = {}

    @property
    def lexical(self) -> "Retrieved":
        """The retriever's own search."""
        return Retrieved(self.retrieved)

    def retrieved(self, query: str) -> list[str]:
        """Return the ids of the chunks that the retriever finds, best first; raises ModelError."""
        what = f"the retriever {type(self._given).__name__}"
        with translated(what):
            found = within(self._seconds, lambda: self._given.invoke(query), what)
            read = [
                chunk for one in found for chunk in self._read(one.page_content, dict(one.metadata))
            ]
        with self._lock:
            self._chunks |= {chunk.chunk_id: chunk for chunk in read}
            for oldest in [*self._chunks][:-MOST_KEPT]:
                del self._chunks[oldest]
                self._vectors.pop(oldest, None)
        return list(dict.fromkeys(chunk.chunk_id for chunk in read))

    def search(self, vector: Sequence[float], *, k: int) -> list[ScoredId]:
        """Return the most similar of the chunks that were found so far."""
        ids = [*self._chunks]
        scored = map(ScoredId, ids, self.similarities(vector, ids))
        return sorted(scored, key=lambda item: (-item.value, item.chunk_id))[:k]

    def similarities(self, vector: Sequence[float], chunk_ids: Sequence[str]) -> list[float]:
        """Return the cosine of each chunk; raises ModelError."""
        new = [one for one in chunk_ids if one not in self._vectors and one in self._chunks]
        if new:
            texts = [self._text(self._chunks[one]) for one in new]
            made = dict(zip(new, self._embedder.embed(texts), strict=True))
            with self._lock:
                self._vectors |= made
        known = (self._vectors.get(one, ()) for one in chunk_ids)
        return [_dot(vector, own) for own in known]

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of `chunk_ids`; unknown ids are left out."""
        return [self._chunks[one] for one in chunk_ids if one in self._chunks]

    def around(self, chunk_id: str, *, window: int) -> tuple[Chunk, ...]:
        """Return nothing: what is around a chunk is not known."""
        _ = chunk_id, window
        return ()

    def edges(self, chunk_ids: Sequence[str]) -> tuple[Edge, ...]:
        """Return nothing: what chunks refer to is not known."""
        _ = chunk_ids
        return ()

    def page_text(self, chunk_id: str, page: int) -> str:
        """Return "": pages are not known."""
        _ = chunk_id, page
        return ""

    def documents(self) -> list[DocumentOutline]:
        """Return the documents of the chunks that were found so far."""
        by_name = {chunk.doc_id: chunk for chunk in [*self._chunks.values()]}
        return [
            DocumentOutline(name, one.source, one.title, one.date) for name, one in by_name.items()
        ]

    def contents(self, doc_id: str) -> list[Chunk]:
        """Return the chunks of a document that were found so far."""
        return [chunk for chunk in [*self._chunks.values()] if chunk.doc_id == doc_id]

    def _text(self, chunk: Chunk) -> str:
        own = self._embedder
        return own.windows(chunk.text)[0] if isinstance(own, TextWindows) else chunk.text


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return math.fsum(map(operator.mul, left, right))


class Retrieved:
    """A retriever as a search by words; implements LexicalIndex."""

    def __init__(self, ids: Callable[[str], Sequence[str]]) -> None:
        """Ask `ids` at each search."""
        self._ids = ids

    def search(self, query: str, *, k: int) -> list[ScoredId]:
        """Return at most `k` of the chunks that the retriever gives; a score is 1 / rank."""
        return [ScoredId(one, 1 / n) for n, one in enumerate(self._ids(query)[:k], start=1)]


class LangChainReranker:
    """A document compressor as a reranker; implements Reranker."""

    def __init__(self, given: object) -> None:
        """Ask the compressor `given`; raises ConfigError where it is no BaseDocumentCompressor."""
        from langchain_core.documents import BaseDocumentCompressor

        if not isinstance(given, BaseDocumentCompressor):
            raise ConfigError(
                f"{type(given).__name__} is no reranker",
                hint="Give an object of a subclass of LangChain's BaseDocumentCompressor.",
            )
        self._given = given

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> tuple[float | None, ...]:
        """Return a score for each text; one that the compressor leaves out gets the lowest.

        Where it gives no `relevance_score`, its order counts. Raises ModelError.
        """
        from langchain_core.documents import Document

        what = f"the reranker {type(self._given).__name__}"
        given = [Document(text, metadata={NUMBER: n}) for n, text in enumerate(texts)]
        with translated(what):
            kept = within(seconds, lambda: self._given.compress_documents(given, query), what)
        scores: dict[int, float] = {}
        for rank, one in enumerate(kept):
            number, score = one.metadata.get(NUMBER), one.metadata.get("relevance_score")
            if not isinstance(number, int):
                raise ModelReplyError(
                    f"{what} gave documents without the metadata that they came with",
                    hint="A reranker has to keep each document's metadata.",
                )
            scores[number] = float(-rank if score is None else score)
        lowest = min(scores.values(), default=0.0) - 1.0
        return tuple(scores.get(number, lowest) for number in range(len(texts)))
