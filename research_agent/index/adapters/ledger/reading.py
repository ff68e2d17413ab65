"""Reading an index: chunks for readers, and what the search indexes are made from."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from threading import RLock
from typing import TYPE_CHECKING, Any

from research_agent.closeable import Closing
from research_agent.errors import IndexDamagedError
from research_agent.index.adapters.ledger.checking import damaged, sampled
from research_agent.index.adapters.ledger.documents import (
    OUTLINED,
    SECTIONS,
    kept_documents,
    outlines,
)
from research_agent.index.adapters.ledger.schema import connect, faults
from research_agent.index.messages import check_model, command, unfinished
from research_agent.index.packing import storable, unpacked, unpacked_pages, unpacked_text
from research_agent.text.paths import added_id, shown_path
from research_agent.types import Chunk
from research_agent.types.records import (
    DocumentOutline,
    DocumentRecord,
    IndexedChunk,
    IndexHeader,
    Window,
)
from research_agent.types.references import ChunkLinks, Edge, Link

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEP = 500  # values bound to one statement
_VISIBLE = "FROM chunks c JOIN documents d ON d.id = c.document AND d.generation IS NOT NULL"
_FIELDS = (
    "chunk_id", "doc_id", "text", "start_page", "end_page", "start_label", "end_label", "section",
    "kind", "title", "date", "source", "order",
)  # fmt: skip
_CHUNK = f"""SELECT c.chunk_id, d.doc_id, c.text, c.start_page, c.end_page, c.start_label,
    c.end_label, c.section, c.kind, d.title, d.date, d.path, c.position {_VISIBLE}
    WHERE c.chunk_id IN (%s)"""
_AROUND = f"""SELECT n.chunk_id {_VISIBLE} JOIN chunks n ON n.document = c.document
    AND n.position BETWEEN c.position - ? AND c.position + ? AND n.id <> c.id
    WHERE c.chunk_id = ? ORDER BY n.position"""
_CONTENTS = f"""SELECT c.chunk_id {_VISIBLE} WHERE d.doc_id = ?
    ORDER BY d.pages, d.path, c.position"""
_PAGE_TEXT = f"""SELECT p.text {_VISIBLE} JOIN page_texts p ON p.document = d.id
    WHERE c.chunk_id = ? AND p.page = ?"""
_EDGES = """SELECT s.chunk_id, t.chunk_id, e.kind, d.path, s.position, e.place, t.position
    FROM chunks c JOIN documents v ON v.id = c.document AND v.generation IS NOT NULL
    JOIN edges e ON e.%s = c.id JOIN chunks s ON s.id = e.source JOIN chunks t ON t.id = e.target
    JOIN documents d ON d.id = s.document WHERE c.chunk_id IN (%%s)"""
_VECTORS = f"{_VISIBLE} JOIN vectors v ON v.chunk = c.id"
_VECTOR = f"SELECT c.chunk_id || '#' || v.window, v.vector {_VECTORS}"
_OF_CHUNKS = " WHERE c.chunk_id IN (%s)"
_BELOW = f"""SELECT chunk, %s FROM %s
    WHERE chunk IN (SELECT c.id {_VISIBLE} WHERE d.key = ?) ORDER BY chunk, %s"""  # noqa: S608 (our own names)
_CHUNKS_OF = f"SELECT c.id, c.chunk_id, c.digest {_VISIBLE} WHERE d.key = ? ORDER BY c.position"
_PAGES_OF = """SELECT p.page, p.text FROM page_texts p JOIN documents d ON d.id = p.document
    WHERE d.key = ? AND d.generation IS NOT NULL"""
_VECTOR_DIGEST = f"SELECT c.chunk_id || '#' || v.window, v.digest {_VECTORS}"


class LedgerReader(Closing):
    """The last published generation of an index; implements ChunkStore. Threads may share it."""

    def __init__(self, path: Path, label: str) -> None:
        """Open the published ledger of the index `label`; raises IndexingError."""
        self._label = label
        self._lock = RLock()
        self._connection = connect(path, label, writable=False)
        try:
            self._check_published()
        except BaseException:
            self.close()
            raise

    def header(self) -> IndexHeader:
        """Return what the index is made with and how much it holds."""
        meta = dict(self._all("SELECT key, value FROM meta"))
        documents = "SELECT count(*) FROM documents WHERE generation IS NOT NULL AND status = ?"
        with faults(self._label):
            return IndexHeader(
                model=meta["model"],
                dimension=int(meta["dimension"]),
                generation=int(meta["generation"]),
                documents=self._all(documents, ["indexed"])[0][0],
                chunks=self._all(f"SELECT count(*) {_VISIBLE}")[0][0],
                changed=meta["changed"],
            )

    def generation(self) -> int:
        """Return the number of the last publication; it grows when the index changes."""
        return self._number("generation")

    def check(self, model: str) -> IndexHeader:
        """Return the header; raises IndexMismatchError where vectors of `model` do not fit."""
        header = self.header()
        check_model(header.model, model, self._label)
        return header

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of `chunk_ids`; unknown ids are left out."""
        with faults(self._label):
            found = {row[0]: _chunk(row) for row in self._in(_CHUNK, chunk_ids)}
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def around(self, chunk_id: str, *, window: int) -> list[Chunk]:
        """Return the chunks up to `window` places before and after, in reading order."""
        return self.chunks([row[0] for row in self._all(_AROUND, [window, window, chunk_id])])

    def edges(self, chunk_ids: Sequence[str]) -> list[Edge]:
        """Return the references from and to the chunks, each once, in reading order."""
        wanted = list(dict.fromkeys(chunk_ids))
        rows = {row for end in ("source", "target") for row in self._in(_EDGES % end, wanted)}
        places = sorted(rows, key=lambda row: (*row[3:5], row[2] == "mention", *row[5:], row))
        return [Edge(source, target, kind) for source, target, kind, *_ in places]

    def page_text(self, chunk_id: str, page: int) -> str:
        """Return the text of a page of a chunk's document, as its file has it; "" without one."""
        with faults(self._label):
            return next((unpacked_text(b) for (b,) in self._all(_PAGE_TEXT, [chunk_id, page])), "")

    def documents(self) -> tuple[DocumentOutline, ...]:
        """Return what every document holds, by path."""
        with self.snapshot(), faults(self._label):
            return outlines(self._all(OUTLINED), self._all(SECTIONS))

    def contents(self, doc_id: str) -> list[Chunk]:
        """Return every chunk of the document with this display name, in reading order."""
        return self.chunks([row[0] for row in self._all(_CONTENTS, [doc_id])])

    def chunk_digests(self) -> dict[str, str]:
        """Return every chunk's id and the digest of what its words are made from."""
        return dict(self._all(f"SELECT c.chunk_id, c.digest {_VISIBLE}"))

    def vector_digests(self) -> dict[str, str]:
        """Return every vector's id, `chunk id#window`, and the digest of the embedded text."""
        return dict(self._all(_VECTOR_DIGEST))

    def vectors(self, vector_ids: Sequence[str]) -> list[list[float]]:
        """Return vectors in the order of their ids; raises IndexDamagedError for a missing one."""
        chunk_ids = dict.fromkeys(name.rpartition("#")[0] for name in vector_ids)
        dimension = self._number("dimension")
        with faults(self._label):
            blobs = dict(self._in(_VECTOR + _OF_CHUNKS, list(chunk_ids)))
            if missing := [name for name in vector_ids if name not in blobs]:
                raise ValueError(f"{len(missing)} vectors are missing, such as {missing[0]}")
            return [unpacked(blobs[name], dimension) for name in vector_ids]

    def vector_count(self) -> int:
        """Return the number of vectors, which can be more than there are chunks."""
        return int(self._all(f"SELECT count(*) {_VECTORS}")[0][0])

    def matrix(self) -> "tuple[list[str], NDArray[np.float32]]":
        """Return the ids of all vectors, `chunk id#window`, and one row each."""
        with self.snapshot(), faults(self._label):
            rows = self._connection.execute(_VECTOR)
            return _matrix(rows, self.vector_count(), self._number("dimension"))

    def matrix_of(self, chunk_ids: Sequence[str]) -> "tuple[list[str], NDArray[np.float32]]":
        """Return the ids of all vectors of some chunks, and one row each."""
        with faults(self._label):
            rows = list(self._in(_VECTOR + _OF_CHUNKS, list(dict.fromkeys(chunk_ids))))
            return _matrix(rows, len(rows), self._number("dimension"))

    def damaged(self) -> dict[str, str]:
        """Return key and path of each document that is damaged; raises IndexDamagedError."""
        with self._lock:
            return damaged(self._connection, self._label)

    def sample(self) -> list[Chunk]:
        """Return a few chunks; raises IndexDamagedError where one is not what was written."""
        with self._lock:
            chunks, wrong = sampled(self._connection, self._label)
        for path in wrong.values():
            raise IndexDamagedError(
                f"What the index {self._label} holds of {path} is damaged.",
                hint=f"Read it again: {command(self._label)} {quote(path)}",
            )
        return chunks

    def pending(self) -> int:
        """Return how many documents were put but are not published."""
        return int(self._all("SELECT count(*) FROM documents WHERE generation IS NULL")[0][0])

    def files(self, paths: Collection[str] = ()) -> list[tuple[str, int, int]]:
        """Return path, size and time of change of each document's file, or of those at `paths`.

        Added texts have none.
        """
        sql = "SELECT path, size, mtime_ns FROM documents WHERE generation IS NOT NULL"
        if paths:
            sql += f" AND path IN ({', '.join('?' * len(paths))})"
        return [row for row in self._all(sql, list(paths)) if not added_id(row[0])]

    def exported(self) -> Iterator[tuple[DocumentRecord, list[IndexedChunk], tuple[str, ...]]]:
        """Yield each published document: its record, its chunks, the texts of its pages."""
        with self._lock, faults(self._label):
            records = kept_documents(self._connection)
        for record in (record for record in records if record.published):
            with faults(self._label):
                pages = unpacked_pages(self._all(_PAGES_OF, [record.key]))
                yield record, self._indexed(record.key), pages

    def _indexed(self, key: str) -> list[IndexedChunk]:
        """Return the chunks of a document as its writer was given them."""
        dimension, rows = self._number("dimension"), self._all(_CHUNKS_OF, [key])
        windows = self._grouped(key, "digest, vector", "vectors", "window")
        anchors, terms = (self._grouped(key, "name", of, "name") for of in ("anchors", "terms"))
        links = self._grouped(key, "target, kind", "links", "place")
        chunks = self.chunks([chunk_id for _, chunk_id, _ in rows])
        return [
            IndexedChunk(
                chunk,
                digest,
                tuple(Window(of, unpacked(blob, dimension)) for of, blob in windows[row]),
                ChunkLinks(
                    anchors=tuple(name for (name,) in anchors[row]),
                    links=tuple(Link(target, kind) for target, kind in links[row]),
                    terms=tuple(name for (name,) in terms[row]),
                ),
            )
            for chunk, (row, _, digest) in zip(chunks, rows, strict=True)
        ]

    def _grouped(self, key: str, columns: str, table: str, order: str) -> defaultdict[int, Any]:
        """Return rows below the chunks of a document, by the number of their chunk."""
        found = defaultdict[int, Any](list)
        for chunk, *row in self._all(_BELOW % (columns, table, order), [key]):
            found[chunk].append(row)
        return found

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one and the same generation inside, whatever a writer publishes meanwhile."""
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._all("BEGIN")
            try:
                yield
            finally:
                self._all("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _check_published(self) -> None:
        if not self.generation():
            raise unfinished(self._label)

    def _number(self, key: str) -> int:
        """Return a number of the header; 0 where it is not there."""
        rows = self._all("SELECT value FROM meta WHERE key = ?", [key])
        with faults(self._label):
            return int(rows[0][0]) if rows else 0

    def _all(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        given = [storable(value) if isinstance(value, str) else value for value in values]
        with self._lock, faults(self._label):
            return self._connection.execute(sql, given).fetchall()

    def _in(self, sql: str, values: Sequence[str]) -> Iterator[Any]:
        for start in range(0, len(values), _STEP):
            part = values[start : start + _STEP]
            yield from self._all(sql % ",".join("?" * len(part)), part)


def _matrix(
    rows: Iterable[tuple[str, bytes]], count: int, dimension: int
) -> "tuple[list[str], NDArray[np.float32]]":
    import numpy as np

    names: list[str] = []
    matrix = np.empty((count, dimension), dtype=np.float32)
    for number, (name, blob) in enumerate(rows):
        if len(blob) != dimension * matrix.itemsize:
            raise ValueError(f"a vector of {len(blob)} bytes among those of {dimension} numbers")
        names.append(name)
        matrix[number] = np.frombuffer(blob, dtype="<f4")
    return names, matrix


def _chunk(row: Sequence[Any]) -> Chunk:
    fields = dict(zip(_FIELDS, row, strict=True))
    fields |= {
        "section": tuple(json.loads(fields["section"])),
        "source": shown_path(fields["source"]),
    }
    return Chunk(**fields)
