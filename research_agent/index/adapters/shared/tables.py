"""The tables of a shared index, and documents as rows of them.

Every row below a document has its `version`: a name given once, when the document was put.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

import pyarrow as pa

from research_agent.index.outlines import outline_of, quality_of, top_sections, unresolved_of
from research_agent.index.packing import packed_text, storable
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.text.paths import shown_path
from research_agent.text.words import index_words
from research_agent.types import Chunk, chunk_header
from research_agent.types.records import DocumentOutline, DocumentRecord, IndexedChunk, Window
from research_agent.types.references import ChunkLinks, Edge, Link, Unresolved

FORMAT = 1  # of the tables and of what is written into them
_TEXT, _WHOLE = pa.string(), pa.int64()
_FILE = {"key": _TEXT, "path": _TEXT, "digest": _TEXT, "size": _WHOLE, "mtime_ns": _WHOLE}
_ABOUT = {"recipe": _TEXT, "doc_id": _TEXT, "title": _TEXT, "date": _TEXT, "pages": _WHOLE}
_STATE = {"status": _TEXT, "reason": _TEXT, "chunks": _WHOLE, "quality": _TEXT, "unresolved": _TEXT}
_PAGES = {"start_page": _WHOLE, "end_page": _WHOLE, "start_label": _TEXT, "end_label": _TEXT}
SCHEMAS: Mapping[str, pa.Schema] = {
    "documents": pa.schema(
        {"version": _TEXT, "session": _WHOLE, **_FILE, **_ABOUT, **_STATE, "outline": _TEXT}
    ),
    "chunks": pa.schema(
        {
            "chunk_id": _TEXT,
            "version": _TEXT,
            "place": _WHOLE,
            "text": _TEXT,
            **_PAGES,
            "section": _TEXT,
            "kind": _TEXT,
            "digest": _TEXT,
            "links": _TEXT,
            "all_words": _TEXT,
            "text_words": _TEXT,
        }
    ),
    "pages": pa.schema({"version": _TEXT, "page": _WHOLE, "text": pa.binary()}),
    "edges": pa.schema({"source": _TEXT, "target": _TEXT, "kind": _TEXT, "place": _WHOLE}),
}
VECTORS = "vectors"
LINKING = 1  # version of how edges are made: an index with those of another one makes them anew
BELOW = ("chunks", VECTORS, "pages")  # tables whose rows belong to a version of a document


def vectors_schema(dimension: int) -> pa.Schema:
    """Return the schema of the table of vectors, which are rounded to 32 bits."""
    vector = pa.list_(pa.float32(), dimension)
    owner = {"chunk_id": _TEXT, "window": _WHOLE, "version": _TEXT, "digest": _TEXT}
    return pa.schema({**owner, "vector": vector})


Exported = tuple[DocumentRecord, list[IndexedChunk], tuple[str, ...]]
"""A document, its chunks in reading order, the texts of its pages."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What was made from all documents together."""

    edges: Sequence[Edge]  # in reading order
    unresolved: Mapping[str, Unresolved]
    """References that lead nowhere, by the key of their document."""


Linker = Callable[[Iterable[Exported]], Linked]
"""Makes the edges of all documents; they come without vectors and pages."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A document as rows of the tables, to be sent between processes as it is."""

    document: Mapping[str, Any]
    below: Mapping[str, pa.Table]  # by the name of the table; a table without rows is left out


def rows_of(
    record: DocumentRecord, chunks: Sequence[IndexedChunk], page_texts: Sequence[str] = ()
) -> Rows:
    """Return the rows of one version of a document, under a new name."""
    version = uuid4().hex[:20]
    kinds = Counter(item.chunk.kind for item in chunks)
    searched = [item.chunk.section for item in chunks if item.chunk.kind not in BOILERPLATE]
    row = _clean(asdict(record)) | {
        "version": version,
        "chunks": len(chunks),
        "quality": json.dumps(asdict(record.quality)) if record.quality else "",
        "unresolved": json.dumps(asdict(record.unresolved)),
        "outline": json.dumps({"kinds": kinds, "sections": top_sections(searched)}),
    }
    pages = [
        {"version": version, "page": page, "text": packed_text(text)}
        for page, text in enumerate(page_texts, start=1)
        if text
    ]
    below = {
        "chunks": pa.Table.from_pylist([_chunk_row(x, version) for x in chunks], SCHEMAS["chunks"]),
        VECTORS: _vectors(chunks, version),
        "pages": pa.Table.from_pylist(pages, SCHEMAS["pages"]),
    }
    return Rows(row, {name: table for name, table in below.items() if table.num_rows})


