"""Reading, cutting and embedding what has changed, here or by workers."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from research_agent.errors import DocumentError
from research_agent.index.changes import Change, Changes
from research_agent.index.numbered_references import linked
from research_agent.index.packing import storable
from research_agent.index.ports import IndexingPorts, Made, TakesRows, Task, Workers
from research_agent.text.boilerplate_sections import BOILERPLATE, boilerplate_kind, searched
from research_agent.text.paths import display_names
from research_agent.types import chunk_header, records
from research_agent.types.documents import FileReport, ParsedDocument, SourceFile
from research_agent.types.references import LinkedChunk

_TEXTS = 64  # embedded between two reports of progress
FILE_SECONDS = 1800.0  # that the texts of one file may take to be embedded
DAMAGED = "what the index held of it was damaged"
GO_ON = "index it again to go on from there, or split it"

OnProgress = Callable[[records.IndexProgress], None]
OnTexts = Callable[[SourceFile, int, int], None]


class Run:
    """One run of indexing: its inputs and its counts so far."""

    def __init__(
        self, ports: IndexingPorts, changes: Changes, chunk_chars: int, on_progress: OnProgress
    ) -> None:
        self.ports, self.changes = ports, changes
        self.on_progress = on_progress
        self._reading = Reading(ports, chunk_chars, self._tell)
        self.number = self._elsewhere = 0
        self.renewed: set[str] = set()  # keys of documents that were read again
        self._keys = {record.key for record in changes.known.values()}

    @property
    def embedded(self) -> int:
        """Texts that were embedded, here or by workers."""
        return self._reading.embedded + self._elsewhere

    def reports(self) -> list[FileReport]:
        """Bring all documents up to date; returns what became of each file, in order."""
        workers, writer = self.ports.workers, self.ports.writer
        reports: dict[str, FileReport] = {}
        olds: dict[str, records.DocumentRecord | None] = {}

        def tasks() -> Iterator[Task]:
            for file in self.changes.found.files:
                change = self._change(file)
                if isinstance(change, FileReport):
                    self._next(file)
                    reports[file.path] = change
                else:
                    olds[file.path] = change.record
                    yield self._task(file, change)

        if workers and isinstance(writer, TakesRows):
            done = self._by_workers(workers, writer, tasks())
        else:
            done = self._one_by_one(tasks())
        for task, made in done:
            report, old = made.report, olds.pop(task.file.path)
            if made.rows is None:
                key = "" if old else task.key
                reports[task.file.path] = self._failed(task.file, task.digest, report.reason, key)
            else:
                reports[task.file.path] = self._done(task, report, old)
        return [reports[file.path] for file in self.changes.found.files]

    def _one_by_one(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Made]]:
        for task in tasks:
            self._next(task.file)
            try:
                made = Made(self._reading.put(task), rows=())
            except DocumentError as error:
                made = Made(FileReport(task.file.path, "failed", str(error)))
            yield task, made

    def _by_workers(
        self, workers: Workers, writer: TakesRows, tasks: Iterable[Task]
    ) -> Iterator[tuple[Task, Made]]:
        """Let workers read documents, and keep what they made as it comes."""
        for task, made in workers.made(tasks):
            self._next(task.file)
            if made.rows is not None:
                writer.put_rows(made.rows)
            self._elsewhere += made.embedded
            yield task, made

    def _next(self, file: SourceFile) -> None:
        self.number += 1
        self._tell(file)

    def _tell(self, file: SourceFile, done: int = 0, texts: int = 0) -> None:
        total = len(self.changes.there)
        self.on_progress(records.IndexProgress(file.path, self.number, total, done, texts))

    def _change(self, file: SourceFile) -> Change | FileReport:
        """Return how a file is to be read, or the report of one that need not or cannot be."""
        try:
            change = self.changes.of_file(file)
        except DocumentError as error:
            return self._failed(file, "", str(error), "")
        return unchanged(change.record, file) if change.record and not change.to_read else change

    def _task(self, file: SourceFile, change: Change) -> Task:
        key, recipe = self._key(change.digest, change.record), self.changes.recipe
        return Task(file=file, key=key, digest=change.digest, recipe=recipe)

    def _done(
        self, task: Task, report: FileReport, old: records.DocumentRecord | None
    ) -> FileReport:
        """Note that a document was put, and say in its report why it was read anew."""
        self.renewed.add(task.key)
        anew = ""
        if old and not old.digest:
            anew = DAMAGED
        elif old and old.recipe != self.changes.recipe and old.status == "indexed":
            anew = f"cut anew with {self.changes.recipe} (before: {old.recipe})"
        return replace(report, reason="; ".join(filter(None, (anew, report.reason))))

    def _failed(self, file: SourceFile, digest: str, reason: str, key: str) -> FileReport:
        old = self.changes.known.get(file.path)
        if old and old.status == "indexed":
            stays = f"{reason}; what was indexed of it before stays"
            return FileReport(file.path, "failed", stays, old.chunks)
        record = records.DocumentRecord(
            key=key or self._key(digest or records.text_digest(file.path), old),
            path=file.path,
            digest=digest,
            size=file.size,
            mtime_ns=file.mtime_ns,
            recipe=self.changes.recipe,
            status="failed",
            reason=reason,
        )
        if not (old and (old.digest, old.reason) == (digest, reason)):
            with suppress(DocumentError):  # (a name that cannot be kept; the report has it)
                self.ports.writer.put(record, [])
                self.renewed.add(record.key)
        return FileReport(file.path, "failed", reason)

    def _key(self, digest: str, old: records.DocumentRecord | None) -> str:
        if old:
            return old.key
        names = (digest[:16] + (f"-{i}" if i else "") for i in range(len(self._keys) + 1))
        key = next(name for name in names if name not in self._keys)
        self._keys.add(key)
        return key


class Reading:
    """What reads a document, cuts and embeds it, and puts it into the index."""

    def __init__(self, ports: IndexingPorts, chunk_chars: int, tell: OnTexts) -> None:
        """Prepare; `tell` gets a file, how many of its new texts are embedded, and how many are."""
        self.ports, self.chunk_chars, self._tell = ports, chunk_chars, tell
        self.embedded = 0

    def put(self, task: Task) -> FileReport:
        """Put a document that is read; raises DocumentError, ModelError, IndexingError."""
        file, key = task.file, task.key
        document = self.ports.reader.read(file.path)
        doc_id, size = display_names([file.path])[file.path], self.chunk_chars
        cut = self.ports.chunker(key, doc_id, document, source=file.path, chunk_chars=size)
        chunks = linked(searched(cut))
        reason = "; ".join(document.warnings) or ("" if chunks else "it holds no text")
        status: Literal["indexed", "skipped"] = "indexed" if chunks else "skipped"
        record = records.DocumentRecord(
            key=key,
            path=file.path,
            digest=task.digest,
            size=file.size,
            mtime_ns=file.mtime_ns,
            recipe=task.recipe,
            doc_id=doc_id,
            title=document.title,
            date=document.date,
            pages=max((chunk.end_page for chunk, _ in chunks), default=0),
            status=status,
            reason=reason,
            quality=replace(document.quality, tables=_tables_in(document)),
        )
        vectors = self._embedded(file, chunks)
        self.ports.writer.put(record, vectors, page_texts=document.page_texts)
        return FileReport(file.path, status, reason, len(chunks))

    def _embedded(self, file: SourceFile, cut: Sequence[LinkedChunk]) -> list[records.IndexedChunk]:
        """Return the chunks with their vectors; boilerplate is not searched and has none."""
        headers = [chunk_header(chunk) for chunk, _ in cut]
        cut_windows = self.ports.windows.windows
        windows = [
            () if chunk.kind in BOILERPLATE else cut_windows(chunk.text, header=header)
            for (chunk, _), header in zip(cut, headers, strict=True)
        ]
        digests = {text: records.text_digest(text) for texts in windows for text in texts}
        vectors = self._known([*digests.values()])
        new = sorted((t for t, digest in digests.items() if digest not in vectors), key=len)
        began = self.ports.now()
        for start in range(0, len(new), _TEXTS):
            if self.ports.now() - began > FILE_SECONDS:
                minutes, left = FILE_SECONDS / 60, f"{start} of its {len(new)} texts"
                raise DocumentError(f"embedding took {minutes:g} min for {left}; {GO_ON}")
            texts = new[start : start + _TEXTS]
            embedded = (array("f", vector) for vector in self.ports.embedder.embed(texts))
            vectors.update(zip((digests[text] for text in texts), embedded, strict=True))
            self.embedded += len(texts)
            done = start + len(texts)
            self._tell(file, done, len(new))
        return [
            records.IndexedChunk(
                chunk,
                records.text_digest(
                    "" if chunk.kind in BOILERPLATE else storable(f"{header}\n{chunk.text}")
                ),
                tuple(records.Window(digests[text], vectors[digests[text]]) for text in texts),
                links,
            )
            for (chunk, links), header, texts in zip(cut, headers, windows, strict=True)
        ]

    def _known(self, digests: Sequence[str]) -> "dict[str, array[float]]":
        found: dict[str, array[float]] = {}
        for start in range(0, len(digests), _TEXTS):
            known = self.ports.writer.vectors(digests[start : start + _TEXTS])
            found.update((digest, array("f", vector)) for digest, vector in known.items())
        return found


def _tables_in(document: ParsedDocument) -> int:
    last = max((block.page for block in document.blocks), default=1)
    return document.quality.tables or sum(
        block.kind == "table" and not boilerplate_kind(block.text, page=block.page, last_page=last)
        for block in document.blocks
    )


def unchanged(record: records.DocumentRecord, file: SourceFile) -> FileReport:
    """Report a document that need not be read again; a run before may have read it."""
    reason = record.reason if file.path == record.path else f"moved from {record.path}"
    if record.status == "skipped":
        return FileReport(file.path, "skipped", reason)
    status: Literal["unchanged", "indexed"] = "unchanged" if record.published else "indexed"
    return FileReport(file.path, status, reason, record.chunks)
