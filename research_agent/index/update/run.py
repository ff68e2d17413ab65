"""Reading, cutting and embedding what has changed, one document after the other."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from research_agent.errors import DocumentError
from research_agent.index.update.ahead import Ahead, Decided
from research_agent.index.update.changes import Changes
from research_agent.index.update.links import linked
from research_agent.index.update.reports import OnProgress, unchanged
from research_agent.ports import IndexingPorts
from research_agent.text.boilerplate_sections import APPARATUS, apparatus
from research_agent.text.paths import display_names
from research_agent.types import chunk_header
from research_agent.types.documents import FileReport, ParsedDocument, SourceFile
from research_agent.types.records import (
    DocumentRecord,
    IndexedChunk,
    IndexProgress,
    Window,
    text_digest,
)
from research_agent.types.references import LinkedChunk

_TEXTS = 64  # embedded between two reports of progress


@dataclass
class Run:
    """One run of indexing: what it works with, and what it has done so far."""

    ports: IndexingPorts
    changes: Changes
    chunk_chars: int
    on_progress: OnProgress
    number: int = 0
    embedded: int = 0
    renewed: set[str] = field(default_factory=set)
    """Keys of documents that were read again."""

    def __post_init__(self) -> None:
        """Make what is looked up for every new file."""
        self.keys = {record.key for record in self.changes.known.values()}
        self.total = len(self.changes.there)
        self.ahead = Ahead(self.changes.found.files, self.changes, self.ports.read_ahead)

    def reports(self) -> Iterator[FileReport]:
        """Bring one document after the other up to date."""
        while decided := self.ahead.next():
            self.number += 1
            yield self._index(decided)

    def _index(self, decided: Decided) -> FileReport:
        """Bring one document up to date."""
        file, digest = decided.file, ""
        self.on_progress(IndexProgress(file.path, self.number, self.total))
        try:
            change = decided.change
            digest, record = change.digest, change.record
            if record and change.kind in {"untouched", "same"}:
                return unchanged(record, file)
            return self._read(file, digest, record)
        except DocumentError as error:
            return self._failed(file, digest, str(error))

    def _read(self, file: SourceFile, digest: str, old: DocumentRecord | None) -> FileReport:
        """Read a document, embed what is new in it, and keep it."""
        document = self.ports.reader.read(file.path)
        self.ahead.look()
        key, doc_id = self._key(digest, old), display_names([file.path])[file.path]
        size = self.chunk_chars
        cut = self.ports.chunker(key, doc_id, document, source=file.path, chunk_chars=size)
        chunks = linked(cut)
        reason = "; ".join(document.warnings) or ("" if chunks else "it holds no text")
        record = DocumentRecord(
            key=key,
            path=file.path,
            digest=digest,
            size=file.size,
            mtime_ns=file.mtime_ns,
            recipe=self.changes.recipe,
            doc_id=doc_id,
            title=document.title,
            date=document.date,
            pages=max((chunk.end_page for chunk, _ in chunks), default=0),
            status="indexed" if chunks else "skipped",
            reason=reason,
            quality=replace(document.quality, tables=_tables_in(document)),
        )
        self._put(record, self._embedded(file, chunks), document.page_texts)
        if old and old.recipe != self.changes.recipe and old.status == "indexed":
            anew = f"cut anew with {self.changes.recipe} (before: {old.recipe})"
            reason = f"{anew}; {reason}" if reason else anew
        return FileReport(file.path, "indexed" if chunks else "skipped", reason, len(chunks))

    def _failed(self, file: SourceFile, digest: str, reason: str) -> FileReport:
        """Note that a file cannot be read, unless a version of it could be read before."""
        old = self.changes.known.get(file.path)
        if old and old.status == "indexed":
            stays = f"{reason}; what was indexed of it before stays"
            return FileReport(file.path, "failed", stays, old.chunks)
        record = DocumentRecord(
            key=self._key(digest or text_digest(file.path), old),
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

    def _put(
        self, record: DocumentRecord, chunks: Sequence[IndexedChunk], page_texts: Sequence[str] = ()
    ) -> None:
        """Keep a document for good."""
        self.ports.writer.put(record, chunks, page_texts=page_texts)
        self.renewed.add(record.key)

    def _embedded(self, file: SourceFile, cut: Sequence[LinkedChunk]) -> list[IndexedChunk]:
        """Return the chunks with the vectors of their windows; equal texts share one.

        Apparatus is not searched: it has no words and no vectors.
        """
        headers = [chunk_header(chunk) for chunk, _ in cut]
        cut_windows = self.ports.windows.windows
        windows = [
            () if chunk.kind in APPARATUS else cut_windows(chunk.text, header=header)
            for (chunk, _), header in zip(cut, headers, strict=True)
        ]
        digests = {text: text_digest(text) for texts in windows for text in texts}
        vectors = dict(self.ports.writer.vectors(digests.values()))
        new = sorted((t for t, digest in digests.items() if digest not in vectors), key=len)
        for start in range(0, len(new), _TEXTS):
            texts = new[start : start + _TEXTS]
            embedded = self.ports.embedder.embed(texts)
            vectors.update(zip((digests[text] for text in texts), embedded, strict=True))
            self.embedded += len(texts)
            done = start + len(texts)
            self.on_progress(IndexProgress(file.path, self.number, self.total, done, len(new)))
        return [
            IndexedChunk(
                chunk,
                text_digest("" if chunk.kind in APPARATUS else f"{header}\n{chunk.text}"),
                tuple(Window(digests[text], vectors[digests[text]]) for text in texts),
                links,
            )
            for (chunk, links), header, texts in zip(cut, headers, windows, strict=True)
        ]


def _tables_in(document: ParsedDocument) -> int:
    """Return the number of tables in a document, tables of contents not counted."""
    last = max((block.page for block in document.blocks), default=1)
    return sum(
        block.kind == "table" and not apparatus(block.text, page=block.page, last_page=last)
        for block in document.blocks
    )
