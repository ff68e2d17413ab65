"""Vectors of texts that were embedded before, for any index: an SQLite file in the user's cache.

What is in it can always be computed again, so nothing that happens to the file is an error: a
damaged one is made anew, and where it cannot be used there are no vectors in it.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from research_agent.closeable import Closing
from research_agent.index.packing import packed, unpacked
from research_agent.private_files import touch

FILE_NAME = "embeddings.sqlite3"
MAX_BYTES = 1_000_000_000
"""Room for some 550,000 vectors of 384 numbers; those not used for longest make way."""
VERSION = 2  # of the table; a file of another one is made anew
_STEP = 500  # values bound to one statement
_TABLE = """
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, model TEXT NOT NULL, digest TEXT NOT NULL, day INTEGER NOT NULL,
    vector BLOB NOT NULL, UNIQUE (model, digest)
);
CREATE INDEX by_day ON vectors (day);
"""
_SIZE = """SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""
_OLDEST = """DELETE FROM vectors WHERE id IN (
    SELECT id FROM vectors ORDER BY day, id LIMIT (SELECT count(*) / 5 + 1 FROM vectors))"""
_PUT = """INSERT INTO vectors (model, digest, day, vector) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET day = excluded.day, vector = excluded.vector"""


class EmbeddingCache(Closing):
    """Vectors by model and digest of the text. For one thread; processes may share the file."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Open the file in `folder`, made where there is none; raises nothing."""
        self._path, self._max_bytes = folder / FILE_NAME, max_bytes
        self._connection: sqlite3.Connection | None = None
        for _ in range(2):
            with self._faults():
                folder.mkdir(parents=True, exist_ok=True)
                touch(self._path)  # (much of a text can be guessed from its vector)
                self._connection = sqlite3.connect(self._path, timeout=5, isolation_level=None)
                self._prepare(self._connection)
                return

    def get(self, model: str, digests: Collection[str]) -> dict[str, list[float]]:
        """Return the vectors that are known, by the digest of the text."""
        found: dict[str, list[float]] = {}
        wanted, today = list(dict.fromkeys(digests)), _today()
        with self._faults():
            for start in range(0, len(wanted), _STEP):
                part = wanted[start : start + _STEP]
                where = f"model = ? AND digest IN ({','.join('?' * len(part))})"
                sql = f"SELECT digest, vector FROM vectors WHERE {where}"  # noqa: S608 (question marks)
                rows = self._run(sql, [model, *part])
                found.update((digest, unpacked(blob, len(blob) // 4)) for digest, blob in rows)
                sql = f"UPDATE vectors SET day = ? WHERE day < ? AND {where}"  # noqa: S608 (as above)
                self._run(sql, [today, today, model, *part])
        return found

    def put(self, model: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Keep vectors by the digest of their text; what is there already is replaced."""
        today = _today()
        rows = [(model, digest, today, packed(vector)) for digest, vector in vectors.items()]
        with self._faults():
            if self._connection:
                self._run("BEGIN IMMEDIATE")
                self._connection.executemany(_PUT, rows)
                if int(self._run(_SIZE)[0][0]) > self._max_bytes:
                    self._run(_OLDEST)
                self._run("COMMIT")

    def close(self) -> None:
        """Close the file."""
        connection, self._connection = self._connection, None
        if connection:
            connection.close()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if not self._run("PRAGMA schema_version")[0][0]:
            self._run("PRAGMA journal_mode = WAL")
            version = f"PRAGMA user_version = {VERSION};"
            with suppress(sqlite3.OperationalError):  # (another process was quicker)
                connection.executescript(f"BEGIN IMMEDIATE; {_TABLE} {version} COMMIT;")
        self._run("PRAGMA synchronous = NORMAL")
        if self._run("PRAGMA user_version")[0][0] != VERSION:
            raise sqlite3.DatabaseError

    def _run(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        return self._connection.execute(sql, values).fetchall() if self._connection else []

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Go on without vectors where the file cannot be used; delete it where it is damaged."""
        try:
            yield
        except (sqlite3.OperationalError, OSError):  # (in use for too long, no room, no permission)
            with suppress(sqlite3.Error):
                self._run("ROLLBACK")
        except (sqlite3.DatabaseError, ValueError):
            self.close()
            for ending in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self._path.with_name(FILE_NAME + ending).unlink(missing_ok=True)


def _today() -> int:
    return datetime.now(UTC).date().toordinal()
