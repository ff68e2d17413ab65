"""Vectors of texts that were embedded before, for any index: an SQLite file in the user's cache.

What is in it can always be computed again, so nothing that happens to the file is an error: where
it cannot be used there are no vectors in it.
"""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from research_agent.index.packing import packed, unpacked
from research_agent.sqlite_cache import SqliteCache

FILE_NAME = "embeddings.sqlite3"
MAX_BYTES = 1_000_000_000
"""Room for some 550,000 vectors of 384 numbers; those not used for longest make way."""
_STEP = 500  # values bound to one statement
_PUT = """INSERT INTO vectors (model, digest, day, vector) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET day = excluded.day, vector = excluded.vector"""


class EmbeddingCache(SqliteCache):
    """Vectors by model and digest of the text."""

    BUSY_SECONDS = 5.0
    VERSION = 2
    PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL")
    TABLE = """
DROP TABLE IF EXISTS vectors;
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, model TEXT NOT NULL, digest TEXT NOT NULL, day INTEGER NOT NULL,
    vector BLOB NOT NULL, UNIQUE (model, digest)
);
CREATE INDEX by_day ON vectors (day);
"""
    LEAST_USED = """DELETE FROM vectors WHERE id IN (
    SELECT id FROM vectors ORDER BY day, id LIMIT 1 + (SELECT count(*) FROM vectors) / 20
)"""

    def __init__(self, folder: Path) -> None:
        """Use the file in `folder`, made where there is none."""
        super().__init__(folder / FILE_NAME, max_bytes=MAX_BYTES)

    def get(self, model: str, digests: Collection[str]) -> dict[str, list[float]]:
        """Return the vectors that are known, by the digest of the text."""
        found: dict[str, list[float]] = {}
        wanted, today = list(dict.fromkeys(digests)), _today()
        with suppress(OSError, ValueError), self._connection() as connection:
            for start in range(0, len(wanted), _STEP):
                part = wanted[start : start + _STEP]
                where = f"model = ? AND digest IN ({','.join('?' * len(part))})"
                sql = f"SELECT digest, vector FROM vectors WHERE {where}"  # noqa: S608 (question marks)
                rows = connection.execute(sql, [model, *part]).fetchall()
                found.update((digest, unpacked(blob, len(blob) // 4)) for digest, blob in rows)
                sql = f"UPDATE vectors SET day = ? WHERE day < ? AND {where}"  # noqa: S608 (as above)
                connection.execute(sql, [today, today, model, *part])
        return found

    def put(self, model: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep vectors by the digest of their text; what is there already is replaced."""
        today = _today()
        rows = [(model, digest, today, packed(vector)) for digest, vector in vectors.items()]
        size = sum(len(blob) for *_, blob in rows)
        with suppress(OSError), self._writing(size) as connection:
            connection.executemany(_PUT, rows)

    def _forget(self, connection: sqlite3.Connection) -> None:
        """Do nothing: a vector is never too old."""


def _today() -> int:
    return datetime.now(UTC).date().toordinal()
