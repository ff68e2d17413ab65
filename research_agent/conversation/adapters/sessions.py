"""The list of conversations, in SQLite or PostgreSQL, in the database of LangGraph's tables."""

import os
import socket
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from research_agent.closeable import Closing
from research_agent.conversation.sessions import ASKED, FORMAT, SessionInfo
from research_agent.errors import SessionError, SessionLockedError
from research_agent.postgres_tables import making_tables
from research_agent.private_files import make_folder, touch

DAY = 86_400.0
_COLUMNS = "name, thread, format, index_name, created, used, turns"
_SESSIONS = """create table if not exists research_agent_sessions (
name text primary key, thread text not null unique, format integer not null,
index_name text not null, created double precision not null, used double precision not null,
turns integer not null, holder text not null default '')"""
_RESULTS = """create table if not exists research_agent_results (
thread text not null, turn integer not null, result text not null, primary key (thread, turn))"""


class Connection(Protocol):
    """A database connection that commits every statement."""

    def execute(self, query: Any, params: Sequence[object], /) -> Any:  # noqa: ANN401 (DB-API)
        """Run a statement and return its cursor."""

    def close(self) -> None:
        """Close it."""


Locking = Callable[[str], AbstractContextManager[bool]]
"""Holds the thread of an id for this process, and tells whether it could."""


def process() -> str:
    """Return id, machine and command of this process, for messages of others."""
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return f"process {os.getpid()} on {socket.gethostname()} ({command[:100]})"


class SessionTable(Closing):
    """The conversations by name; every fault of the database is a SessionError."""

    def __init__(
        self,
        connection: Connection,
        *,
        mark: str,
        faults: tuple[type[Exception], ...],
        locking: Locking,
    ) -> None:
        self._connection, self._mark, self._faults = connection, mark, faults
        self._locking = locking
        try:
            for statement in (_SESSIONS, _RESULTS):
                self._run(statement)
        except SessionError:
            connection.close()
            raise

    def all(self) -> list[SessionInfo]:
        """Return the conversations, the one used last first."""
        rows = self._run(f"select {_COLUMNS} from research_agent_sessions order by used desc, name")
        return [SessionInfo(*row) for row in rows if row[0] != ASKED]

    def get(self, name: str) -> SessionInfo | None:
        """Return a session, None where there is none of that name."""
        rows = self._run(f"select {_COLUMNS} from research_agent_sessions where name = ?", name)
        return SessionInfo(*rows[0]) if rows else None

    def begin(self, name: str, index: str) -> SessionInfo:
        """Return the session of that name, a new one where there is none."""
        now = time.time()
        self._run(
            "insert into research_agent_sessions (name, thread, format, index_name, created, used, "
            "turns) values (?, ?, ?, ?, ?, ?, 0) on conflict (name) do nothing",
            name,
            uuid4().hex,
            FORMAT,
            index,
            now,
            now,
        )
        found = self.get(name)
        if found is None:
            raise SessionError(f"the session {name} was deleted just now", hint="Try again.")
        return found

    def used(self, thread: str, turns: int) -> None:
        """Note that a session was used just now, and how many turns it has."""
        self._run(
            "update research_agent_sessions set used = ?, turns = ? where thread = ?",
            time.time(),
            turns,
            thread,
        )

    def rename(self, old: str, new: str) -> None:
        """Give a session another name; raises SessionError where that one is taken."""
        if self.get(new):
            raise SessionError(f"there is a session {new} already", hint="Use another name.")
        self._run("update research_agent_sessions set name = ? where name = ?", new, old)

    def delete(self, thread: str) -> None:
        """Forget a session and its results."""
        self._run("delete from research_agent_results where thread = ?", thread)
        self._run("delete from research_agent_sessions where thread = ?", thread)

    def unused(self, days: float) -> list[SessionInfo]:
        """Return the sessions that nobody has used for this many days."""
        before = time.time() - days * DAY
        rows = self._run(f"select {_COLUMNS} from research_agent_sessions where used < ?", before)
        return [SessionInfo(*row) for row in rows]

    def keep_result(self, thread: str, turn: int, result: str) -> None:
        """Keep the whole result of a turn, as JSON; one that is there is replaced."""
        self._run("delete from research_agent_results where thread = ? and turn = ?", thread, turn)
        self._run("insert into research_agent_results values (?, ?, ?)", thread, turn, result)

    def result(self, thread: str, turn: int) -> str:
        """Return the whole result of a turn, empty where it was not kept."""
        rows = self._run(
            "select result from research_agent_results where thread = ? and turn = ?", thread, turn
        )
        return str(rows[0][0]) if rows else ""

    def results(self, thread: str) -> list[tuple[int, str]]:
        """Return the numbers of the turns whose whole results were kept, with these; oldest first.

        A number is an index from 0.
        """
        rows = self._run(
            "select turn, result from research_agent_results where thread = ? order by turn", thread
        )
        return [(int(turn), str(result)) for turn, result in rows]

    def forget_results(self, thread: str, before: int) -> None:
        """Forget the whole results of a session's turns before one (from 0)."""
        self._run(
            "delete from research_agent_results where thread = ? and turn < ?", thread, before
        )

    @contextmanager
    def held(self, session: SessionInfo) -> Iterator[None]:
        """Have a session for this process alone; raises SessionLockedError, which names who has."""
        with self._locking(session.thread) as mine:
            if not mine:
                raise SessionLockedError(
                    f"the session {session.name} is open in {self._holder(session.thread)}",
                    hint="End that one, or use another: research-agent chat --session NAME",
                )
            self._hold(session.thread, process())
            try:
                yield
            finally:
                self._hold(session.thread, "")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _holder(self, thread: str) -> str:
        rows = self._run("select holder from research_agent_sessions where thread = ?", thread)
        return str(rows[0][0]) if rows and rows[0][0] else "another process"

    def _hold(self, thread: str, holder: str) -> None:
        self._run("update research_agent_sessions set holder = ? where thread = ?", holder, thread)

    def _run(self, statement: str, *values: object) -> list[Any]:
        try:
            cursor = self._connection.execute(statement.replace("?", self._mark), values)
            return list(cursor.fetchall()) if cursor.description else []
        except self._faults as error:
            raise SessionError(
                f"the sessions cannot be read or kept: {error}",
                hint="Is there room on the disk, and may you write there? See sessions.path.",
            ) from error


