"""A rerank server on a loopback address that replies as a test says."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply byte by byte; `body` of None closes the connection without one."""

    body: bytes | None = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    """The announced length, where it is not the body's."""
    pause: float = 0.0
    """Seconds after each byte of the body."""


Script = Callable[[Json], object]
"""A request's JSON to a Reply, or to anything else that is sent as JSON."""


@dataclass(slots=True)
class Running:
    """A server that runs, and what it was asked."""

    url: str
    asked: list[Json] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    ended: Event = field(default_factory=Event)
    """Set at the end, for scripts that wait."""


class Handler(BaseHTTPRequestHandler):
    """Runs the script of its server."""

    server: "Server"

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.running.asked.append(given)
        self.server.running.paths.append(self.path)
        self.server.running.keys.append(self.headers["Authorization"])
        reply = self.server.script(given)
        if not isinstance(reply, Reply):
            reply = Reply(json.dumps(reply).encode())
        with suppress(OSError):  # (the client may be gone: that is the test)
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        if reply.body is None:
            return
        self.send_response(reply.status)
        self.send_header("Content-Length", str(reply.length or len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        step = 1 if reply.pause else max(1, len(reply.body))
        for at in range(0, len(reply.body), step):
            self.wfile.write(reply.body[at : at + step])
            if reply.pause and self.server.running.ended.wait(reply.pause):
                return

    def log_message(self, *_: object) -> None:
        """Stay silent."""


class Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.running = Running(f"http://127.0.0.1:{self.server_port}")


@contextmanager
def rerank_server(script: Script) -> Iterator[Running]:
    """Run the server."""
    with Server(script) as server:
        serving = Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        try:
            yield server.running
        finally:
            server.running.ended.set()
            server.shutdown()
            serving.join()
