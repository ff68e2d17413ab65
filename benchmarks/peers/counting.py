"""A proxy on this machine that counts a peer's calls and tokens on their way to the server."""

import json
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from threading import Lock, Thread
from typing import Self
from urllib.parse import urlsplit

OK, NO_SERVER = 200, 502
PASSED = ("Authorization", "Content-Type", "Accept")
"""Headers of a request that the server gets."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was asked of the server for one question."""

    calls: int = 0
    """Requests that were sent, also failed ones."""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Counter:
    """The proxy; it runs in a `with` block. Replies are passed on whole, never as a stream."""

    def __init__(self, base_url: str) -> None:
        """Pass requests on to `base_url`, ending in /v1."""
        split = urlsplit(base_url)
        self._host, self._port = split.hostname or "", split.port
        self._lock = Lock()
        self.counts = Counts()
        """What was counted since the last reset."""
        self._open: set[HTTPConnection] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}{split.path}"
        """What the peer is told to ask."""

    def __enter__(self) -> Self:
        """Begin to listen."""
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self.drop()
        self._server.shutdown()
        self._server.server_close()

    def reset(self) -> None:
        """Count from nothing."""
        with self._lock:
            self.counts = Counts()

    def drop(self) -> None:
        """Give up the requests under way, so that the server stops writing."""
        with self._lock:
            going = list(self._open)
        for connection in going:
            if connection.sock is not None:
                with suppress(OSError):  # it has ended meanwhile
                    connection.sock.shutdown(SHUT_RDWR)

    def passed(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, bytes]:
        """Return the server's status and reply; 502 where there is none."""
        connection = HTTPConnection(self._host, self._port)
        with self._lock:
            self._open.add(connection)
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            status, content = reply.status, reply.read()
        except (OSError, HTTPException) as error:
            status, content = NO_SERVER, json.dumps({"error": {"message": str(error)}}).encode()
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()
        if method == "POST":
            self._count(status, content)
        return status, content

    def _count(self, status: int, content: bytes) -> None:
        usage = (json.loads(content).get("usage") or {}) if status == OK else {}
        with self._lock:
            was = self.counts
            self.counts = Counts(
                was.calls + 1,
                was.prompt_tokens + usage.get("prompt_tokens", 0),
                was.completion_tokens + usage.get("completion_tokens", 0),
            )


def _handler(counter: Counter) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name: self.headers[name] for name in PASSED if self.headers[name]}
            status, content = counter.passed(self.command, self.path, headers, body)
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # the peer has gone
                self.close_connection = True

        do_POST = do_GET  # noqa: N815 (http.server's name)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    return Handler