FILE = "sessions.sqlite3"
WAIT = 10.0


def sqlite_table(folder: Path) -> SessionTable:
    """Open the list in `folder`; folder and file are their owner's alone. Raises SessionError."""
    file = folder / FILE
    try:
        make_folder(folder)
        touch(file)
        connection = sqlite3.connect(
            file, timeout=WAIT, isolation_level=None, check_same_thread=False
        )
    except (OSError, sqlite3.Error) as error:
        raise SessionError(
            f"{file} cannot be opened: {error}", hint="See sessions.path in the configuration."
        ) from error
    lock = partial(_file_lock, folder)
    return SessionTable(connection, mark="?", faults=(sqlite3.Error,), locking=lock)


@contextmanager
def _file_lock(folder: Path, thread: str) -> Iterator[bool]:
    """Hold the lock of a thread; the system frees it when the process ends, however it ends."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / f"{thread}.lock", timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    except (OSError, NotImplementedError) as error:  # (the latter: a disk without locks)
        raise SessionError(f"no lock in {folder}: {error}", hint="See sessions.path.") from error
    try:
        yield True
    finally:
        lock.release()


if TYPE_CHECKING:
    import psycopg


def postgres_table(address: str) -> SessionTable:
    """Open the list in the database at `address`; raises SessionError.

    The address is in no message: it may hold a password.
    """
    try:
        import psycopg
    except ImportError as error:
        raise SessionError(
            "the package psycopg is not installed",
            hint="Install it: pip install 'research-agent[postgres]'",
        ) from error
    try:
        connection = psycopg.connect(address, autocommit=True, connect_timeout=10)
    except psycopg.Error as error:
        raise SessionError(
            f"no connection to PostgreSQL ({type(error).__name__})",
            hint="Is the address in the variable that sessions.postgres_env names right?",
        ) from error
    lock = partial(_advisory_lock, connection)
    with making_tables(connection):
        return SessionTable(connection, mark="%s", faults=(psycopg.Error,), locking=lock)


@contextmanager
def _advisory_lock(connection: "psycopg.Connection[Any]", thread: str) -> Iterator[bool]:
    """Hold an advisory lock, which the server frees when the connection ends."""
    ask = "select pg_try_advisory_lock(hashtextextended(%s, 0))"
    row = connection.execute(ask, (thread,)).fetchone()
    if not (row and row[0]):
        yield False
        return
    try:
        yield True
    finally:
        connection.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", (thread,))
