"""The one request that a client has in flight: its time, its size, and its connection.

The library's timeouts are for single reads: a reply that comes byte by byte never meets them. So
the connection itself is ended at the deadline. For that a second handle to it is kept, because
the first one moves when TLS begins, and may not be touched while another thread reads from it.
"""

import re
import socket
import time
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from research_agent.errors import ModelReplyError

if TYPE_CHECKING:
    from httpx2 import Request, Response, SyncByteStream

CONNECT_SECONDS = 10.0
BACKSTOP_SECONDS = 1.0
"""The library's timeouts come this much after the deadline, which is kept by who asked."""
LONGEST_SECONDS = 1e6
"""More than this a socket does not wait."""
ERROR_BYTES = 65_536
"""What is read of an error's body."""
REDIRECT = 300
"""From this status on a reply is no success."""
KIND = re.compile(r"[a-z0-9.+/-]{1,40}")


class NotStreamedError(Exception):
    """A server that was asked to stream sent a plain reply."""


class Watch:
    """Watches what one client sends and gets; one request at a time."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        self._lock = Lock()
        self._handle: socket.socket | None = None
        self._used: socket.socket | None = None
        self._dropped = False
        self._until = 0.0
        self._limit = 0
        self._streamed = False

    def begin(self, until: float) -> None:
        """Expect requests that end at `until`, in seconds of the monotonic clock."""
        self._until = until

    def expect(self, *, max_bytes: int, streamed: bool = False) -> None:
        """Say how large the reply to the next request may be, and whether it is streamed."""
        self._limit, self._streamed = max_bytes, streamed

    def drop(self) -> None:
        """End the connection, and any later one: a read that waits fails at once."""
        with self._lock:
            self._dropped = True
            _end(self._handle)

    def settle(self) -> None:
        """Let go of the connection, if the client has closed it: the server is to see that."""
        if self._used is None or self._used.fileno() < 0:
            self.close()

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            if self._handle is not None:
                self._handle.close()
            self._handle = None

    def on_request(self, request: "Request") -> None:
        """Give the request what is left of the time, and follow its connection."""
        left = min(max(0.0, self._until - time.monotonic()) + BACKSTOP_SECONDS, LONGEST_SECONDS)
        timeout = {"connect": min(left, CONNECT_SECONDS), "read": left, "write": left, "pool": left}
        request.extensions = {**request.extensions, "timeout": timeout, "trace": self._trace}
        request.headers["Accept-Encoding"] = "identity"

    def on_response(self, response: "Response") -> None:
        """Refuse what cannot be a reply before its body is read, and limit the rest."""
        from research_agent.models.adapters.openai.bodies import ErrorBody, LimitedBody, too_large

        encoded = _given(response, "content-encoding") not in ("", "identity")
        body = cast("SyncByteStream", response.stream)
        if response.status_code >= REDIRECT:
            if encoded:
                del response.headers["content-encoding"]
            response.stream = ErrorBody(body, 0 if encoded else ERROR_BYTES)
            return
        if encoded:
            raise ModelReplyError(
                "the model server's reply is compressed, unlike it was asked for",
                hint="A proxy in between may do that; let it leave replies as they are.",
            )
        self._check_kind(_given(response, "content-type"))
        length = _given(response, "content-length")
        if length.isdecimal() and int(length[:18]) > self._limit:
            raise too_large(self._limit)
        response.stream = LimitedBody(body, self._limit)

    def _check_kind(self, kind: str) -> None:
        """Raise where the reply is not of the kind that was asked for."""
        if kind == "text/event-stream" if self._streamed else kind.endswith("json"):
            return
        if self._streamed and "html" not in kind:
            raise NotStreamedError
        known = kind if KIND.fullmatch(kind) else "of no known type"
        raise ModelReplyError(
            f"the model server sent something that is no reply ({known})",
            hint="Is base_url the address of a model server? (It mostly ends in /v1.)",
        )

    def _trace(self, event: str, told: Mapping[str, Any]) -> None:
        """Keep a handle to the connection that was just made."""
        if not event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            return
        self._used = made = told["return_value"].get_extra_info("socket")
        if event.endswith(".connect_tcp.complete"):
            with self._lock:
                if self._handle is not None:
                    self._handle.close()
                self._handle = made.dup()
                if self._dropped:
                    _end(self._handle)


def _end(handle: socket.socket | None) -> None:
    if handle is not None:
        try:
            handle.shutdown(socket.SHUT_RDWR)
        except OSError:  # (the server was quicker)
            return


def _given(response: "Response", name: str) -> str:
    """Return the first part of a header's value in lower case; empty where it is missing."""
    return str(response.headers.get(name, "")).partition(";")[0].strip().lower()
