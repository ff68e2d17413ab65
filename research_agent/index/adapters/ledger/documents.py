"""The documents of a ledger, as they were when their files were last read."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from research_agent.errors import IndexMissingError
from research_agent.index.adapters.ledger.checking import damaged
from research_agent.index.adapters.ledger.schema import connect, faults
from research_agent.index.messages import check_model
from research_agent.index.outlines import outline_of, quality_of, top_sections, unresolved_of
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.types import ChunkKind
from research_agent.types.records import DocumentOutline, DocumentRecord, KeptDocument

_DOCUMENTS = """SELECT d.id, key, path, digest, size, mtime_ns, recipe, doc_id, title, date, pages,
    status, reason, (SELECT count(*) FROM chunks WHERE document = d.id), generation IS NOT NULL,
    quality, unresolved
    FROM documents d WHERE generation IS NULL OR NOT EXISTS
    (SELECT 1 FROM documents w WHERE w.key = d.key AND w.generation IS NULL) ORDER BY path"""
COLUMNS = (
    "key", "path", "digest", "size", "mtime_ns", "recipe", "doc_id", "title", "date", "pages",
    "status", "reason",
)  # fmt: skip
_KINDS = "SELECT document, kind, count(*) FROM chunks GROUP BY document, kind ORDER BY kind"


def kept_documents(
    connection: sqlite3.Connection, doubtful: Collection[str] = ()
) -> list[DocumentRecord]:
    """Return the newest version of every document by path; a `doubtful` one has no digest."""
    found = map(_record, connection.execute(_DOCUMENTS))
    return [replace(r, digest="", size=-1) if r.key in doubtful else r for r in found]


def known_documents(path: Path, label: str, *, model: str) -> list[DocumentRecord]:
    """Return the documents of the ledger at `path`, none if it is missing; raises IndexingError."""
    try:
        connection = connect(path, label, writable=False)
    except IndexMissingError:
        return []
    with closing(connection), faults(label):
        kept = connection.execute("SELECT value FROM meta WHERE key = 'model'").fetchone()
        check_model(kept[0] if kept else model, model, label)
        return kept_documents(connection, damaged(connection, label))


def indexed_paths(path: Path) -> set[str]:
    """Return the paths of a ledger's documents, of any version; none where it cannot be read."""
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            rows = connection.execute("SELECT path FROM documents WHERE status = 'indexed'")
            return {name for (name,) in rows}
    except sqlite3.Error:
        return set()


def all_documents(path: Path, label: str) -> list[KeptDocument]:
    """Return the documents of a ledger, each with the kinds of its chunks; raises IndexingError."""
    with closing(connect(path, label, writable=False)) as connection, faults(label):
        kinds: dict[int, dict[ChunkKind, int]] = {}
        for document, kind, count in connection.execute(_KINDS):
            kinds.setdefault(document, {})[kind] = count
        return [
            KeptDocument(_record(row), kinds.get(row[0], {}))
            for row in connection.execute(_DOCUMENTS)
        ]


def _record(row: Sequence[Any]) -> DocumentRecord:
    fields = dict(zip(COLUMNS, row[1:], strict=False))
    chunks, published, quality, unresolved = row[len(COLUMNS) + 1 :]
    return DocumentRecord(
        **fields,
        chunks=chunks,
        published=bool(published),
        quality=quality_of(quality),
        unresolved=unresolved_of(unresolved),
    )


OUTLINED = """SELECT id, doc_id, path, title, date, pages, quality FROM documents
    WHERE generation IS NOT NULL AND status = 'indexed' ORDER BY path"""
SECTIONS = """SELECT c.document, c.kind, c.section, count(*) FROM chunks c
    JOIN documents d ON d.id = c.document AND d.generation IS NOT NULL
    GROUP BY c.document, c.kind, c.section ORDER BY c.document, min(c.position)"""


def outlines(
    documents: Iterable[Sequence[Any]], sections: Iterable[Sequence[Any]]
) -> tuple[DocumentOutline, ...]:
    """Return an outline for each row of OUTLINED, from the rows of SECTIONS.

    Boilerplate is not counted: nobody finds it. Raises ValueError for what is no row of ours.
    """
    kinds: defaultdict[int, Counter[Any]] = defaultdict(Counter)
    headings: defaultdict[int, list[tuple[str, ...]]] = defaultdict(list)
    for document, kind, section, count in sections:
        if kind not in BOILERPLATE:
            kinds[document][kind] += count
            headings[document].append(tuple(json.loads(section)))
    names = ("doc_id", "path", "title", "date", "pages", "quality")
    rows = ((number, dict(zip(names, row, strict=True))) for number, *row in documents)
    return tuple(
        outline_of(row, dict(kinds[number]), top_sections(headings[number])) for number, row in rows
    )
