"""Making tables in PostgreSQL: one connection at a time, wherever the others are."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from research_agent.errors import SessionError

WAIT = 30.0
"""Seconds to wait for another connection that makes tables."""
_PAUSE = 0.05
_TAKE = "select pg_try_advisory_lock(hashtextextended('research_agent tables', 0))::text as held"
_FREE = "select pg_advisory_unlock(hashtextextended('research_agent tables', 0))"


@contextmanager
def making_tables(connection: Any) -> Iterator[None]:  # noqa: ANN401 (psycopg's, with rows of any kind)
    """Keep others from making tables meanwhile: "if not exists" fails where two begin at once.

    It asks again and again instead of waiting in the server, because an index that is made
    concurrently waits for every statement that has begun. Raises SessionError after `WAIT`.
    """
    until = time.monotonic() + WAIT
    while True:
        row = connection.execute(_TAKE).fetchone()
        if "true" in (row.values() if isinstance(row, dict) else row):
            break
        if time.monotonic() > until:
            message = f"another process has made tables in PostgreSQL for {WAIT:g} s"
            raise SessionError(message, hint="Try again; if it lasts, end that process.")
        time.sleep(_PAUSE)
    yield
    connection.execute(_FREE)  # (after a fault the caller closes it, which frees the lock too)
