"""The step that brings an index up to date with the user's files."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from research_agent.core.chunking import chunk_document, chunk_header
from research_agent.core.documents import FileReport, FoundFiles, IndexReport, SourceFile
from research_agent.core.paths import display_names, is_below
from research_agent.core.records import DocumentRecord, IndexedChunk, IndexProgress, Window
from research_agent.core.sight import Sight
from research_agent.core.types import Chunk
from research_agent.errors import DocumentError, PathError
from research_agent.ports import FileSource, IndexingPorts

CHUNKING = 1
"""Version of how text becomes chunks and windows: documents of another one are cut anew."""
_TEXTS = 64  # embedded between two reports of progress

OnProgress = Callable[[IndexProgress], None]
"""Told where indexing is."""


def index_documents(
    paths: Sequence[str],
    *,
    ports: IndexingPorts,
    chunk_chars: int,
    on_progress: OnProgress = lambda _: None,
) -> IndexReport:
    """Index what is new or changed below `paths`, and forget what is gone there.

    `paths` are absolute. Documents elsewhere, and below a path that is not there itself, stay as
    they are. A file that fails is one line of the report, and a version of it that could be read
    before stays. No text is embedded twice.

    Raises PathError where there is nothing to index at all. IndexingError and ModelError end the
    run; the next one goes on where it ended.
    """
    found, absent = _find(paths, ports.files)
    known = {record.path: record for record in ports.writer.documents()}
    below = [record for record in known.values() if is_below(record.path, paths)]
    if not (found.files or found.skipped or below):
        raise PathError(
            "There is nothing to index: " + ", ".join(paths),
            hint="Name a document, or a folder that holds some: research-agent index PATH…",
        )
    there = {file.path for file in found.files}
    run = _Run(ports, chunk_chars, on_progress, known, there, Sight.of(paths, found.files, absent))
    reports = [run.index(file) for file in found.files]
    left = [record for record in below if record.path not in there]
    missing = list(run.forget(left, found.skipped))
    ports.writer.publish(run.moved, run.removed)
    kept = [record for record in ports.writer.documents() if record.status == "indexed"]
    return IndexReport(
        (*reports, *missing, *absent, *run.elsewhere(kept)),
        chunks=sum(record.chunks for record in kept),
        documents=len(kept),
        embedded=run.embedded,
    )


@dataclass
class _Run:
    """One run of indexing: what it works with, and what it has done so far."""

    ports: IndexingPorts
    chunk_chars: int
    on_progress: OnProgress
    known: dict[str, DocumentRecord]
    there: Collection[str]
    sight: Sight
    number: int = 0
    embedded: int = 0
    moved: dict[str, SourceFile] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    renewed: set[str] = field(default_factory=set)
    """Keys of documents that were read again."""

    def __post_init__(self) -> None:
        """Make what is looked up for every new file."""
        self.keys = {record.key for record in self.known.values()}
        self.by_digest: defaultdict[str, list[DocumentRecord]] = defaultdict(list)
        for record in self.known.values():
            self.by_digest[record.digest].append(record)

    @property
    def recipe(self) -> str:
        """All that chunks and vectors depend on, beside the document and the model."""
        return f"chunk_chars={self.chunk_chars} chunking={CHUNKING}"

    def index(self, file: SourceFile) -> FileReport:
        """Bring one document up to date."""
        self.number += 1
        self.on_progress(IndexProgress(file.path, self.number, len(self.there)))
        digest = ""
        record = self.known.get(file.path)
        if record and self._is_current(record) and _is_untouched(record, file):
            return _unchanged(record)
        try:
            digest = self.ports.files.digest(file.path)
            record = record or self._renamed(digest)
            if record and self._is_current(record) and record.digest == digest:
                self.moved[record.key] = file
                return _unchanged(record, file)
            return self._read(file, digest, record)
        except DocumentError as error:
            return self._failed(file, digest, str(error))

    def forget(
        self, missing: Sequence[DocumentRecord], skipped: Sequence[FileReport]
    ) -> Iterator[FileReport]:
        """Drop documents that are seen to be gone; those that are only left alone now stay."""
        told = set()
        for record in missing:
            if record.key in self.moved or record.key in self.renewed:
                continue
            why = self.sight.hidden_by(record.path) or next(
                (report for report in skipped if is_below(record.path, [report.path])), None
            )
            unseen = why is not None and why.status == "failed"  # (a folder that cannot be read)
            if not unseen and self._is_gone(record.path):
                self.removed.add(record.key)
                if record.status == "indexed":
                    yield FileReport(record.path, "removed", chunks=record.chunks)
            elif record.status == "indexed":
                told.add(record.path)
                stays = "what was indexed of it stays until the index is made with --rebuild"
                reason = f"{why.reason if why else 'left alone now'}; {stays}"
                yield FileReport(record.path, "skipped", reason, record.chunks)
        yield from (report for report in skipped if report.path not in told)

    def elsewhere(self, kept: Sequence[DocumentRecord]) -> Iterator[FileReport]:
        """Name documents outside of this run that are still cut by another recipe."""
        for record in kept:
            if record.recipe != self.recipe and record.path not in self.there:
                reason = f"still cut with {record.recipe}: index its folder again"
                yield FileReport(record.path, "unchanged", reason, record.chunks)

    def _is_current(self, record: DocumentRecord) -> bool:
        """Return whether a document need not be read again, if its file is the same."""
        return record.status != "failed" and record.recipe == self.recipe

    def _renamed(self, digest: str) -> DocumentRecord | None:
        """Return the document that had this content under a path that is gone."""
        for record in self.by_digest[digest]:
            taken = record.path in self.there or record.key in self.moved
            if not taken and self._is_gone(record.path):
                return record
        return None

    def _is_gone(self, path: str) -> bool:
        """Return whether a file is known not to exist any more."""
        if self.sight.hidden_by(path):
            return False
        try:
            self.ports.files.find([path])
        except PathError:
            return True
        return False

    def _read(self, file: SourceFile, digest: str, old: DocumentRecord | None) -> FileReport:
        """Read a document, embed what is new in it, and keep it."""
        document = self.ports.reader.read(file.path)
        key, doc_id = self._key(digest, old), display_names([file.path])[file.path]
        chunks = chunk_document(
            key, doc_id, document, source=file.path, chunk_chars=self.chunk_chars
        )
        reason = "; ".join(document.warnings) or ("" if chunks else "it holds no text")
        record = DocumentRecord(
            key=key,
            path=file.path,
            digest=digest,
            size=file.size,
            mtime_ns=file.mtime_ns,
            recipe=self.recipe,
            doc_id=doc_id,
            title=document.title,
            date=document.date,
            pages=max((chunk.end_page for chunk in chunks), default=0),
            status="indexed" if chunks else "skipped",
            reason=reason,
        )
        self._put(record, self._embedded(file, chunks))
        if old and old.recipe != self.recipe and old.status == "indexed":
            cut = f"cut anew with {self.recipe} (before: {old.recipe})"
            reason = f"{cut}; {reason}" if reason else cut
        return FileReport(file.path, "indexed" if chunks else "skipped", reason, len(chunks))

    def _failed(self, file: SourceFile, digest: str, reason: str) -> FileReport:
        """Note that a file cannot be read, unless a version of it could be read before."""
        old = self.known.get(file.path)
        if old and old.status == "indexed":
            stays = f"{reason}; what was indexed of it before stays"
            return FileReport(file.path, "failed", stays, old.chunks)
        record = DocumentRecord(
            key=self._key(digest or _digest(file.path), old),
            path=file.path,
            digest=digest,
            size=file.size,
            mtime_ns=file.mtime_ns,
            recipe=self.recipe,
            status="failed",
            reason=reason,
        )
        if not (old and (old.digest, old.reason) == (digest, reason)):
            with suppress(DocumentError):  # (a name that cannot be kept; the report has it)
                self._put(record, [])
        return FileReport(file.path, "failed", reason)

    def _key(self, digest: str, old: DocumentRecord | None) -> str:
        """Return the document's key: kept, or made of the content it is first seen with."""
        if old:
            return old.key
        names = (digest[:16] + (f"-{i}" if i else "") for i in range(len(self.keys) + 1))
        key = next(name for name in names if name not in self.keys)
        self.keys.add(key)
        return key

    def _put(self, record: DocumentRecord, chunks: Sequence[IndexedChunk]) -> None:
        """Keep a document for good."""
        self.ports.writer.put(record, chunks)
        self.renewed.add(record.key)

    def _embedded(self, file: SourceFile, chunks: Sequence[Chunk]) -> list[IndexedChunk]:
        """Return the chunks with the vectors of their windows; equal texts share one."""
        headers = [chunk_header(chunk) for chunk in chunks]
        cut = self.ports.windows.windows
        windows = [cut(c.text, header=header) for c, header in zip(chunks, headers, strict=True)]
        digests = {text: _digest(text) for texts in windows for text in texts}
        vectors = dict(self.ports.writer.vectors(digests.values()))
        new = sorted((t for t, digest in digests.items() if digest not in vectors), key=len)
        for start in range(0, len(new), _TEXTS):
            texts = new[start : start + _TEXTS]
            embedded = self.ports.embedder.embed(texts)
            vectors.update(zip((digests[text] for text in texts), embedded, strict=True))
            self.embedded += len(texts)
            done = start + len(texts)
            self.on_progress(IndexProgress(file.path, self.number, len(self.there), done, len(new)))
        return [
            IndexedChunk(
                chunk,
                _digest(f"{header}\n{chunk.text}"),
                tuple(Window(digests[text], vectors[digests[text]]) for text in texts),
            )
            for chunk, header, texts in zip(chunks, headers, windows, strict=True)
        ]


