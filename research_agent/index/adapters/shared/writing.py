"""Writing a shared index: batches of documents that nobody sees, and one publication of them all.

What is put is appended at once; readers open the versions that the last generation names. A writer
that is killed leaves its whole documents to the next one, which goes on.
"""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from research_agent.closeable import Closing
from research_agent.errors import IndexingError
from research_agent.index.adapters.shared import reading
from research_agent.index.adapters.shared.generations import (
    Generation,
    Lease,
    create,
    forget_old,
    latest,
    publish,
    table_name,
)
from research_agent.index.adapters.shared.searching import bring_up_to_date
from research_agent.index.adapters.shared.storage import Storage, faults
from research_agent.index.adapters.shared.tables import (
    BELOW,
    LINKING,
    SCHEMAS,
    VECTORS,
    Linker,
    Rows,
    documents_table,
    record_of,
    rows_of,
    vectors_schema,
)
from research_agent.index.messages import check_model, check_name, wrong_length
from research_agent.text.paths import display_names
from research_agent.types.documents import SourceFile
from research_agent.types.records import DocumentRecord, IndexedChunk
from research_agent.types.references import Unresolved

if TYPE_CHECKING:
    from lancedb.table import LanceTable

_TABLES = (*SCHEMAS, VECTORS)
_TAG = "published"
BATCH, BATCH_SECONDS = 2000, 20.0
"""`put` writes when so many chunks wait, or the first of them for so long."""


