"""Bringing an index up to date with the user's files, or saying what that would do."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from time import monotonic

from research_agent.assembly import known_vectors
from research_agent.assembly.index_search import sync_caches
from research_agent.assembly.parsing import local_files
from research_agent.assembly.shared import shared_records, shared_writer, storage_of
from research_agent.assembly.sources import absolute_paths
from research_agent.assembly.workers import Given
from research_agent.documents.chunking import linked_chunks
from research_agent.errors import PathError
from research_agent.index import ports
from research_agent.index.adapters.embedding_cache import EmbeddingCache
from research_agent.index.adapters.folders import Edition, IndexFolder, locate
from research_agent.index.adapters.ledger.documents import indexed_paths, known_documents
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.adapters.ray_workers import RayWorkers
from research_agent.index.run import OnProgress
from research_agent.index.step import index_documents, preview_documents
from research_agent.ports import Embedder
from research_agent.settings import Settings
from research_agent.text.paths import is_shared
from research_agent.types.documents import FileReport, IndexReport

_TURNS: defaultdict[str, RLock] = defaultdict(RLock)
"""What the threads of this process hold while they write to an index, by its folder."""
BUSY_SECONDS = 3.0
"""How long a writer waits for another process, or for a reader that renews a cache."""
LEFT_OUT = "the index is made anew without it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """What brings indexes up to date: settings, finder and reader of files, embedding model."""

    settings: Settings
    embedder: Embedder
    files: ports.FileSource
    reader: ports.DocumentReader
    cache: EmbeddingCache | None = None
    """Vectors in it are not computed again, and new ones are kept there."""
    on_progress: OnProgress = lambda _: None
    workers: RayWorkers | None = None
    """Who reads and embeds instead of this process, into a shared index."""
    checked: bool = True
    """Compare all that the index holds to what was written, and mend it; else a sample."""

    def update(
        self, location: str, paths: Sequence[str], *, rebuild: bool = False, prune: bool = False
    ) -> IndexReport:
        """Index what is new or changed below `paths`, in an index that is made if there is none.

        With `rebuild` it is made anew from `paths` alone, and every text embedded; readers see the
        old one until it is whole, and the report names what of it is not in the new one. With
        `prune` a folder that is empty now takes its documents with it. Raises PathError where
        there is nothing to index, IndexLockedError where another process writes, IndexingError,
        ModelError.
        """
        absolute = absolute_paths(paths)
        if rebuild:
            _check_all_readable(absolute, self.files)
        with self.written(location, rebuild=rebuild) as writer:
            before = _replaced(location) if rebuild else set()
            report = self._run(absolute, writer, rebuild=rebuild, prune=prune)
            return _with_left_out(report, before)

    @contextmanager
    def written(self, location: str, *, rebuild: bool = False) -> Iterator[ports.IndexWriter]:
        """Give the writer of an index as `written_index` does, and tell workers what is written."""
        how = {"rebuild": rebuild, "checked": self.checked}
        with written_index(location, self.embedder.name, self.settings, **how) as writer:
            if self.workers and isinstance(writer, ports.TakesRows):
                self.workers.begin(Given(self.settings, location, writer.edition, rebuild))
            yield writer

    def _run(
        self, paths: Sequence[str], writer: ports.IndexWriter, *, rebuild: bool, prune: bool
    ) -> IndexReport:
        """Run the step; a rebuild does not read the cache, and workers use it by themselves."""
        embedder = self.embedder
        windows = known_vectors.windows_of(embedder)
        if self.cache and not self.workers:
            embedder = known_vectors.RememberingEmbedder(embedder, self.cache)
            if not rebuild:
                writer = known_vectors.RememberingWriter(writer, self.cache, embedder.name)
        return index_documents(
            paths,
            ports=ports.IndexingPorts(
                files=self.files,
                reader=self.reader,
                chunker=linked_chunks,
                embedder=embedder,
                windows=windows,
                writer=writer,
                workers=self.workers,
                now=monotonic,
            ),
            chunk_chars=self.settings.documents.chunk_chars,
            on_progress=self.on_progress,
            prune=prune,
        )


@contextmanager
def written_index(
    location: str, model: str, settings: Settings, *, rebuild: bool = False, checked: bool = False
) -> Iterator[ports.IndexWriter]:
    """Give the writer of an index, made if there is none, and bring its caches up to date.

    One that was made here is taken away again where the block raises PathError. Threads of this
    process write one after the other. Raises IndexLockedError where another process goes on
    writing, IndexingError.
    """
    if is_shared(location):
        storage = storage_of(location, offline=settings.models.offline)
        with shared_writer(storage, model, rebuild=rebuild) as shared:
            yield shared
        return
    folder = locate(location)
    is_new = not folder.exists()
    folder.create()
    try:
        turn = _TURNS[str(folder.path)]
        locked = folder.locked(wait=BUSY_SECONDS)
        with turn, locked, _edition(folder, rebuild=rebuild) as edition:
            with LedgerWriter(edition.ledger, folder.label, model=model, checked=checked) as writer:
                yield writer
            with folder.writing(), LedgerReader(edition.ledger, folder.label) as ledger:
                sync_caches(edition, ledger, settings.index, checked=checked)
            folder.close_to_others()  # (Chroma's files are made as the umask says)
    except PathError:
        if is_new:
            folder.remove()
        raise


def preview_index(
    location: str,
    paths: Sequence[str],
    settings: Settings,
    *,
    model: str,
    rebuild: bool = False,
    prune: bool = False,
) -> IndexReport:
    """Return what `Indexer.update` would do, without parsing, embedding or writing anything.

    `model` is the name of the embedding model. Raises PathError, IndexMismatchError,
    IndexDamagedError as the run would.
    """
    absolute, files = absolute_paths(paths), local_files(settings.documents)
    if rebuild:
        _check_all_readable(absolute, files)
    if is_shared(location):
        offline = settings.models.offline
        known = [] if rebuild else shared_records(location, model, offline=offline)
    else:
        folder = locate(location)
        ledger = folder.current().ledger
        known = [] if rebuild else known_documents(ledger, folder.label, model=model)
    report = preview_documents(
        absolute,
        files=files,
        records=known,
        chunk_chars=settings.documents.chunk_chars,
        prune=prune,
    )
    return _with_left_out(report, _replaced(location) if rebuild else set())


def _replaced(location: str) -> set[str]:
    """Return the documents of the index in a folder, whose ledger may be of any version."""
    return set() if is_shared(location) else indexed_paths(locate(location).current().ledger)


def _with_left_out(report: IndexReport, before: set[str]) -> IndexReport:
    """Return a rebuild's report with the documents that were there `before`, and are no more."""
    left_out = sorted(before - {file.path for file in report.files})
    files = [FileReport(path, "removed", LEFT_OUT) for path in left_out]
    return replace(report, files=(*report.files, *files))


def _check_all_readable(paths: Sequence[str], files: ports.FileSource) -> None:
    """Raise PathError for a path that cannot be read: what is below it would be lost."""
    for report in files.find(paths).skipped:
        if report.status == "failed" and report.path in paths:
            raise PathError(
                f"{report.path}: {report.reason}",
                hint="Mend it, or leave it out; the index is as it was.",
            )


@contextmanager
def _edition(folder: IndexFolder, *, rebuild: bool) -> Iterator[Edition]:
    """Give the edition to write: the current one, or a new one that readers see if all is well."""
    if not rebuild:
        folder.sweep()
        yield folder.current()
        return
    edition = folder.next_edition()
    try:
        yield edition
        folder.show(edition)
    except BaseException:
        folder.sweep()
        raise
