"""What earlier calls have shown of model servers, in one small JSON file.

Nothing here is needed: a file that is missing, damaged or cannot be written means that servers
are asked again. Two processes that write at once may lose what one of them learned.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from research_agent.private_files import replace_text

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MAX_AGE = 7 * 86_400.0
"""Seconds after which a server may have changed."""
MAX_ENTRIES, MAX_BYTES = 200, 1_000_000


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What is known of a model at a server."""

    refused: tuple[str, ...] = ()
    """Options of a request that it refuses, by name, in alphabetical order."""


def endpoint_key(provider: str, url: str, model: str) -> str:
    """Return the name under which it is kept: a hash, as an address may hold a key."""
    named = json.dumps([provider, url.rstrip("/"), model])
    return sha256(named.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Entry:
    learned: ServerCapabilities
    since: float
    """Seconds since 1970."""


class CapabilitiesFile:
    """What is known about endpoints by their key (`endpoint_key`). Threads may share it."""

    def __init__(self, path: Path, *, now: Callable[[], float] = time.time) -> None:
        self._path, self._now = path, now
        self._lock = Lock()

    def get(self, key: str) -> ServerCapabilities:
        """Return what is known about an endpoint; an empty value where nothing is."""
        entry = self._entries().get(key)
        return entry.learned if entry else ServerCapabilities()

    def put(self, key: str, learned: ServerCapabilities) -> None:
        """Keep what was learned; where it is known already, its age stays what it is."""
        with self._lock:
            entries = self._entries()
            known = entries.get(key)
            if known is not None and known.learned == learned:
                return
            kept = {**entries, key: _Entry(learned, self._now())}
            newest = sorted(kept.items(), key=lambda item: -item[1].since)[:MAX_ENTRIES]
            with suppress(OSError):
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                replace_text(self._path, json.dumps({k: asdict(v) for k, v in newest}, indent=1))

    def _entries(self) -> Mapping[str, _Entry]:
        """Return what the file holds and is young enough."""
        try:
            with self._path.open("rb") as file:
                found = _codec().validate_json(file.read(MAX_BYTES))
        except (OSError, ValueError):
            return {}
        now = self._now()
        return {name: entry for name, entry in found.items() if abs(now - entry.since) <= MAX_AGE}


@cache
def _codec() -> "TypeAdapter[dict[str, _Entry]]":
    from pydantic import TypeAdapter

    return TypeAdapter(dict[str, _Entry])
