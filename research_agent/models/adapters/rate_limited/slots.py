"""A limited number of places, given in the order in which they were asked for."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Event, Lock


class Slots:
    """Places for threads. One that leaves hands its place to the one that waits the longest.

    (The standard library's semaphore lets a thread that comes back at once pass those that wait.)
    """

    def __init__(self, places: int) -> None:
        """Have `places`, at least one."""
        self._free = places
        self._waiting: deque[Event] = deque()
        self._lock = Lock()

    @contextmanager
    def place(self, seconds: float) -> Iterator[bool]:
        """Wait up to `seconds` for a place, and hold it meanwhile; False: there was none."""
        held = self._enter(seconds)
        try:
            yield held
        finally:
            if held:
                self._leave()

    def _enter(self, seconds: float) -> bool:
        turn = Event()
        with self._lock:
            if self._free:  # (then nobody waits)
                self._free -= 1
                return True
            self._waiting.append(turn)
        try:
            turn.wait(min(max(seconds, 0.0), TIMEOUT_MAX))
        except BaseException:  # (Ctrl-C while waiting: the place must not be given to nobody)
            if not self._withdraw(turn):
                self._leave()
            raise
        return not self._withdraw(turn)

    def _withdraw(self, turn: Event) -> bool:
        """Wait no longer; False: the place was given already."""
        with self._lock:
            if turn.is_set():
                return False
            self._waiting.remove(turn)
            return True

    def _leave(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
