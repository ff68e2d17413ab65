"""Whether a ledger still holds what was written: SQLite's own check, and the digests of chunks."""

import json
import random
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from research_agent.index.adapters.ledger.schema import faults
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.types import Chunk, chunk_header
from research_agent.types.records import text_digest

SAMPLED = 4  # chunks that are compared when an index is opened
_CHUNKS = """SELECT c.chunk_id, c.text, c.section, c.kind, c.digest, d.title, d.key, d.path
    FROM chunks c JOIN documents d ON d.id = c.document"""
_ANY = " WHERE c.id = (SELECT min(id) FROM chunks WHERE id >= ?) AND d.generation IS NOT NULL"


def damaged(connection: sqlite3.Connection, label: str) -> dict[str, str]:
    """Return key and path of each document with a chunk that is not what was written.

    Raises IndexDamagedError where SQLite's own check fails.
    """
    with faults(label):
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
        if found != ["ok"]:
            raise ValueError("; ".join(found))
        return _damaged(connection.execute(_CHUNKS))


def sampled(connection: sqlite3.Connection, label: str) -> tuple[list[Chunk], dict[str, str]]:
    """Return a few chunks that readers see, and what `damaged` would return of them."""
    with faults(label):
        last = connection.execute("SELECT max(id) FROM chunks").fetchone()[0] or 0
        places = random.sample(range(1, last + 1), min(SAMPLED, last))
        rows = [row for at in places for row in connection.execute(_CHUNKS + _ANY, [at])]
        return [_chunk(row) for row in rows], _damaged(rows)


def _damaged(rows: Iterable[Sequence[Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        chunk, digest, key, path = _chunk(row), row[4], row[6], row[7]
        embedded = "" if chunk.kind in BOILERPLATE else f"{chunk_header(chunk)}\n{chunk.text}"
        if text_digest(embedded) != digest:
            found[key] = path
    return found


def _chunk(row: Sequence[Any]) -> Chunk:
    chunk_id, text, section, kind, _, title, *_ = row
    return Chunk(chunk_id, "", text, title=title, section=tuple(json.loads(section)), kind=kind)
