"""Replies of models in one SQLite file, bounded in size and age.

What is not covered: a file on a network drive whose locks do not work. No write-ahead log is
used, because some network drives cannot have one.
"""

import json
import sqlite3
import time
import zlib
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from research_agent.ports import KeptReply
from research_agent.sqlite_cache import SqliteCache

if TYPE_CHECKING:
    from pydantic import TypeAdapter

USED_SECONDS = 600.0
"""How exactly it is known when a reply was used last."""
_DAY = 86_400.0


class SqliteReplies(SqliteCache):
    """Implements ReplyCache."""

    BUSY_SECONDS = 2.0
    VERSION = 1  # of the table, and of how replies are read from servers
    # (A power cut may damage the file. No wrong reply comes of that: see `_unpacked`.)
    PRAGMAS = ("auto_vacuum = FULL", "synchronous = OFF")
    TABLE = """
DROP TABLE IF EXISTS replies;
CREATE TABLE replies (
    key TEXT PRIMARY KEY, kept REAL NOT NULL, used REAL NOT NULL, reply BLOB NOT NULL
);
CREATE INDEX by_use ON replies (used);
CREATE INDEX by_age ON replies (kept);
"""
    LEAST_USED = """DELETE FROM replies WHERE key IN (
    SELECT key FROM replies ORDER BY used LIMIT 1 + (SELECT count(*) FROM replies) / 20
)"""

    def __init__(self, path: Path, *, max_mb: float, max_days: float) -> None:
        """Keep replies in `path`; above `max_mb` those not used for the longest time go.

        A reply is given back until it is `max_days` old.
        """
        super().__init__(path, max_bytes=int(max_mb * 1_000_000))
        self._max_age = max_days * _DAY

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
        with self._writing(len(packed)) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", (key, now, now, packed)
            )

    def _forget(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM replies WHERE kept < ?", [time.time() - self._max_age])


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
