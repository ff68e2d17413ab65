"""Conversations in an SQLite file that only its owner may read."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from research_agent.conversation.adapters.sessions.table import SessionTable
from research_agent.errors import SessionError
from research_agent.private_files import make_folder, touch

FILE = "sessions.sqlite3"
WAIT = 10.0
"""Seconds to wait for another process that is writing."""


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
    lock = partial(_locked, folder)
    return SessionTable(connection, mark="?", faults=(sqlite3.Error,), locking=lock)


@contextmanager
def _locked(folder: Path, thread: str) -> Iterator[bool]:
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
