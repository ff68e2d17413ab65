"""All that an index holds and finds, to be compared with that of an undisturbed run."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from research_agent.assembly.index import OpenIndex, open_index
from research_agent.errors import IndexMissingError
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.types import ScoredId
from tests.fakes import WordEmbedder, embedding
from tests.torture.child import settings

_DOCUMENTS = """SELECT key, path, doc_id, digest, size, mtime_ns, recipe, title, date, pages,
    status, reason, unresolved, generation IS NULL FROM documents ORDER BY path"""
_CHUNKS = """SELECT path, chunk_id, position, text, start_page, end_page, start_label, end_label,
    section, kind, c.digest FROM chunks c JOIN documents d ON d.id = c.document
    ORDER BY path, position, c.id"""
_VECTORS = """SELECT path, chunk_id, window, v.digest, vector FROM vectors v
    JOIN chunks c ON c.id = v.chunk JOIN documents d ON d.id = c.document
    ORDER BY path, position, window"""
_SAID = """SELECT path, position, %s FROM %s x JOIN chunks c ON c.id = x.chunk
    JOIN documents d ON d.id = c.document ORDER BY path, position, 3"""
_WRITTEN = {"anchors": "name", "links": "place, target, x.kind", "terms": "name"}
_EDGES = """SELECT d.path, s.position, f.path, t.position, e.kind, e.place FROM edges e
    JOIN chunks s ON s.id = e.source JOIN documents d ON d.id = s.document
    JOIN chunks t ON t.id = e.target JOIN documents f ON f.id = t.document ORDER BY 1, 2, 3, 4, 5"""
QUERIES = ("tide gauges stand in water", "quite new bread", "quite new hash", "A new beginning.")
_NEAR = 0.5
"""Chroma's graph may order what has nothing in common with a question either way."""


def content(location: Path) -> dict[str, list[Any]]:
    """Return every row of the ledger that does not depend on how often it was written."""
    ledger = locate(str(location)).current().ledger
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        assert [] == connection.execute("PRAGMA foreign_key_check").fetchall()
        return {
            "documents": connection.execute(_DOCUMENTS).fetchall(),
            "chunks": connection.execute(_CHUNKS).fetchall(),
            "vectors": connection.execute(_VECTORS).fetchall(),
            "edges": connection.execute(_EDGES).fetchall(),
            **{
                table: connection.execute(_SAID % (what, table)).fetchall()
                for table, what in _WRITTEN.items()
            },
        }


def glimpse(location: Path, *, chroma: bool) -> dict[str, list[tuple[str, float]]]:
    """Return what a few queries find while others may write; each is one look."""
    with open_index(str(location), settings(chroma=chroma), embedder=WordEmbedder()) as index:
        found = {f"words {q}": pairs(index.lexical.search(q, k=99)) for q in QUERIES}
        for query in QUERIES:
            hits = index.vectors.search(embedding(query), k=8)
            found[f"dense {query}"] = pairs([hit for hit in hits if hit.value > _NEAR])
        return found


def searches(location: Path, *, chroma: bool) -> dict[str, Any] | None:
    """Return what every vector and every chunk's words find; None where there is no index."""
    try:
        index = open_index(str(location), settings(chroma=chroma), embedder=WordEmbedder())
    except IndexMissingError:
        return None
    assert isinstance(index, OpenIndex)
    with index:
        assert () == index.warnings
        with LedgerReader(locate(str(location)).current().ledger, "it") as ledger:
            vectors = dict(zip(*ledger.matrix(), strict=True))
        found: dict[str, Any] = {}
        for name, vector in vectors.items():
            dense = index.vectors.search(vector.tolist(), k=8)
            assert dense[0].value > 1 - 1e-6, f"{name} is not found by its own vector"
            found[name] = pairs([hit for hit in dense if hit.value > _NEAR])
        return found | words(index, sorted({name.partition("#")[0] for name in vectors}))


def words(index: OpenIndex, chunk_ids: Sequence[str]) -> dict[str, Any]:
    """Return every chunk and what its words find."""
    chunks = index.chunks.chunks(chunk_ids)
    return {c.chunk_id: (c, pairs(index.lexical.search(c.text, k=8))) for c in chunks}


def pairs(hits: Sequence[ScoredId]) -> list[tuple[str, float]]:
    """Return hits as pairs."""
    return [(hit.chunk_id, round(hit.value, 9)) for hit in hits]
