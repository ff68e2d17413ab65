"""Reading a shared index: one generation of it, whatever is published meanwhile."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research_agent.index.adapters.shared import generations
from research_agent.index.adapters.shared.storage import Storage, faults
from research_agent.index.adapters.shared.tables import (
    VECTORS,
    Exported,
    chunk_of,
    indexed_chunk,
    outline_in,
    record_of,
)
from research_agent.index.messages import check_model
from research_agent.index.packing import unpacked_pages, unpacked_text
from research_agent.types import Chunk
from research_agent.types.records import (
    DocumentOutline,
    IndexHeader,
    KeptDocument,
    Window,
)
from research_agent.types.references import Edge

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from lancedb.table import LanceTable
    from numpy.typing import NDArray

Row = Mapping[str, Any]
NAMED = ["chunk_id", "window", "vector"]
_ALL = 2**31 - 1  # rows
_STEP = 500  # names in one filter
_CHUNKS = 5000  # read at a time


class SharedReader:
    """One generation of a shared index; implements ChunkStore. Threads may share it."""

    def __init__(self, storage: Storage, generation: generations.Generation | None = None) -> None:
        """Open `generation`, or the last one; raises IndexingError."""
        self.storage = storage
        self.state = generation or generations.published(storage)
        self._tables: dict[str, LanceTable] = {}

    def table(self, name: str) -> "LanceTable":
        """Return a table at this generation."""
        if name not in self._tables:
            full = generations.table_name(name, self.state.edition)
            self._tables[name] = self.storage.table(full, self.state.versions[name])
        return self._tables[name]

    def rows(
        self, name: str, where: str = "", columns: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return rows of a table; raises IndexDamagedError where its files are gone."""
        return self.arrow(name, where, columns).to_pylist()  # type: ignore[no-any-return]

    def arrow(self, name: str, where: str = "", columns: Sequence[str] | None = None) -> "pa.Table":
        """Return rows of a table as they are kept."""
        with faults(self.storage.label):
            return found(self.table(name), where, columns)

    def header(self) -> IndexHeader:
        """Return what the index is made with and how much it holds."""
        return self.state.header

    def check(self, model: str) -> IndexHeader:
        """Return the header; raises IndexMismatchError where vectors of `model` do not fit."""
        check_model(self.state.model, model, self.storage.label)
        return self.state.header

    def is_current(self) -> bool:
        """Return whether nothing was published since it was opened."""
        names = self.storage.names("generations/")
        return bool(names) and int(Path(names[-1]).stem) == self.state.number

    @cached_property
    def _documents(self) -> dict[str, dict[str, Any]]:
        rows = sorted(self.rows("documents"), key=lambda row: str(row["path"]))
        return {row["version"]: row for row in rows}

    def kept(self) -> list[KeptDocument]:
        """Return every document by path, also those that could not be read."""
        rows = self._documents.values()
        return [KeptDocument(record_of(row, published=True), outline_in(row).kinds) for row in rows]

    def documents(self) -> tuple[DocumentOutline, ...]:
        """Return what every document holds, by path."""
        rows = (row for row in self._documents.values() if row["status"] == "indexed")
        return tuple(outline_in(row) for row in rows)

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks in the order of `chunk_ids`; unknown ids are left out."""
        known = {chunk.chunk_id: chunk for chunk in self._chunks("chunk_id", chunk_ids)}
        return [known[chunk_id] for chunk_id in chunk_ids if chunk_id in known]

    def _chunks(self, column: str, values: Iterable[str], more: str = "") -> list[Chunk]:
        named = ("version", "chunk_id", "text", "place", "section", "kind")
        columns = [*named, "start_page", "end_page", "start_label", "end_label"]
        rows = [
            row
            for where in filters(column, values)
            for row in self.rows("chunks", f"{where}{more}", columns)
        ]
        known = [chunk_of(row, self._documents[row["version"]]) for row in rows]
        return sorted(known, key=lambda chunk: chunk.order)

    def around(self, chunk_id: str, *, window: int) -> list[Chunk]:
        """Return the chunks up to `window` places before and after, in reading order."""
        where = f"chunk_id = {quoted(chunk_id)}"
        for row in self.rows("chunks", where, ["version", "place"]):
            at = row["place"]
            more = f" AND place BETWEEN {at - window} AND {at + window}"
            near = self._chunks("version", [row["version"]], more)
            return [chunk for chunk in near if chunk.chunk_id != chunk_id]
        return []

    def edges(self, chunk_ids: Sequence[str]) -> list[Edge]:
        """Return the references from and to any of the chunks, each once, in reading order."""
        rows = {
            (row["place"], row["source"], row["target"], row["kind"])
            for end in ("source", "target")
            for where in filters(end, chunk_ids)
            for row in self.rows("edges", where)
        }
        return [Edge(source, target, kind) for _, source, target, kind in sorted(rows)]

    def page_text(self, chunk_id: str, page: int) -> str:
        """Return the text of a page of a chunk's document, as its file has it; "" without one."""
        where = f"chunk_id = {quoted(chunk_id)}"
        for row in self.rows("chunks", where, ["version"]):
            at = f"version = {quoted(row['version'])} AND page = {page}"
            return next((unpacked_text(row["text"]) for row in self.rows("pages", at)), "")
        return ""

    def contents(self, doc_id: str) -> list[Chunk]:
        """Return every chunk of the document with this display name, in reading order."""
        versions = [v for v, row in self._documents.items() if row["doc_id"] == doc_id]
        chunks = self._chunks("version", versions)
        return sorted(chunks, key=lambda one: one.start_page) if versions[1:] else chunks

    def chunk_ids(self) -> tuple[str, ...]:
        """Return the ids of all chunks, in order."""
        return tuple(sorted(self.arrow("chunks", columns=["chunk_id"])["chunk_id"].to_pylist()))

    def matrix(self, where: str = "") -> "tuple[list[str], NDArray[np.float32]]":
        """Return the ids of vectors, `chunk id#window`, and one row each."""
        import numpy as np

        if not self.state.dimension:
            return [], np.empty((0, 0), dtype=np.float32)
        return as_matrix(self.arrow(VECTORS, where, NAMED), self.state.dimension)

    def exported(self, *, vectors: bool = True) -> Iterator[Exported]:
        """Yield every document with all that an index keeps of it, by path."""
        for group in _groups(self._documents.values()):
            where = f"version IN ({', '.join(quoted(row['version']) for row in group)})"
            chunks = _by_version(self.rows("chunks", where))
            pages = _by_version([])
            windows: defaultdict[str, list[Row]] = defaultdict(list)
            if vectors:
                pages = _by_version(self.rows("pages", where))
                for window in self.rows(VECTORS, where) if self.state.dimension else ():
                    windows[window["chunk_id"]].append(window)
            for row in group:
                version = row["version"]
                kept = sorted(chunks[version], key=lambda chunk: int(chunk["place"]))
                yield (
                    record_of(row, published=True),
                    [indexed_chunk(c, row, _windows(windows[c["chunk_id"]])) for c in kept],
                    unpacked_pages((page["page"], page["text"]) for page in pages[version]),
                )


