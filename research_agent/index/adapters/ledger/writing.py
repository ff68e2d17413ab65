"""Writing an index: one transaction a document, one for publishing what was written."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from research_agent.closeable import Closing
from research_agent.index.adapters.ledger.checking import damaged
from research_agent.index.adapters.ledger.documents import COLUMNS, kept_documents
from research_agent.index.adapters.ledger.linking import LINKING, link, put_links
from research_agent.index.adapters.ledger.schema import SPACE, connect, faults, transaction
from research_agent.index.messages import check_model, check_name, wrong_length
from research_agent.index.packing import packed, packed_text, storable, unpacked
from research_agent.text.paths import display_names
from research_agent.types.documents import SourceFile
from research_agent.types.records import DocumentRecord, IndexedChunk

_STEP = 500  # values bound to one statement
_PUT_DOCUMENT = """INSERT INTO documents (key, path, digest, size, mtime_ns, recipe, doc_id, title,
    date, pages, status, reason, quality) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_PUT_CHUNK = "INSERT INTO chunks VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPLACED = """DELETE FROM documents WHERE generation IS NOT NULL AND key IN
    (SELECT key FROM documents WHERE generation IS NULL)"""


class LedgerWriter(Closing):
    """The one writer of an index; implements IndexWriter. For one thread."""

    def __init__(
        self, path: Path, label: str, *, model: str, durable: bool = True, checked: bool = False
    ) -> None:
        """Open the ledger, made where there is none, for vectors of the embedding `model`.

        One that is not `durable` is damaged by a power failure. With `checked`, documents with a
        damaged chunk have no digest, so that they are read again. Raises IndexMismatchError for
        another model, IndexDamagedError.
        """
        self._label = label
        self._connection = connect(path, label, writable=True)
        if not durable:
            self._connection.execute("PRAGMA synchronous = OFF")
        try:
            self._begin(model)
            self._damaged = damaged(self._connection, label) if checked else {}
        except BaseException:
            self.close()
            raise

    def documents(self) -> list[DocumentRecord]:
        """Return the newest version of every document, published or not, by path."""
        with faults(self._label):
            return kept_documents(self._connection, self._damaged)

    def vectors(self, digests: Collection[str]) -> dict[str, list[float]]:
        """Return the vectors that are known already, by the digest of the embedded text."""
        wanted, dimension = list(dict.fromkeys(digests)), int(self._meta("dimension"))
        found: dict[str, list[float]] = {}
        with faults(self._label):
            for start in range(0, len(wanted), _STEP):
                part = wanted[start : start + _STEP]
                marks = ",".join("?" * len(part))
                sql = f"SELECT digest, vector FROM vectors WHERE digest IN ({marks})"  # noqa: S608 (question marks)
                rows = self._connection.execute(sql, part)
                found.update((digest, unpacked(blob, dimension)) for digest, blob in rows)
        return found

    def put(
        self,
        record: DocumentRecord,
        chunks: Sequence[IndexedChunk],
        *,
        page_texts: Sequence[str] = (),
    ) -> None:
        """Keep a new version of a document for good; readers see it when it is published.

        Raises DocumentError for a name that is no Unicode text, IndexMismatchError.
        """
        check_name(record.path)
        dimension = self._dimension(chunks)
        with transaction(self._connection, self._label):
            run = self._connection.execute
            self._set("dimension", dimension)
            run("DELETE FROM documents WHERE key = ? AND generation IS NULL", [record.key])
            row = run(_PUT_DOCUMENT, _clean(_document_row(record)))
            for item in chunks:
                self._put_chunk(row.lastrowid, item)
            pages = enumerate(page_texts, start=1)
            rows = ((row.lastrowid, page, packed_text(text)) for page, text in pages if text)
            self._connection.executemany("INSERT INTO page_texts VALUES (?, ?, ?)", rows)
        self._damaged.pop(record.key, None)

    def publish(self, moved: Mapping[str, SourceFile], removed: Collection[str]) -> None:
        """Show readers all that was put; without a change the generation stays what it was."""
        with transaction(self._connection, self._label):
            run = self._connection.execute
            for key, file in moved.items():
                seen = (file.size, file.mtime_ns, key)
                run("UPDATE documents SET size = ?, mtime_ns = ? WHERE key = ?", seen)
            before = self._connection.total_changes
            for key in removed:
                run("DELETE FROM documents WHERE key = ?", [key])
            for key, file in moved.items():
                place = (file.path, key, file.path)
                run("UPDATE documents SET path = ? WHERE key = ? AND path <> ?", place)
            generation = int(self._meta("generation")) + 1
            run(_REPLACED)
            run("UPDATE documents SET generation = ? WHERE generation IS NULL", [generation])
            self._name_documents()
            changed = self._connection.total_changes > before or generation == 1
            if changed or self._meta("linking", "") != str(LINKING):
                link(self._connection)
                self._set("linking", LINKING)
                self._set("generation", generation)
                self._set("changed", datetime.now(UTC).isoformat(timespec="seconds"))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _begin(self, model: str) -> None:
        with faults(self._label):
            kept = self._connection.execute("SELECT value FROM meta WHERE key = 'model'").fetchone()
            if not kept and self._connection.execute("SELECT 1 FROM documents").fetchone():
                raise ValueError("it does not say which model made its vectors")
        if kept:
            check_model(kept[0], model, self._label)
            return
        first = {"model": model, "space": SPACE, "dimension": 0, "generation": 0, "changed": ""}
        with transaction(self._connection, self._label):
            for key, value in first.items():
                self._set(key, value)

    def _dimension(self, chunks: Iterable[IndexedChunk]) -> int:
        kept = int(self._meta("dimension"))
        for length in (len(window.vector) for item in chunks for window in item.windows):
            kept = kept or length
            if length != kept:
                raise wrong_length(self._label, kept, length)
        return kept

    def _put_chunk(self, document: int | None, item: IndexedChunk) -> None:
        row = self._connection.execute(_PUT_CHUNK, (document, *_clean(_chunk_row(item))))
        put_links(self._connection, document, row.lastrowid, item.links)
        self._connection.executemany(
            "INSERT INTO vectors VALUES (?, ?, ?, ?)",
            [
                (row.lastrowid, number, window.digest, packed(window.vector))
                for number, window in enumerate(item.windows)
            ],
        )

    def _name_documents(self) -> None:
        run = self._connection.execute
        kept = run("SELECT id, path, doc_id FROM documents WHERE status = 'indexed'").fetchall()
        names = display_names([path for _, path, _ in kept])
        for row, path, name in kept:
            if names[path] != name:
                run("UPDATE documents SET doc_id = ? WHERE id = ?", [names[path], row])

    def _meta(self, key: str, otherwise: str | None = None) -> str:
        with faults(self._label):
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchone()
            if row is None and otherwise is None:
                raise ValueError(f"its header has no {key}")
        return str(row[0] if row else otherwise)

    def _set(self, key: str, value: object) -> None:
        sql = "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        self._connection.execute(sql, [key, str(value)])


def _document_row(record: DocumentRecord) -> tuple[object, ...]:
    quality = json.dumps(asdict(record.quality)) if record.quality else ""
    return (*(getattr(record, column) for column in COLUMNS), quality)


def _chunk_row(item: IndexedChunk) -> tuple[object, ...]:
    chunk = item.chunk
    place = (chunk.start_page, chunk.end_page, chunk.start_label, chunk.end_label)
    section = json.dumps([storable(heading) for heading in chunk.section])
    return (chunk.chunk_id, chunk.order, chunk.text, *place, section, chunk.kind, item.digest)


def _clean(row: Iterable[object]) -> tuple[object, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in row)
