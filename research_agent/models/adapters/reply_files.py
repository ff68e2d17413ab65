"""Replies of models in one SQLite file, bounded in size and age.

What is not covered: a file on a network drive whose locks do not work. No write-ahead log is
used, because some network drives cannot have one.
"""

import json
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from research_agent.closeable import Closing
from research_agent.ports import KeptReply
from research_agent.private_files import touch

if TYPE_CHECKING:
    from pydantic import TypeAdapter

VERSION = 1
"""Of the table, and of how replies are read from servers; a file of another one is emptied."""
DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
BUSY_SECONDS = 2.0
"""How long another process that writes is waited for."""
USED_SECONDS = 600.0
"""How exactly it is known when a reply was used last."""
_DAY = 86_400.0
_TABLES = """
DROP TABLE IF EXISTS replies;
CREATE TABLE replies (
    key TEXT PRIMARY KEY, kept REAL NOT NULL, used REAL NOT NULL, reply BLOB NOT NULL
);
CREATE INDEX by_use ON replies (used);
CREATE INDEX by_age ON replies (kept);
"""
_LEAST_USED = """DELETE FROM replies WHERE key IN (
    SELECT key FROM replies ORDER BY used LIMIT 1 + (SELECT count(*) FROM replies) / 20
)"""


class SqliteReplies(Closing):
    """Implements ReplyCache. Several threads and processes may share one file.

    The file is opened at the first call, and only its owner may read it: replies hold what
    documents say. One that is damaged is begun anew; the call that finds that fails with OSError.
    """

    def __init__(self, path: Path, *, max_mb: float, max_days: float) -> None:
        """Keep replies in `path`; above `max_mb` those not used for the longest time go.

        A reply is given back until it is `max_days` old.
        """
        self._path = path
        self._max_bytes = int(max_mb * 1_000_000)
        self._max_age = max_days * _DAY
        self._lock = Lock()
        self._opened: sqlite3.Connection | None = None

    def get(self, key: str) -> KeptReply | None:
        """Return what is kept under `key`; raises OSError, ValueError."""
        now = time.time()
        with self._connection() as connection:
            found = connection.execute(
                "SELECT reply, used FROM replies WHERE key = ? AND kept >= ?",
                (key, now - self._max_age),
            ).fetchone()
            if found is None:
                return None
            if found[1] < now - USED_SECONDS:
                with suppress(sqlite3.OperationalError):  # (busy or full: the reply is good)
                    connection.execute("UPDATE replies SET used = ? WHERE key = ?", (now, key))
        return _unpacked(key, found[0])

    def put(self, key: str, kept: KeptReply) -> None:
        """Keep a reply; raises OSError. One larger than half of all there may be is left out."""
        packed = zlib.compress(json.dumps([key, asdict(kept)]).encode())
        if len(packed) > self._max_bytes / 2:
            return
        now = time.time()
        with self._connection() as connection, _transaction(connection):
            limit = self._max_bytes - len(packed)
            if _size(connection) > limit:  # (forget what was not used for the longest time)
                while _size(connection) > 0.9 * limit:
                    if not connection.execute(_LEAST_USED).rowcount:
                        break
            connection.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", (key, now, now, packed)
            )

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Give the open file to one thread at a time; turn SQLite's errors into OSError."""
        with self._lock:
            try:
                if self._opened is None:
                    self._opened = self._open()
                yield self._opened
            except sqlite3.Error as error:
                self._drop()  # (another process may have begun the file anew: look again)
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGES:
                    for ending in ("", "-journal"):
                        self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
                    raise OSError("the file was damaged and is begun anew") from error
                raise OSError(f"{self._path.name}: {error}") from error

    def _open(self) -> sqlite3.Connection:
        """Open the file, or make it; forget what is too old."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        touch(self._path)
        connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            # (A power cut may damage the file. No wrong reply comes of that: see `_unpacked`.)
            connection.execute("PRAGMA synchronous = OFF")
            _prepare(connection)
            oldest = time.time() - self._max_age
            with suppress(sqlite3.OperationalError):  # (busy: too old ones are not given back)
                connection.execute("DELETE FROM replies WHERE kept < ?", (oldest,))
        except BaseException:
            connection.close()
            raise
        return connection


@cache
def _codec() -> "TypeAdapter[KeptReply]":
    from pydantic import TypeAdapter

    return TypeAdapter(KeptReply)


def _unpacked(key: str, packed: bytes) -> KeptReply:
    """Return a reply as it was put in under `key`; zlib's check sum and the key vouch for it."""
    try:
        content = json.loads(zlib.decompress(packed))
    except zlib.error as error:
        raise ValueError("a kept reply cannot be read") from error
    if not isinstance(content, list) or content[:1] != [key]:
        raise ValueError("a kept reply belongs to another call")
    return _codec().validate_python(content[-1])


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table in an empty file, and in one of another version."""

    def version() -> int:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])

    if version() != VERSION:
        connection.execute("PRAGMA auto_vacuum = FULL")  # (has to be set before the first table)
        with _transaction(connection):
            if version() != VERSION:  # (another process may have made it meanwhile)
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")


def _size(connection: sqlite3.Connection) -> int:
    pages, free, page = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * page


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # (a damaged file cannot be rolled back; closing it can)
            connection.execute("ROLLBACK")
        raise