class SharedWriter(Closing):
    """The one writer of a shared index; implements IndexWriter. For one thread.

    `rows_of` makes rows from documents, in any process; `append` writes them.
    """

    def __init__(
        self, storage: Storage, *, model: str, linker: Linker, rebuild: bool = False
    ) -> None:
        """Begin an unpublished generation, or go on with one that was interrupted.

        With `rebuild` it begins empty, beside what is there. Raises IndexLockedError, which names
        the present writer, IndexMismatchError, IndexingError.
        """
        self._storage, self._linker = storage, linker
        self._tables: dict[str, LanceTable] = {}
        self._waiting: list[Rows] = []
        self._tried = set[str]()
        self._since = time.monotonic()
        create(storage)
        self._lease = Lease(storage)
        try:
            self._base = latest(storage)
            if self._base.number and not rebuild:
                check_model(self._base.model, model, storage.label)
            self._model, self._rebuild = model, rebuild
            self.edition = self._base.edition + 1 if rebuild else self._base.edition
            """Which tables are written; see `known_vectors`."""
            self._begin()
        except BaseException:
            self.close()
            raise

    def documents(self) -> list[DocumentRecord]:
        """Return the newest version of every document, published or not, by path."""
        rows = [*self._live.values(), *(rows.document for rows in self._waiting)]
        newest = {row["key"]: row for row in rows}
        records = [record_of(row, published=self._is_published(row)) for row in newest.values()]
        return sorted(records, key=lambda record: record.path)

    def vectors(self, digests: Collection[str]) -> dict[str, list[float]]:
        """Return the vectors that are known already, by the digest of the embedded text."""
        tables = [rows.below[VECTORS] for rows in self._waiting if VECTORS in rows.below]
        known = reading.by_digest(tables, digests)
        table = self._table(VECTORS) if self._dimension else None
        return known | reading.known_vectors(self._storage, self.edition, digests, table)

    def put(
        self,
        record: DocumentRecord,
        chunks: Sequence[IndexedChunk],
        *,
        page_texts: Sequence[str] = (),
    ) -> None:
        """Keep a document, written in batches; raises DocumentError, IndexMismatchError."""
        check_name(record.path)
        self.put_rows(rows_of(record, chunks, page_texts))

    def put_rows(self, rows: Rows) -> None:
        """Keep a document as `put` does, whose rows were made elsewhere."""
        self._check_dimension(rows)
        self._waiting.append(rows)
        waited = time.monotonic() - self._since
        many = sum(rows.document["chunks"] for rows in self._waiting) >= BATCH
        if many or waited > BATCH_SECONDS:
            self.flush()

    def append(self, batch: Sequence[Rows]) -> None:
        """Write documents; when this returns they are kept for good, though nobody sees them yet.

        The rows of `documents` are written last. After an error the same rows may be given again.
        """
        self._since = time.monotonic()
        if not batch:
            return
        for rows in batch:
            self._check_dimension(rows)
        versions = {rows.document["version"] for rows in batch}
        with faults(self._storage.label):
            self._lease.check()
            for where in reading.filters("version", versions & self._tried):
                for name in filter(self._has, ("documents", *BELOW)):
                    self._table(name).delete(where)
            self._tried |= versions
            for name in BELOW:
                tables = [rows.below[name] for rows in batch if name in rows.below]
                if tables:
                    self._table(name).add(pa.concat_tables(tables))
            kept = [{**rows.document, "session": self._session} for rows in batch]
            self._table("documents").add(documents_table(kept))
        self._live |= {row["version"]: row for row in kept}

    def flush(self) -> None:
        """Write what was put."""
        self.append(self._waiting)
        self._waiting = []

    def publish(self, moved: Mapping[str, SourceFile], removed: Collection[str]) -> None:
        """Show readers all that was put; raises IndexLockedError where another writer took over."""
        self.flush()
        live = self._newest(removed)
        changed = self._named(live, moved)
        same = len(live) == self._base.records and all(map(self._is_published, live))
        if self._base.number and same and not changed and self._base.linking == LINKING:
            return
        with faults(self._storage.label):
            self._lease.check()
            self._delete_others({row["version"] for row in live})
            self._write(changed)
            self._link(live)
            self._show()

    def compact(self, older_than: timedelta) -> None:
        """Merge small files; delete what no generation since `older_than` names."""
        if not all(map(self._is_published, self._live.values())):
            raise IndexingError(
                f"The index {self._storage.label} has a run that was interrupted.",
                hint="Give its command again, and compact then.",
            )
        with faults(self._storage.label):
            self._show()
            for name, version in self._base.versions.items():
                tags = self._table(name).tags  # (what has one is not deleted)
                (tags.update if _TAG in tags.list() else tags.create)(_TAG, version)
                self._table(name).optimize(cleanup_older_than=older_than)
        keep = {table_name(name, self.edition) for name in self._base.versions}
        names = self._storage.names()
        tables = {name.partition(".lance/")[0] for name in names if ".lance/" in name}
        gone = tuple(f"{name}.lance/" for name in tables - keep)
        self._storage.delete([name for name in names if gone and name.startswith(gone)])
        forget_old(self._storage)

    def close(self) -> None:
        """Give the lease back; what was put and not written is lost, and read again next time."""
        self._lease.close()

    @property
    def _session(self) -> int:
        """The number under which rows are put: above that of all that is published."""
        return max(self._lease.session, self._base.session + 1)

    @property
    def _dimension(self) -> int:
        table = self._tables.get(VECTORS)
        return int(table.schema.field("vector").type.list_size) if table is not None else 0

    def _begin(self) -> None:
        self._trained = 0 if self._rebuild else self._base.trained
        if self._rebuild:  # (one that was interrupted begins again)
            endings = tuple(f"{table_name(name, self.edition)}.lance/" for name in _TABLES)
            left = [name for name in self._storage.names() if name.startswith(endings)]
            self._storage.delete(left)
        vectors = table_name(VECTORS, self.edition)
        if self._storage.names(f"{vectors}.lance/_versions/"):
            self._tables[VECTORS] = self._storage.table(vectors)
        with faults(self._storage.label):
            rows = reading.found(self._table("documents"), "", None).to_pylist()
        rows.sort(key=lambda row: int(row["session"]))
        self._live: dict[str, dict[str, Any]] = {row["version"]: row for row in rows}

    def _table(self, name: str) -> "LanceTable":
        if name not in self._tables:
            full = table_name(name, self.edition)
            self._tables[name] = self._storage.make_table(full, SCHEMAS[name])
        return self._tables[name]

    def _check_dimension(self, rows: Rows) -> None:
        if VECTORS not in rows.below:
            return
        length = int(rows.below[VECTORS].schema.field("vector").type.list_size)
        if not self._dimension:
            full = table_name(VECTORS, self.edition)
            self._tables[VECTORS] = self._storage.make_table(full, vectors_schema(length))
        if length != self._dimension:
            raise wrong_length(self._storage.label, self._dimension, length)

    def _is_published(self, row: Mapping[str, Any]) -> bool:
        return not self._rebuild and row.get("session", self._session) <= self._base.session

    def _newest(self, removed: Collection[str]) -> list[dict[str, Any]]:
        newest = {row["key"]: row for row in self._live.values()}
        return [row for key, row in newest.items() if key not in removed]

    def _named(
        self, live: Sequence[dict[str, Any]], moved: Mapping[str, SourceFile]
    ) -> list[dict[str, Any]]:
        before = [dict(row) for row in live]
        for row in live:
            if file := moved.get(row["key"]):
                row.update(path=file.path, size=file.size, mtime_ns=file.mtime_ns)
        indexed = [row for row in live if row["status"] == "indexed"]
        names = display_names([row["path"] for row in indexed])
        for row in indexed:
            row["doc_id"] = names[row["path"]]
        return [row for row, old in zip(live, before, strict=True) if row != old]

    def _delete_others(self, live: Collection[str]) -> None:
        """Delete the rows of all other versions; documents first, so that no half one is seen."""
        for name in filter(self._has, ("documents", *BELOW)):
            for where in reading.filters("version", sorted(self._versions_in(name) - set(live))):
                self._table(name).delete(where)
        self._live = {version: row for version, row in self._live.items() if version in live}

    def _versions_in(self, name: str) -> set[str]:
        return set(
            reading.found(self._table(name), "", ["version"])["version"].unique().to_pylist()
        )

    def _write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if rows:
            merge = self._table("documents").merge_insert("version").when_matched_update_all()
            merge.execute(documents_table(rows))

    def _link(self, live: Sequence[dict[str, Any]]) -> None:
        linked = self._linker(
            reading.SharedReader(self._storage, self._next()).exported(vectors=False)
        )
        changed = []
        for row in live:
            left = json.dumps(asdict(linked.unresolved.get(row["key"], Unresolved())))
            if left != row["unresolved"]:
                row["unresolved"] = left
                changed.append(row)
        self._write(changed)
        rows = [{**asdict(edge), "place": place} for place, edge in enumerate(linked.edges)]
        table = pa.Table.from_pylist(rows, SCHEMAS["edges"])
        self._table("edges").add(table, mode="overwrite")

    def _next(self) -> Generation:
        rows = list(self._live.values())
        return Generation(
            number=self._base.number + 1,
            session=self._session,
            edition=self.edition,
            versions={name: self._table(name).version for name in filter(self._has, _TABLES)},
            model=self._model,
            dimension=self._dimension,
            records=len(rows),
            documents=sum(row["status"] == "indexed" for row in rows),
            chunks=sum(row["chunks"] for row in rows),
            vectors=self._table(VECTORS).count_rows() if self._dimension else 0,
            trained=self._trained,
            changed=datetime.now(UTC).isoformat(timespec="seconds"),
            linking=LINKING,
        )

    def _has(self, name: str) -> bool:
        return name != VECTORS or bool(self._dimension)

    def _show(self) -> None:
        self._trained = bring_up_to_date(self._table, self._trained, self._dimension)
        new = self._next()
        seen = reading.SharedReader(self._storage, new)
        for name in filter(self._has, ("documents", *BELOW)):
            versions = seen.arrow(name, columns=["version"])["version"].unique().to_pylist()
            if not self._live.keys() >= set(versions):
                self._lease.check()
                raise IndexingError(
                    f"The index {self._storage.label} was written to by somebody else.",
                    hint="Give the command again: nothing that was published is lost.",
                )
        self._lease.check()
        publish(self._storage, new)
        self._base, self._rebuild = new, False
