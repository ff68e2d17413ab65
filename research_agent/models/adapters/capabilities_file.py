"""Which options model servers have refused, in one small JSON file.

Nothing here is needed: a file that is missing, damaged or cannot be written means that servers
are asked again. Two processes that write at once may lose what one of them learned.
"""

import json
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock

from research_agent.private_files import replace_text

MAX_AGE = 7 * 86_400.0
"""Seconds after which a server may have changed."""
MAX_ENTRIES, MAX_BYTES = 200, 1_000_000


def endpoint_key(provider: str, url: str, model: str) -> str:
    """Return the name under which it is kept: a hash, as an address may hold a key."""
    named = json.dumps([provider, url.rstrip("/"), model])
    return sha256(named.encode()).hexdigest()


class CapabilitiesFile:
    """What is known about endpoints by their key (`endpoint_key`). Threads may share it."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, Lock()

    def refused(self, key: str) -> tuple[str, ...]:
        """Return the options of a request that an endpoint is known to refuse, by name."""
        return self._entries().get(key, (0.0, ()))[1]

    def put(self, key: str, refused: tuple[str, ...]) -> None:
        """Keep what was learned; where it is known already, its age stays what it is."""
        with self._lock:
            entries = self._entries()
            if key in entries and entries[key][1] == refused:
                return
            entries[key] = (time.time(), refused)
            newest = sorted(entries.items(), key=lambda item: -item[1][0])[:MAX_ENTRIES]
            with suppress(OSError):
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                replace_text(self._path, json.dumps(dict(newest), indent=1))

    def _entries(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """Return what the file holds and is young enough: when it was learned, and the options."""
        try:
            with self._path.open("rb") as file:
                found = json.loads(file.read(MAX_BYTES))
            read = {
                name: (float(since), tuple(map(str, refused)))
                for name, (since, refused) in found.items()
            }
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return {}
        now = time.time()
        return {name: entry for name, entry in read.items() if abs(now - entry[0]) <= MAX_AGE}
