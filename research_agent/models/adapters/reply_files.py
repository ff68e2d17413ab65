"""Replies of models in one SQLite file, bounded in size and age.

What is not covered: a file on a network drive whose locks do not work. No write-ahead log is
used, because some network drives cannot have one.
"""

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
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

APPLICATION_ID = 0x52415250
"""Marks the file as ours, in the file's header: "RARP"."""
VERSION = 1
"""Of the table, and of how replies are read from servers; a file of another one is set aside."""
BUSY_SECONDS = 2.0
"""How long another process that writes is waited for."""
USED_SECONDS = 600.0
"""How exactly it is known when a reply was used last."""
_DAY = 86_400.0
_TABLES = """
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
    documents say. One that is damaged, of another version or not ours is set aside
    (`.damaged`) and begun anew; the call that finds that fails with OSError.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_mb: float,
        max_days: float,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep replies in `path`; above `max_mb` those not used for the longest time go.

        A reply is given back until it is `max_days` old.
        """
        self._path = path
        self._max_bytes = int(max_mb * 1_000_000)
        self._max_age = max_days * _DAY
        self._now = now
        self._lock = Lock()
        self._opened: sqlite3.Connection | None = None
        self._file = (0, 0)

    def get(self, key: str) -> KeptReply | None:
        """Return what is kept under `key`; raises OSError, ValueError."""
        now = self._now()
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
        now = self._now()
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
                if _is_damage(error):
                    self._set_aside()
                    raise OSError("the file was damaged and is begun anew") from error
                raise OSError(f"{self._path.name}: {error}") from error

    def _open(self) -> sqlite3.Connection:
        """Open the file, or make it; forget what is too old."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        touch(self._path)
        status = self._path.stat()
        self._file = (status.st_dev, status.st_ino)
        connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            # (A power cut may damage the file. No wrong reply comes of that: see `_unpacked`.)
            connection.execute("PRAGMA synchronous = OFF")
            _prepare(connection)
            oldest = self._now() - self._max_age
            with suppress(sqlite3.OperationalError):  # (busy: too old ones are not given back)
                connection.execute("DELETE FROM replies WHERE kept < ?", (oldest,))
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self) -> None:
        """Rename the damaged file, unless another process has done so."""
        with suppress(FileNotFoundError):
            status = self._path.stat()
            if (status.st_dev, status.st_ino) == self._file:
                # (A journal that is left behind would be played into the new file.)
                self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)
                self._path.replace(self._path.with_name(f"{self._path.name}.damaged"))


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
    """Make the table in an empty file; see whose file it is otherwise."""
    if not connection.execute("PRAGMA schema_version").fetchone()[0]:
        connection.execute("PRAGMA auto_vacuum = FULL")  # (has to be set before the first table)
        with _transaction(connection):
            if not connection.execute("PRAGMA schema_version").fetchone()[0]:
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {VERSION}")
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if (owner, version) != (APPLICATION_ID, VERSION):
        raise _NotOursError


class _NotOursError(sqlite3.DatabaseError):
    """The file is a database, but not one of ours of this version."""


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether the file itself is at fault, not its disk, its permissions or its users."""
    code = getattr(error, "sqlite_errorcode", None)  # (SQLite's own errors alone have one)
    damages = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return isinstance(error, _NotOursError) or (code is not None and code & 0xFF in damages)


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
