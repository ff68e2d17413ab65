"""The documents of a ledger, as they were when their files were last read."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from research_agent.adapters.ledger.schema import check_model, connect, faults
from research_agent.core.records import DocumentRecord
from research_agent.errors import IndexMissingError

_DOCUMENTS = """SELECT key, path, digest, size, mtime_ns, recipe, doc_id, title, date, pages,
    status, reason, (SELECT count(*) FROM chunks WHERE document = d.id), generation IS NOT NULL
    FROM documents d WHERE generation IS NULL OR NOT EXISTS
    (SELECT 1 FROM documents w WHERE w.key = d.key AND w.generation IS NULL) ORDER BY path"""


def kept_documents(connection: sqlite3.Connection) -> list[DocumentRecord]:
    """Return the newest version of every document, published or not, by path."""
    return [_record(row) for row in connection.execute(_DOCUMENTS)]


def known_documents(path: Path, label: str, *, model: str) -> list[DocumentRecord]:
    """Return the documents of the ledger at `path`, none where there is no ledger yet.

    Raises IndexMismatchError where it holds vectors of another model, IndexDamagedError.
    """
    try:
        connection = connect(path, label, writable=False)
    except IndexMissingError:
        return []
    with closing(connection), faults(label):
        kept = connection.execute("SELECT value FROM meta WHERE key = 'model'").fetchone()
        check_model(kept[0] if kept else model, model, label)
        return kept_documents(connection)


def _record(row: Sequence[Any]) -> DocumentRecord:
    """Return the document in a row of _DOCUMENTS."""
    key, path, digest, size, mtime_ns, recipe, doc_id, title, date, *rest = row
    pages, status, reason, chunks, published = rest
    return DocumentRecord(
        key=key,
        path=path,
        digest=digest,
        size=size,
        mtime_ns=mtime_ns,
        recipe=recipe,
        doc_id=doc_id,
        title=title,
        date=date,
        pages=pages,
        status=status,
        reason=reason,
        chunks=chunks,
        published=bool(published),
    )
