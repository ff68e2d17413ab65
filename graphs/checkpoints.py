"""Where a conversation's checkpoints are kept; only its last one is."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from research_agent.errors import SessionError
from research_agent.postgres_tables import making_tables

Saver = BaseCheckpointSaver[Any]
WAIT = 10.0
"""Seconds to wait for another process that is writing."""


def _plain() -> JsonPlusSerializer:
    """Return what reads messages and plain values; a class it does not know stays plain data."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


@contextmanager
def sqlite_saver(file: Path) -> Iterator[Saver]:
    """Keep checkpoints in an SQLite file; raises SessionError where it is none."""
    with ExitStack() as stack:
        try:
            connection = sqlite3.connect(file, timeout=WAIT, check_same_thread=False)
            stack.enter_context(closing(connection))
            saver = SqliteSaver(connection, serde=_plain())
            saver.setup()
        except sqlite3.Error as error:
            message = f"{file} cannot be used: {error}"
            raise SessionError(message, hint="See sessions.path.") from error
        yield saver


@contextmanager
def postgres_saver(address: str) -> Iterator[Saver]:
    """Keep checkpoints in a PostgreSQL database; needs the extra `postgres`."""
    try:
        from langgraph.checkpoint.postgres import PostgresSaver
        from psycopg import Connection
        from psycopg.rows import dict_row
    except ImportError as error:
        raise SessionError(
            "the package langgraph-checkpoint-postgres is not installed",
            hint="Install it: pip install 'research-agent[postgres]'",
        ) from error
    with Connection.connect(address, autocommit=True, row_factory=dict_row) as connection:
        saver = PostgresSaver(connection, serde=_plain())
        with making_tables(connection):
            saver.setup()
        yield saver


def prune(saver: Saver, thread: str) -> None:
    """Delete all checkpoints of a thread but the last one; what it holds is the conversation."""
    if isinstance(saver, SqliteSaver):
        with saver.cursor() as cursor:
            for table in ("checkpoints", "writes"):
                cursor.execute(_OLDER.format(table=table, mark="?"), (thread, thread))
        return
    connection: Any = getattr(saver, "conn", None)
    if connection is not None and type(saver).__name__ == "PostgresSaver":
        for table in ("checkpoints", "checkpoint_writes"):
            connection.execute(_OLDER.format(table=table, mark="%s"), (thread, thread))
        connection.execute(_BLOBS, (thread,))


_OLDER = (
    "delete from {table} where thread_id = {mark} and checkpoint_id < "
    "(select max(checkpoint_id) from checkpoints where thread_id = {mark})"
)
_BLOBS = (
    "delete from checkpoint_blobs b where thread_id = %s and not exists (select 1 from checkpoints "
    "c where c.thread_id = b.thread_id and c.checkpoint -> 'channel_versions' ->> b.channel "
    "= b.version)"
)
