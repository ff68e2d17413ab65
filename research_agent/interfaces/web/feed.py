"""What happens in a session, for every browser that looks at it."""

from threading import Lock
from typing import Any


class Feed:
    """Numbered entries of the last question; threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: list[dict[str, Any]] = []
        self.start = 0
        """The number before the first entry that is kept."""

    def begin(self, kind: str, **values: object) -> None:
        """Forget the question before, and add the first entry of another one."""
        with self._lock:
            self.start += len(self._entries)
            self._entries = []
        self.add(kind, **values)

    def add(self, kind: str, **values: object) -> None:
        """Add an entry."""
        with self._lock:
            number = self.start + len(self._entries) + 1
            self._entries.append({"n": number, "kind": kind, **values})

    def since(self, after: int) -> list[dict[str, Any]]:
        """Return the entries behind number `after`; "reload" for a reader who has missed some."""
        with self._lock:
            last = self.start + len(self._entries)
            if not self.start <= after <= last:
                return [{"n": last, "kind": "reload"}]
            return self._entries[after - self.start :]