def found(table: "LanceTable", where: str, columns: Sequence[str] | None) -> "pa.Table":
    """Return the rows of a table that a filter lets through."""
    query = table.search().limit(_ALL)
    query = query.where(where) if where else query
    return (query.select(list(columns)) if columns else query).to_arrow()


def known_vectors(
    storage: Storage, edition: int, digests: Collection[str], table: "LanceTable | None" = None
) -> dict[str, list[float]]:
    """Return the vectors of an edition, published or not, by the digest of the embedded text."""
    name = generations.table_name(VECTORS, edition)
    with faults(storage.label):
        if table is None and storage.names(f"{name}.lance/_versions/"):
            table = storage.table(name)
        if table is None:
            return {}
        wheres = filters("digest", digests)
        return by_digest([found(table, where, ["digest", "vector"]) for where in wheres], digests)


def by_digest(tables: "Iterable[pa.Table]", digests: Collection[str]) -> dict[str, list[float]]:
    """Return the vectors in rows that have one of some digests."""
    wanted = set(digests)
    pairs = (zip(t["digest"].to_pylist(), t["vector"].to_pylist(), strict=True) for t in tables)
    return {digest: vector for of in pairs for digest, vector in of if digest in wanted}


def quoted(text: str) -> str:
    """Return a text as filters take it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def filters(column: str, values: Iterable[str]) -> Iterator[str]:
    """Yield filters for a column that has one of some values, a few hundred of them at a time."""
    wanted = list(dict.fromkeys(values))
    for start in range(0, len(wanted), _STEP):
        yield f"{column} IN ({', '.join(map(quoted, wanted[start : start + _STEP]))})"


def as_matrix(table: "pa.Table", dimension: int) -> "tuple[list[str], NDArray[np.float32]]":
    """Return the ids of vectors and one row each, of a table with the columns `NAMED`."""
    import numpy as np

    numbers = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    pairs = zip(table["chunk_id"].to_pylist(), table["window"].to_pylist(), strict=True)
    names = [f"{chunk_id}#{window}" for chunk_id, window in pairs]
    return names, np.array(numbers, dtype=np.float32).reshape(len(names), dimension)


def _by_version(rows: Iterable[dict[str, Any]]) -> defaultdict[str, list[dict[str, Any]]]:
    grouped: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        grouped[row["version"]].append(row)
    return grouped


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group, chunks = list[Row](), 0
    for row in rows:
        group.append(row)
        chunks += row["chunks"]
        if chunks >= _CHUNKS or len(group) >= _STEP:
            yield group
            group, chunks = [], 0
    if group:
        yield group


def _windows(rows: Iterable[Row]) -> list[Window]:
    return [Window(row["digest"], row["vector"]) for row in sorted(rows, key=lambda r: r["window"])]
