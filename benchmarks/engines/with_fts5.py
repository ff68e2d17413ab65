"""SQLite's FTS5 with the table of the product's adapter, but for stemming: the words are stems.

Run as `python -m benchmarks.engines.with_fts5 TASK FIGURES`.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.engines.measuring import Query, Row, main

_TABLES = """
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE entries (id INTEGER PRIMARY KEY, chunk_id TEXT UNIQUE NOT NULL, digest TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    text, tokenize = "unicode61 tokenchars '-._/+#' categories 'L* M* N* Co'"
);
"""
_SEARCH = """SELECT chunk_id, -bm25(words) AS value FROM words JOIN entries ON id = words.rowid
    WHERE words MATCH ? ORDER BY value DESC, chunk_id LIMIT ?"""


class Fts5:
    """One row a chunk, and a table of chunk ids beside it."""

    def __init__(self, folder: Path) -> None:
        """Open the file in `folder`, made where there is none."""
        self._connection = sqlite3.connect(folder / "words.sqlite3", isolation_level=None)
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def build(self, rows: Callable[[], Iterable[Row]]) -> None:
        """Insert everything in one transaction, as the adapter does."""
        self._connection.executescript(_TABLES)
        self._add(rows())
        self._connection.execute("COMMIT")

    def search(self, query: Query, k: int) -> Sequence[tuple[str, float]]:
        """Return the best chunks; ties by id."""
        wanted = " OR ".join(f'"{word}"' for word in query.words)
        return self._connection.execute(_SEARCH, (wanted, k)).fetchall()

    def replace(self, gone: Sequence[str], rows: Sequence[Row]) -> None:
        """Delete and insert in one transaction."""
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        for chunk_id in gone:
            row = run("SELECT id FROM entries WHERE chunk_id = ?", [chunk_id]).fetchone()
            run("DELETE FROM words WHERE rowid = ?", row)
            run("DELETE FROM entries WHERE id = ?", row)
        self._add(rows)
        run("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _add(self, rows: Iterable[Row]) -> None:
        run = self._connection.execute
        for row in rows:
            number = run("INSERT INTO entries VALUES (NULL, ?, '')", [row.chunk_id]).lastrowid
            run("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, row.words))


if __name__ == "__main__":
    main(Fts5)
