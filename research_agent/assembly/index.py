"""Indexes for the rest of the program: opened for reading, brought up to date, listed, removed."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.adapters.folders import IndexFolder, locate, named_indexes
from research_agent.adapters.ledger.reading import LedgerReader
from research_agent.adapters.ledger.writing import LedgerWriter
from research_agent.assembly.caches import Caches, sync_caches, usable_caches
from research_agent.core.closing import Closing
from research_agent.core.documents import IndexReport
from research_agent.core.records import IndexHeader
from research_agent.errors import IndexingError, PathError
from research_agent.ports import (
    ChunkStore,
    DocumentReader,
    Embedder,
    FileSource,
    IndexingPorts,
    LexicalIndex,
    TextWindows,
    VectorIndex,
)
from research_agent.settings import Settings
from research_agent.steps.index import OnProgress, index_documents


class OpenIndex(Closing):
    """An index that can be searched, as it was last published. Threads may share it."""

    def __init__(self, ledger: LedgerReader, caches: Caches, header: IndexHeader) -> None:
        """Take over open files; `close` closes them."""
        self._ledger, self._caches = ledger, caches
        self.header = header
        self.vectors: VectorIndex = caches.vectors
        self.lexical: LexicalIndex = caches.words
        self.chunks: ChunkStore = ledger

    def is_current(self) -> bool:
        """Return whether nothing was published since it was opened; if so, open it again."""
        return self._ledger.generation() == self.header.generation

    def close(self) -> None:
        """Close all files."""
        self._caches.close()
        self._ledger.close()


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """One line of the list of indexes."""

    name: str
    path: str
    bytes_on_disk: int
    header: IndexHeader | None
    problem: str = ""
    """Why it cannot be opened; then there is no header."""


def open_index(location: str, settings: Settings, *, embedder: Embedder) -> OpenIndex:
    """Open the index at `location` for searching; caches that are not current are made again.

    Raises IndexMissingError where there is none, IndexMismatchError where it was made with another
    embedding model, IndexDamagedError. The embedding model is not loaded.
    """
    folder = locate(location)
    ledger = LedgerReader(folder.ledger, folder.label)
    try:
        ledger.check(embedder.name)
        caches = usable_caches(folder, ledger, exact_below=settings.index.exact_below)
        return OpenIndex(ledger, caches, ledger.header())
    except BaseException:
        ledger.close()
        raise


def update_index(  # noqa: PLR0913 (one adapter each, and what the command line says)
    location: str,
    paths: Sequence[str],
    settings: Settings,
    *,
    embedder: Embedder,
    files: FileSource,
    reader: DocumentReader,
    on_progress: OnProgress = lambda _: None,
    rebuild: bool = False,
) -> IndexReport:
    """Index what is new or changed below `paths`, in an index that is made where there is none.

    With `rebuild` it is made anew from `paths` alone. Raises PathError where there is nothing to
    index, IndexLockedError where another process writes, IndexingError, ModelError.
    """
    folder, absolute = locate(location), [os.path.abspath(path) for path in paths]  # noqa: PTH100 (symlinks stay)
    if rebuild:
        _check_before_clearing(absolute, files, embedder)
    is_new = not folder.exists()
    folder.create()
    ports = (embedder, files, reader)
    try:
        with folder.locked():
            if rebuild:
                folder.clear()
            report = _updated(folder, absolute, settings, ports, on_progress)
            with LedgerReader(folder.ledger, folder.label) as ledger:
                sync_caches(folder, ledger)
    except PathError:
        if is_new:
            folder.remove()
        raise
    return report


def list_indexes() -> list[IndexInfo]:
    """Return the named indexes, by name, also those that cannot be opened."""
    return [_info(folder) for folder in named_indexes()]


def remove_index(location: str) -> str:
    """Delete an index and return where it was.

    Raises IndexMissingError where there is no index of ours, IndexLockedError.
    """
    folder = locate(location)
    folder.remove()
    return str(folder.path)


class _WholeTexts:
    """What an embedding model that reads long texts wants: no windows."""

    def windows(self, text: str, *, header: str = "") -> tuple[str, ...]:
        return (f"{header}\n{text}" if header else text,)


def _check_before_clearing(paths: Sequence[str], files: FileSource, embedder: Embedder) -> None:
    """Raise PathError or ModelError where making the index anew could not even begin.

    Neither a path that cannot be read nor a model that does not work may cost the old index.
    """
    for report in files.find(paths).skipped:
        if report.status == "failed" and report.path in paths:
            raise PathError(
                f"{report.path}: {report.reason}",
                hint="Mend it, or leave it out; the index is as it was.",
            )
    embedder.embed(["test"])


def _updated(
    folder: IndexFolder,
    paths: Sequence[str],
    settings: Settings,
    adapters: tuple[Embedder, FileSource, DocumentReader],
    on_progress: OnProgress,
) -> IndexReport:
    """Run the step on the folder's ledger."""
    embedder, files, reader = adapters
    windows = embedder if isinstance(embedder, TextWindows) else _WholeTexts()
    with LedgerWriter(folder.ledger, folder.label, model=embedder.name) as writer:
        ports = IndexingPorts(
            files=files, reader=reader, embedder=embedder, windows=windows, writer=writer
        )
        return index_documents(
            paths,
            ports=ports,
            chunk_chars=settings.documents.chunk_chars,
            on_progress=on_progress,
        )


def _info(folder: IndexFolder) -> IndexInfo:
    """Return what the list says about one index."""
    header, problem = None, ""
    try:
        with LedgerReader(folder.ledger, folder.label) as ledger:
            header = ledger.header()
    except IndexingError as error:
        problem = str(error)
    return IndexInfo(folder.label, str(folder.path), folder.bytes_on_disk(), header, problem)
