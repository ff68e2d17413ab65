"""Caches in SQLite files: bounded in size, private, and begun anew where they are damaged."""

import sqlite3
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import ClassVar

from research_agent.closeable import Closing
from research_agent.private_files import touch

DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SIZE = """SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""


class SqliteCache(Closing):
    """One table in a file that several threads and processes may share.

    The file is opened at the first call, and only its owner may read it: it tells what documents
    say. One that is damaged is begun anew; the call that finds that fails with OSError.
    """

    VERSION: ClassVar[int]
    """Of the table; a file of another one is emptied."""
    BUSY_SECONDS: ClassVar[float]
    """How long another process that writes is waited for."""
    PRAGMAS: ClassVar[tuple[str, ...]]
    TABLE: ClassVar[str]
    """Statements that make it, whatever was there before."""
    LEAST_USED: ClassVar[str]
    """Deletes some rows, those not used for the longest time."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        """Keep at most `max_bytes` in `path`."""
        self._path, self._max_bytes = path, max_bytes
        self._lock = Lock()
        self._opened: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            self._drop()

    @abstractmethod
    def _forget(self, connection: sqlite3.Connection) -> None:
        """Delete what is too old."""

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
                    for ending in ("", "-journal", "-wal", "-shm"):
                        self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
                    raise OSError("the file was damaged and is begun anew") from error
                raise OSError(f"{self._path.name}: {error}") from error

    @contextmanager
    def _writing(self, size: int) -> Iterator[sqlite3.Connection]:
        """Write everything inside, or nothing; what was used least makes way for `size` bytes."""
        with self._connection() as connection, _transaction(connection):
            limit = self._max_bytes - size
            if _size(connection) > limit:
                while _size(connection) > 0.9 * limit:
                    if not connection.execute(self.LEAST_USED).rowcount:
                        break
            yield connection

    def _drop(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        touch(self._path)
        connection = sqlite3.connect(
            self._path, timeout=self.BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in self.PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            self._prepare(connection)
            with suppress(sqlite3.OperationalError):  # (busy: too old ones are not given back)
                self._forget(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the table in an empty file, and in one of another version."""

        def version() -> int:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

        if version() != self.VERSION:
            with _transaction(connection):
                if version() != self.VERSION:  # (another process may have made it meanwhile)
                    for statement in self.TABLE.split(";"):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {self.VERSION}")


def _size(connection: sqlite3.Connection) -> int:
    return int(connection.execute(_SIZE).fetchone()[0])


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
