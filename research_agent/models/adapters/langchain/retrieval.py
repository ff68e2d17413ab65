"""LangChain's embeddings, document compressors (as rerankers), and retrievers (as an index)."""

import math
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from research_agent.errors import ModelReplyError
from research_agent.models.adapters.langchain.calling import called, checked, object_name
from research_agent.models.replies import check_vectors
from research_agent.ports import Embedder, TextWindows
from research_agent.text.unit_vectors import unit_vector
from research_agent.types import Chunk, ScoredId
from research_agent.types.records import DocumentOutline, IndexHeader
from research_agent.types.references import Edge

Read = Callable[[str, Mapping[str, Any]], Sequence[Chunk]]
"""The chunks of a text with LangChain's metadata."""
MOST_KEPT = 5000
"""Chunks that stay in memory; above this the oldest go."""
NUMBER = "research_agent_number"


class LangChainEmbedder:
    """An embedding model; safe to share between threads where the object is.

    Every text, also a question, is embedded as a document.
    """

    def __init__(self, given: object, *, seconds: float) -> None:
        """Ask the object `given`, each time within `seconds`.

        Raises ConfigError where it is no Embeddings.
        """
        from langchain_core.embeddings import Embeddings

        self._model, self._seconds = checked(given, Embeddings, "embedding model"), seconds  # type: ignore[type-abstract]
        self.name = object_name(given)
        """Which model: an index refuses vectors of another one."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length one a text; raises ModelError."""
        if not texts:
            return []
        what = f"the embedding model {self.name}"

        def run() -> list[list[float]]:
            return [unit_vector(vector) for vector in self._model.embed_documents(list(texts))]

        vectors = called(what, run, self._seconds)
        check_vectors(vectors, len(texts), self.name)
        return vectors

    def close(self) -> None:
        """Do nothing: whoever made the object closes it."""


class LangChainReranker:
    """A document compressor as a reranker; implements Reranker."""

    def __init__(self, given: object) -> None:
        """Ask the compressor `given`; raises ConfigError where it is no BaseDocumentCompressor."""
        from langchain_core.documents import BaseDocumentCompressor

        self._given = checked(given, BaseDocumentCompressor, "reranker")  # type: ignore[type-abstract]

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> tuple[float | None, ...]:
        """Return a score for each text; one that the compressor leaves out gets the lowest.

        Where it gives no `relevance_score`, its order counts. Raises ModelError.
        """
        from langchain_core.documents import Document

        what = f"the reranker {type(self._given).__name__}"
        given = [Document(text, metadata={NUMBER: n}) for n, text in enumerate(texts)]
        kept = called(what, lambda: self._given.compress_documents(given, query), seconds)
        scores: dict[int, float] = {}
        for rank, one in enumerate(kept):
            if NUMBER not in one.metadata:
                raise ModelReplyError(
                    f"{what} gave documents without the metadata that they came with",
                    hint="A reranker has to keep each document's metadata.",
                )
            score = one.metadata.get("relevance_score")
            scores[one.metadata[NUMBER]] = float(-rank if score is None else score)
        lowest = min(scores.values(), default=0.0) - 1.0
        return tuple(scores.get(number, lowest) for number in range(len(texts)))


class RetrievedChunks:
    """The chunks that a retriever has given so far; implements VectorIndex and ChunkStore.

    A retriever cannot be asked for vectors, so its chunks are embedded when they are compared.
    Threads may share it.
    """

    def __init__(self, given: object, read: Read, embedder: Embedder, *, seconds: float) -> None:
        """Ask the retriever `given`; raises ConfigError where it is no BaseRetriever."""
        from langchain_core.retrievers import BaseRetriever

        more = "; a vector store gives one with as_retriever()"
        self._given = checked(given, BaseRetriever, "retriever", more)  # type: ignore[type-abstract]
        self.header = IndexHeader(model=embedder.name, dimension=0, generation=0)
        self.warnings: tuple[str, ...] = ()
        self.lexical = Retrieved(self)
        """The retriever's own search."""
        self._read, self._embedder, self._seconds = read, embedder, seconds
        self._lock = Lock()
        self._chunks: dict[str, Chunk] = {}
        self._vectors: dict[str, Sequence[float]] = {}

    def retrieved(self, query: str) -> list[str]:
        """Return the ids of the chunks that the retriever finds, best first; raises ModelError."""

        def run() -> list[Chunk]:
            found = self._given.invoke(query)
            return [chunk for one in found for chunk in self._read(one.page_content, one.metadata)]

        read = called(f"the retriever {type(self._given).__name__}", run, self._seconds)
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
        new = [one for one in self.chunks(chunk_ids) if one.chunk_id not in self._vectors]
        if new:
            own = self._embedder
            windows = own.windows if isinstance(own, TextWindows) else lambda text: (text,)
            made = own.embed([windows(one.text)[0] for one in new])
            with self._lock:
                self._vectors |= {one.chunk_id: known for one, known in zip(new, made, strict=True)}
        known = (self._vectors.get(one, ()) for one in chunk_ids)
        return [math.fsum(x * y for x, y in zip(vector, one, strict=False)) for one in known]

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
        by_name = {one.doc_id: one for one in [*self._chunks.values()]}
        return [DocumentOutline(n, one.source, one.title, one.date) for n, one in by_name.items()]

    def contents(self, doc_id: str) -> list[Chunk]:
        """Return the chunks of a document that were found so far."""
        return [chunk for chunk in [*self._chunks.values()] if chunk.doc_id == doc_id]


class Retrieved:
    """A retriever as a search by words; implements LexicalIndex."""

    def __init__(self, chunks: RetrievedChunks) -> None:
        self._chunks = chunks

    def search(self, query: str, *, k: int) -> list[ScoredId]:
        """Return at most `k` of the chunks that the retriever gives; a score is 1 / rank."""
        ids = self._chunks.retrieved(query)[:k]
        return [ScoredId(one, 1 / rank) for rank, one in enumerate(ids, start=1)]