def _find(paths: Sequence[str], files: FileSource) -> tuple[FoundFiles, tuple[FileReport, ...]]:
    """Return what is below all paths, each file once, and the paths that do not exist.

    Raises PathError where none of them can be read.
    """
    found: dict[str, SourceFile] = {}
    skipped: dict[str, FileReport] = {}
    absent: dict[str, FileReport] = {}
    for path in paths:
        try:
            below = files.find([path])
        except PathError as error:
            absent[path] = FileReport(path, "failed", str(error))
            continue
        found.update((file.path, file) for file in below.files)
        skipped.update((report.path, report) for report in below.skipped)
    reasons = {path: report.reason for path, report in absent.items()}
    for path in paths:
        if path in skipped and skipped[path].status == "failed":
            reasons[path] = f"{path}: {skipped[path].reason}"
    if len(reasons) == len(set(paths)):
        raise PathError(
            "; ".join(reasons.values()) or "There is nothing to index.",
            hint="Name a document, or a folder that holds some: research-agent index PATH…",
        )
    left = tuple(report for path, report in skipped.items() if path not in found)
    return FoundFiles(tuple(found.values()), left), tuple(absent.values())


def _is_untouched(record: DocumentRecord, file: SourceFile) -> bool:
    """Return whether a file looks as it did when it was read."""
    return (record.size, record.mtime_ns) == (file.size, file.mtime_ns)


def _unchanged(record: DocumentRecord, file: SourceFile | None = None) -> FileReport:
    """Report a document that need not be read again; a run before may have read it."""
    path, reason = record.path, record.reason
    if file and file.path != path:
        path, reason = file.path, f"moved from {path}"
    if record.status == "skipped":
        return FileReport(path, "skipped", reason)
    status: Literal["unchanged", "indexed"] = "unchanged" if record.published else "indexed"
    return FileReport(path, status, reason, record.chunks)


def _digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
