"""Calls that end at their deadline, and replies that end at a size.

botocore's own limits are for each read of a socket: a reply that comes byte by byte never meets
them. Here every call runs on a thread of its own, which the caller waits for until the deadline
and no longer. What the thread still does then is ended: its socket's timeout is what was left of
the deadline, and a reply whose body is being read has its connection shut down.
"""

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar, copy_context
from http.client import HTTPConnection
from io import BytesIO
from socket import SHUT_RDWR, socket
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from research_agent.errors import ModelReplyError, ModelTimeoutError, ModelUnavailableError
from research_agent.stopping import check, waking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urllib3.response import BaseHTTPResponse

MAX_ABANDONED = 16
READ_BYTES = 2**16
THREAD_NAME = "bedrock-call"

T = TypeVar("T")


class Exchange:
    """The time that one call has, and the reply that is being read for it."""

    def __init__(self, seconds: float, max_bytes: int) -> None:
        """Let the call take `seconds` from now, and its reply's body `max_bytes`."""
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._end = monotonic() + seconds
        self._reading: BaseHTTPResponse | None = None

    def left(self) -> float:
        """Return the seconds that are left, 0 where the time is over."""
        return max(0.0, self._end - monotonic())

    def check(self) -> float:
        """Return the seconds that are left; raises ModelTimeoutError where none are."""
        left = self.left()
        if not left:
            raise self.timeout()
        return left

    def timeout(self) -> ModelTimeoutError:
        """Return the error that says that the time is over."""
        return ModelTimeoutError(
            f"the model server gave no whole reply within {self._seconds:.3g} s",
            hint="Raise models.timeout or budget.seconds, or ask for less (evidence.max_tokens, "
            "answer.max_tokens).",
        )

    def read(self, reply: "BaseHTTPResponse") -> bytes:
        """Return the reply's body; raises ModelError where it is too late, too large or cut off.

        The connection of a body that is not read to its end is closed.
        """
        self._reading = reply
        whole = False
        try:
            body = self._read(reply)
            whole = True
        finally:
            self._reading = None
            if not whole:
                reply.close()
        return body

    def _read(self, reply: "BaseHTTPResponse") -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := reply.read1(READ_BYTES):
            self.check()
            parts.append(part)
            size += len(part)
            if size > self._max_bytes:
                raise ModelReplyError(
                    f"the model server's reply is larger than {self._max_bytes / 2**20:g} MB",
                    hint="Is base_url right? It is mostly left empty.",
                )
        self.check()
        announced = reply.headers.get("Content-Length", "")
        if announced.isdecimal() and size < int(announced):
            raise ModelUnavailableError("the model server cut its reply off", hint="Ask again.")
        return b"".join(parts)

    def drop(self) -> None:
        """End the connection whose body is being read, from another thread."""
        reading = self._reading
        connection = None if reading is None else reading.connection
        if isinstance(connection, HTTPConnection) and isinstance(connection.sock, socket):
            with suppress(OSError):  # (it has ended meanwhile)
                # TLS has a method of its own, which must not run beside a read.
                socket.shutdown(connection.sock, SHUT_RDWR)


class ReadBody(BytesIO):
    """A body that was read already, in the form in which botocore reads one."""

    def stream(self) -> "Iterator[bytes]":
        """Give the body in one piece."""
        yield self.getvalue()


_CURRENT: ContextVar[Exchange] = ContextVar("bedrock_exchange")


def current_exchange() -> Exchange:
    """Return the exchange of the call that runs on this thread."""
    return _CURRENT.get()


class Pending(Generic[T]):
    """A call that was begun."""

    def __init__(
        self, exchange: Exchange, future: "Future[T]", abandon: Callable[[], None]
    ) -> None:
        """Wait for `future` no longer than `exchange` lasts, and else call `abandon`."""
        self._exchange, self._future, self._abandon = exchange, future, abandon
        self._ended = Event()

    def result(self) -> T:
        """Return what the call returns, or raise what it raises.

        Raises ModelTimeoutError at the deadline, and StoppedError where the question is stopped.
        """
        try:
            with waking(self._ended.set):
                self._future.add_done_callback(lambda _: self._ended.set())
                self._ended.wait(self._exchange.left())
        finally:
            if not self._future.done():
                self._abandon()
                self._exchange.drop()
        if not self._future.done():
            check()
            raise self._exchange.timeout()
        return self._future.result()


class Calls:
    """Begins calls, each on a thread that does not keep the program from ending.

    A thread may outlive its call, for instance while an address is looked up. Where
    `MAX_ABANDONED` do, no further call is begun.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._abandoned: set[object] = set()

    def begin(self, call: Callable[[], T], seconds: float, max_bytes: int) -> Pending[T]:
        """Begin `call`, with its limits for time and size; raises ModelUnavailableError."""
        if len(self._abandoned) >= MAX_ABANDONED:
            raise ModelUnavailableError(
                f"{MAX_ABANDONED} earlier requests that ran out of time have not ended yet",
                hint="Wait a little, or start the program again.",
            )
        exchange, future, context = Exchange(seconds, max_bytes), Future[T](), copy_context()

        def run() -> None:
            _CURRENT.set(exchange)
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
                future.set_exception(error)

        def abandon() -> None:
            self._abandoned.add(future)
            future.add_done_callback(self._abandoned.discard)

        Thread(target=context.run, args=(run,), name=THREAD_NAME, daemon=True).start()
        return Pending(exchange, future, abandon)