def documents_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return rows of documents as a table."""
    return pa.Table.from_pylist([dict(row) for row in rows], SCHEMAS["documents"])


def record_of(row: Mapping[str, Any], *, published: bool) -> DocumentRecord:
    """Return what a row says about its document."""
    fields = {name: row[name] for name in (*_FILE, *_ABOUT, "status", "reason", "chunks")}
    fields |= {
        "quality": quality_of(row["quality"]),
        "unresolved": unresolved_of(row["unresolved"]),
    }
    return DocumentRecord(**fields, published=published)


def outline_in(row: Mapping[str, Any]) -> DocumentOutline:
    """Return the outline of a row's document; boilerplate is not counted: nobody finds it."""
    kept = json.loads(row["outline"])
    kinds = {kind: count for kind, count in kept["kinds"].items() if kind not in BOILERPLATE}
    return outline_of(row, kinds, kept["sections"])


def chunk_of(row: Mapping[str, Any], document: Mapping[str, Any]) -> Chunk:
    """Return the chunk in a row, with what the row of its document says."""
    return Chunk(
        chunk_id=row["chunk_id"],
        doc_id=document["doc_id"],
        text=row["text"],
        section=tuple(json.loads(row["section"])),
        kind=row["kind"],
        title=document["title"],
        date=document["date"],
        source=shown_path(document["path"]),
        order=row["place"],
        **{name: row[name] for name in _PAGES},
    )


def indexed_chunk(
    row: Mapping[str, Any], document: Mapping[str, Any], windows: Sequence[Window]
) -> IndexedChunk:
    """Return what `rows_of` was given for a chunk."""
    kept = json.loads(row["links"])
    links = ChunkLinks(
        anchors=tuple(kept["anchors"]),
        links=tuple(Link(target, kind) for target, kind in kept["links"]),
        terms=tuple(kept["terms"]),
    )
    return IndexedChunk(chunk_of(row, document), row["digest"], tuple(windows), links)


def _chunk_row(item: IndexedChunk, version: str) -> dict[str, Any]:
    """Return a chunk's row; boilerplate is kept without words, so it is never found."""
    chunk, links = item.chunk, item.links
    found = ("", "") if chunk.kind in BOILERPLATE else (chunk_header(chunk), chunk.text)
    header, text = (" ".join(index_words(part)) for part in found)
    kept = {
        "anchors": links.anchors,
        "links": [(link.target, link.kind) for link in links.links],
        "terms": links.terms,
    }
    return _clean(
        {
            **{name: getattr(chunk, name) for name in ("chunk_id", "text", "kind", *_PAGES)},
            "version": version,
            "place": chunk.order,
            "section": json.dumps([storable(heading) for heading in chunk.section]),
            "digest": item.digest,
            "links": json.dumps(kept),
            "all_words": f"{header} {text}",
            "text_words": text,
        }
    )


def _vectors(chunks: Sequence[IndexedChunk], version: str) -> pa.Table:
    windows = [
        (item.chunk.chunk_id, number, window)
        for item in chunks
        for number, window in enumerate(item.windows)
    ]
    schema = vectors_schema(len(windows[0][2].vector) if windows else 0)
    columns = {
        "chunk_id": [name for name, _, _ in windows],
        "window": [number for _, number, _ in windows],
        "version": [version] * len(windows),
        "digest": [window.digest for _, _, window in windows],
        "vector": [window.vector for _, _, window in windows],
    }
    return pa.table(columns, schema=schema)


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: storable(v) if isinstance(v, str) else v for name, v in row.items()}
