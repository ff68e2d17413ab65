"""Indexing by workers: what each of them reads and embeds with, and what they hand over."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from research_agent.assembly.known_vectors import (
    RememberingEmbedder,
    RememberingWriter,
    embedding_cache,
    windows_of,
)
from research_agent.assembly.models.connecting import connect_embedder
from research_agent.assembly.shared import storage_of
from research_agent.assembly.sources import sources
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import ConfigError, DocumentError, PathError
from research_agent.index.adapters.ray_workers import RayWorkers
from research_agent.index.messages import check_name
from research_agent.index.ports import IndexingPorts, Made, Task
from research_agent.index.run import Reading
from research_agent.models.adapters.minilm import MiniLM
from research_agent.network_guard import NetworkGuard
from research_agent.settings import Settings
from research_agent.text.addresses import is_web
from research_agent.text.loopback import is_loopback
from research_agent.text.paths import is_shared
from research_agent.types.documents import FileReport, SourceFile
from research_agent.types.records import DocumentRecord, IndexedChunk

if TYPE_CHECKING:
    from research_agent.index.adapters.shared.tables import Rows

MAKE = f"{__name__}:document_maker"
_OPEN = ExitStack()  # what a worker's process has open until it ends


@dataclass(frozen=True, slots=True)
class Given:
    """What every worker is told: an index, its tables that are written, whether they are new."""

    settings: Settings
    location: str
    edition: int
    rebuild: bool


@contextmanager
def workers(
    address: str, count: int, *, location: str, paths: Sequence[str], settings: Settings
) -> Iterator[RayWorkers | None]:
    """Give workers on the Ray cluster at `address`, or `count` on this machine; None for neither.

    Raises PathError for an index or paths that workers cannot help with, ConfigError,
    IndexUnavailableError.
    """
    if not (address or count):
        yield None
        return
    if not is_shared(location):
        raise PathError(
            f"The index {location} is kept in a folder, which one process writes.",
            hint="Workers need a shared index: --index s3://BUCKET/NAME or lance:/PATH.",
        )
    if web := next(filter(is_web, paths), ""):
        raise PathError(f"{web}: workers read files and buckets", hint="Index it without workers.")
    remote = address and not is_loopback(f"http://{address.rpartition('//')[2]}")
    if remote and settings.models.offline:
        raise ConfigError(
            f"The Ray cluster {address} is not on this machine, and models.offline is set.",
            hint="Leave out --offline, or write --workers N.",
        )
    with RayWorkers(MAKE, address, count=count) as found:
        yield found


def document_maker(given: Given) -> Callable[[Task], Made]:
    """Return what makes rows of documents in a worker's process; whoever calls it writes them."""
    models, environment = given.settings.models, os.environ
    if models.offline:
        _OPEN.enter_context(NetworkGuard())
    embedder = _OPEN.enter_context(connect_embedder(models, environment=environment))
    found, _ = _OPEN.enter_context(sources((), given.settings, environment))
    cache = _OPEN.enter_context(embedding_cache(environment))
    own = MiniLM(threads=1) if isinstance(embedder, MiniLM) else embedder
    kept = OneDocument(given)
    ports = IndexingPorts(
        files=found,
        reader=found,
        chunker=linked_chunks,
        embedder=RememberingEmbedder(own, cache),
        windows=windows_of(own),
        writer=kept if given.rebuild else RememberingWriter(kept, cache, own.name),
        now=monotonic,
    )
    reading = Reading(ports, given.settings.documents.chunk_chars, lambda *_: None)

    def made(task: Task) -> Made:
        before = reading.embedded
        kept.rows = None
        try:
            report = reading.put(task)
        except DocumentError as error:
            report = FileReport(task.file.path, "failed", str(error))
        return Made(report=report, rows=kept.rows, embedded=reading.embedded - before)

    return made


class OneDocument:
    """An index of one document at most, made into rows; implements IndexWriter."""

    def __init__(self, given: Given) -> None:
        """Look for vectors in the tables of an index, also those that are not published."""
        self._storage = storage_of(given.location, offline=given.settings.models.offline)
        self._edition = given.edition
        self.rows: Rows | None = None

    def documents(self) -> Sequence[DocumentRecord]:
        """Return none: which there are, the process that writes knows."""
        return ()

    def vectors(self, digests: Collection[str]) -> Mapping[str, Sequence[float]]:
        """Return the vectors that are known already, by the digest of the embedded text."""
        from research_agent.index.adapters.shared.reading import known_vectors

        return known_vectors(self._storage, self._edition, digests)

    def put(
        self,
        record: DocumentRecord,
        chunks: Sequence[IndexedChunk],
        *,
        page_texts: Sequence[str] = (),
    ) -> None:
        """Make the rows of a document; raises DocumentError for a name that is no Unicode."""
        from research_agent.index.adapters.shared.tables import rows_of

        check_name(record.path)
        self.rows = rows_of(record, chunks, page_texts)

    def publish(self, moved: Mapping[str, SourceFile], removed: Collection[str]) -> None:
        """Do nothing: the process that writes publishes."""
