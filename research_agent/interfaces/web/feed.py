"""What happens in a session, for every browser that looks at it."""

import asyncio
import json
from collections.abc import AsyncIterator
from threading import Lock
from typing import Any

PAUSE = 15.0
"""Seconds after which an empty line is sent, so that a browser that has gone is noticed."""


class Feed:
    """Numbered entries of the last question; written by any thread, followed by asyncio's."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: list[dict[str, Any]] = []
        self._before = 0
        self._readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._ended = False

    @property
    def start(self) -> int:
        """The number before the first entry that is kept."""
        return self._before

    def begin(self, kind: str, **values: object) -> None:
        """Forget the question before, and add the first entry of another one."""
        with self._lock:
            self._before += len(self._entries)
            self._entries = []
        self.add(kind, **values)

    def add(self, kind: str, **values: object) -> None:
        """Add an entry and wake those who read."""
        with self._lock:
            number = self._before + len(self._entries) + 1
            self._entries.append({"n": number, "kind": kind, **values})
        self._wake()

    def end(self) -> None:
        """Let all readers go."""
        self._ended = True
        self._wake()

    async def follow(self, after: int) -> AsyncIterator[str]:
        """Yield the entries behind number `after` as JSON lines, as they come, until `end`.

        A reader who has missed some is told to read the whole session again ("reload").
        """
        woken = asyncio.Event()
        reader = (asyncio.get_running_loop(), woken)
        self._readers.add(reader)
        try:
            while not self._ended:
                woken.clear()
                for entry in self._since(after):
                    after = entry["n"]
                    yield f"{json.dumps(entry)}\n"
                try:
                    await asyncio.wait_for(woken.wait(), PAUSE)
                except TimeoutError:
                    yield "\n"
        finally:
            self._readers.discard(reader)

    def _since(self, after: int) -> list[dict[str, Any]]:
        with self._lock:
            last = self._before + len(self._entries)
            if not self._before <= after <= last:
                return [{"n": last, "kind": "reload"}]
            return self._entries[after - self._before :]

    def _wake(self) -> None:
        for loop, woken in tuple(self._readers):
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)
