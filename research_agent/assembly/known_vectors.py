"""Vectors that another index has already: looked up before a text is embedded, and kept after."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from threading import Lock

from research_agent.index.adapters.embedding_cache import EmbeddingCache
from research_agent.index.ports import IndexWriter
from research_agent.models.adapters.weights import cache_directory
from research_agent.ports import Embedder, TextWindows
from research_agent.telemetry import Attribute, span
from research_agent.types.records import text_digest


def embedding_cache(environment: Mapping[str, str]) -> EmbeddingCache:
    """Open the vectors that all indexes of a user share; the caller closes them.

    They are in the user's cache, or beside the indexes where RESEARCH_AGENT_HOME says where those
    are: who keeps documents apart keeps their vectors apart.
    """
    return EmbeddingCache(kept_folder(environment))


def kept_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of what is kept of documents outside their indexes."""
    home = environment.get("RESEARCH_AGENT_HOME")
    return Path(home).expanduser() if home else cache_directory(environment)


RECENT = 64
"""Texts whose vectors are kept in memory."""


class RememberingWriter:
    """An index that also knows the vectors of a cache; implements IndexWriter."""

    def __init__(self, writer: IndexWriter, cache: EmbeddingCache, model: str) -> None:
        self._writer, self._cache, self._model = writer, cache, model
        self.documents, self.put, self.publish = writer.documents, writer.put, writer.publish

    def vectors(self, digests: Collection[str]) -> Mapping[str, Sequence[float]]:
        """Return the vectors that are known already, by the digest of the embedded text."""
        known = dict(self._writer.vectors(digests))
        return known | self._cache.get(self._model, [d for d in digests if d not in known])


class RememberingEmbedder:
    """An embedding model whose vectors are kept for other indexes; implements Embedder."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder, self._cache, self.name = embedder, cache, embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises ModelError."""
        vectors = self._embedder.embed(texts)
        digests = map(text_digest, texts)
        self._cache.put(self.name, dict(zip(digests, vectors, strict=True)))
        return vectors


def windows_of(embedder: Embedder) -> TextWindows:
    """Return what cuts texts for an embedding model; one that reads long texts gets them whole."""
    return embedder if isinstance(embedder, TextWindows) else _WholeTexts()


class _WholeTexts:
    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        return (f"{header}\n{text}" if header else text,)


class RecentEmbedder:
    """An embedding model that embeds no text twice in a row; implements Embedder.

    Within a question the same query is searched, judged and searched again. Threads may share it.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder, self.name, self._lock = embedder, embedder.name, Lock()
        self._kept: dict[str, Sequence[float]] = {}

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises ModelError."""
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            about: dict[str, Attribute] = {
                "gen_ai.operation.name": "embeddings",
                "gen_ai.request.model": self.name,
            }
            with span(f"embeddings {self.name}", about, client=True):
                known |= dict(zip(new, self.embedder.embed(new), strict=True))
            with self._lock:
                self._kept |= {text: known[text] for text in new}
                for oldest in [*self._kept][:-RECENT]:
                    del self._kept[oldest]
        return [known[text] for text in texts]
