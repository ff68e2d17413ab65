"""Vectors on a Chroma server: a collection made from the ledger, for readers on many machines.

It is written in place, so a reader takes what it proposes and compares the ledger's vectors.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from research_agent.errors import IndexDamagedError
from research_agent.index.adapters.vectors import chroma
from research_agent.index.adapters.vectors.notes import without_dot_env

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

_GENERATION = "generation"


@dataclass(frozen=True, slots=True)
class ChromaServer:
    """One index's collection on a server."""

    url: str
    name: str

    @contextmanager
    def opened(self, generation: int) -> "Iterator[Collection]":
        """Give the collection; raises IndexDamagedError where it shows another generation."""
        with chroma.faults():
            client = _client(self.url)
            collection = chroma.collection_of(client, self.name, create=False)
            if not self._shows(collection, generation):
                raise IndexDamagedError(f"The Chroma server at {self.url} shows another state.")
            yield collection

    def sync(self, generation: int, digests: Mapping[str, str], fetch: chroma.Fetch) -> None:
        """Let the collection show a generation; one of another length of vectors is made anew.

        Raises IndexDamagedError where the server does not do it.
        """
        with chroma.faults():
            client = _client(self.url)
            collection = chroma.collection_of(client, self.name, create=True)
            if self._shows(collection, generation):
                return
            try:
                with chroma.faults():
                    chroma.write(collection, digests, fetch)
            except IndexDamagedError:
                client.delete_collection(self.name)
                collection = chroma.collection_of(client, self.name, create=True)
                chroma.write(collection, digests, fetch)
            collection.modify(metadata={_GENERATION: generation})

    @staticmethod
    def _shows(collection: "Collection", generation: int) -> bool:
        return (collection.metadata or {}).get(_GENERATION) == generation


@cache
def _client(url: str) -> "ClientAPI":
    """Return this process's client of a server; Chroma's never close their connections."""
    with without_dot_env("chromadb"):
        import chromadb

    where = urlsplit(url)
    secure = where.scheme == "https"
    port = where.port or (443 if secure else 8000)
    host, settings = where.hostname or "", chroma.own_settings()
    return chromadb.HttpClient(host=host, port=port, ssl=secure, settings=settings)
