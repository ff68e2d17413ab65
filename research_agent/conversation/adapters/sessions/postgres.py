"""Conversations in a PostgreSQL database."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from research_agent.conversation.adapters.sessions.table import SessionTable
from research_agent.errors import SessionError

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
    lock = partial(_locked, connection)
    return SessionTable(connection, mark="%s", faults=(psycopg.Error,), locking=lock)


@contextmanager
def _locked(connection: "psycopg.Connection[Any]", thread: str) -> Iterator[bool]:
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
