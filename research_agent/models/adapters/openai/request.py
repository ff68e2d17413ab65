"""A request in a thread of its own.

The thread that asked can leave at its deadline, or when the user interrupts it, whatever the
other one is waiting for. A request that was left is ended together with its connection.
"""

import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from threading import TIMEOUT_MAX, Event, Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

from research_agent.models.adapters.openai.watch import Watch

if TYPE_CHECKING:
    from openai import DefaultHttpxClient

LEAVING_SECONDS = 0.1
"""What a request that was left gets to end; its thread is not waited for any longer."""

C = TypeVar("C")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Line(Generic[C]):
    """A client, what it sends with, and who watches that."""

    client: C
    http: "DefaultHttpxClient"
    watch: Watch
    url: str

    def close(self) -> None:
        """End its connection."""
        self.http.close()
        self.watch.close()


class Request(Generic[C, R]):
    """Work on a line; who made it waits for it, and anybody may end it."""

    def __init__(self, line: Line[C], work: Callable[[C, Watch], R]) -> None:
        """Prepare the work."""
        self.line = line
        self._work = work
        self._lock = Lock()
        self._settled = Event()
        self._left = False
        self._values: list[R] = []
        self._error: BaseException | None = None
        context = contextvars.copy_context()
        self._thread = Thread(target=context.run, args=(self._run,), daemon=True, name="request")

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait until the work has ended or was left, at most so long."""
        self._settled.wait(min(max(0.0, seconds), TIMEOUT_MAX))

    def leave(self) -> bool:
        """End the work and close its line, or return False: the work has ended already."""
        with self._lock:
            if self._settled.is_set():
                return self._left
            self._left = True
            self._settled.set()
        self.line.watch.drop()
        if self._thread.ident is None:  # (it never began)
            self.line.close()
        else:
            self._thread.join(LEAVING_SECONDS)
        return True

    def result(self) -> R:
        """Return what the work gave, or raise what it raised."""
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._values[0]

    def _run(self) -> None:
        try:
            self._values.append(self._work(self.line.client, self.line.watch))
        except BaseException as error:  # noqa: BLE001 (it is raised in the thread that asked)
            self._error = error
        with self._lock:
            if not self._left:
                self._settled.set()
                return
        self.line.close()
