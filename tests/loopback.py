"""A small OpenAI-compatible server on a loopback address that replies as a test says.

    with server(lambda request: text_reply("Paris")) as url:
        ...

The script gets each request's JSON: chat requests have `messages`, embedding requests `input`.
"""

import json
import os
import select
import socket
import ssl
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply byte by byte; without a status the connection is closed without one."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] | None = None


class Peer:
    """The other end of one connection, for replies that are written piece by piece."""

    def __init__(self, connection: socket.socket, stopping: Event) -> None:
        self._connection, self._stopping = connection, stopping
        self.left = False
        """The client was seen to leave."""

    def send(self, data: bytes) -> None:
        """Send bytes; raises OSError where the client has gone."""
        try:
            self._connection.sendall(data)
        except OSError:
            self.left = True
            raise

    def gone(self, seconds: float) -> bool:
        """Wait up to `seconds` until the client goes; True where it did, or the server stops."""
        until = time.monotonic() + seconds
        while not self._stopping.is_set():
            left = until - time.monotonic()
            if left <= 0:
                return False
            if select.select([self._connection], [], [], min(left, 0.02))[0]:
                with suppress(OSError):
                    if self._connection.recv(1):
                        continue
                self.left = True
                return True
        return True

    def reset(self) -> None:
        """Break the connection off as a server does that crashes."""
        linger = struct.pack("ii", 1, 0)
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


@dataclass(frozen=True, slots=True)
class Live:
    """A reply that a function writes, beginning with the status line; then the connection ends."""

    write: Callable[[Peer], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request; `key` is what it sends as its key."""

    path: str
    key: str | None
    body: Json


Reply = Json | list[Any] | Raw | Live
Script = Callable[[Any], Reply]
"""Gets a request: its JSON, or what a server of another protocol makes of it."""

CLOSED = Raw(0)
"""The connection ends without a reply."""
CERTIFICATE = str(Path(__file__).with_name("data") / "loopback.pem")
"""Of this machine, signed by nobody; the file has its key too."""


def text_reply(
    text: str | None,
    *,
    tokens: Sequence[Json] | None = None,
    finish_reason: str | None = "stop",
    usage: Json | None = None,
) -> Json:
    """A reply of one message; `tokens` are sent where the request asks for log-probabilities."""
    listed = [token(part) for part in words(text or "")] if tokens is None else list(tokens)
    return _reply({"role": "assistant", "content": text}, listed, finish_reason, usage)


def tool_reply(name: str, arguments: str, *, text: str | None = None) -> Json:
    """A reply that calls one tool; `arguments` is JSON text, or broken JSON."""
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": text, "tool_calls": [call]}
    return _reply(message, [], "tool_calls", None)


def embedding_reply(vectors: Sequence[Sequence[float]]) -> Json:
    data = [
        {"object": "embedding", "index": i, "embedding": list(vector)}
        for i, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data, "model": "scripted", "usage": usage}


def error_reply(status: int, message: str, *, kind: str = "", code: object = None) -> Raw:
    error = {"message": message, "type": kind or "invalid_request_error", "code": code}
    return Raw(status, json.dumps({"error": error}).encode())


def token(text: str, logprob: float = -0.1, others: Mapping[str, float] | None = None) -> Json:
    """One entry of a list of log-probabilities; it is the first of its own alternatives."""
    top = {text: logprob, **(others or {})}
    listed = [{"token": t, "logprob": value, "bytes": None} for t, value in top.items()]
    return {"token": text, "logprob": logprob, "bytes": None, "top_logprobs": listed}


def words(text: str) -> list[str]:
    """The words of `text`, each with the space before it, so that they join to `text`."""
    first, *rest = text.split(" ")
    return [part for part in (first, *(f" {word}" for word in rest)) if part]


def _reply(
    message: Json, tokens: Sequence[Json], finish_reason: str | None, usage: Json | None
) -> Json:
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    counted = {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{**choice, "logprobs": {"content": list(tokens)}}],
        "usage": counted if usage is None else usage,
    }


class Quiet(BaseHTTPRequestHandler):
    """One connection of a server of ours."""

    def given(self) -> bytes:
        """Read what a request sends."""
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def answer(self, reply: Reply, peer: Peer) -> None:
        """Send a reply; one that a function writes ends the connection."""
        if isinstance(reply, Live):
            self.close_connection = True
            reply.write(peer)
            return
        raw = reply if isinstance(reply, Raw) else Raw(body=json.dumps(reply).encode())
        if not raw.status:
            self.close_connection = True
            return
        headers = raw.headers or {}
        self.send_response_only(raw.status)
        if "Date" not in headers:
            self.send_header("Date", self.date_time_string())
        self.send_header("Content-Type", raw.content_type)
        self.send_header("Content-Length", str(len(raw.body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw.body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


class ClosingServer(ThreadingHTTPServer):
    """Closes each connection for good, also one whose client left before it was read."""

    daemon_threads = False

    def close_request(self, request: Any) -> None:  # noqa: ANN401 (a socket)
        super().close_request(request)
        number = request.detach()  # (-1 where it is closed; else files on it were not)
        if number >= 0:
            os.close(number)


@contextmanager
def serving(
    running: ThreadingHTTPServer, end: Callable[[], object] = bool, certificate: str = ""
) -> Iterator[str]:
    """Run a server on a thread and give its address; `end` wakes replies that wait.

    With a `certificate` (a PEM file of both its halves) it speaks TLS.
    """
    with running:
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            running.socket = context.wrap_socket(running.socket, server_side=True)
        thread = Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http{'s' * bool(certificate)}://127.0.0.1:{running.server_port}"
        finally:
            end()
            running.shutdown()
            thread.join()


class _Server(ClosingServer):
    def __init__(self, script: Script, key: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.key, self.stopping = script, key, Event()
        self.log: list[Asked] = []

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 (sockets)
        """Stay silent where a client left."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(Quiet):
    server: _Server

    def do_POST(self) -> None:
        given = json.loads(self.given())
        key, sent = self.server.key, self.headers["Authorization"]
        self.server.log.append(Asked(self.path, sent, given))
        if key and sent != f"Bearer {key}":
            reply: Reply = error_reply(401, f"wrong: {sent}")
        else:
            reply = self.server.script(given)
        if isinstance(reply, dict):
            reply = _as_asked(reply, given)
        with suppress(OSError):  # (the client may leave at any time)
            self.answer(reply, Peer(self.connection, self.server.stopping))


@contextmanager
def server(script: Script, *, key: str = "", certificate: str = "") -> Iterator[str]:
    """Run the server and give its base URL.

    With a `key`, others are answered with 401; with a `certificate` it speaks TLS.
    """
    running = _Server(script, key)
    with serving(running, running.stopping.set, certificate) as url:
        yield f"{url}/v1"


@contextmanager
def rerank_server(script: Script) -> Iterator[tuple[str, list[Asked]]]:
    """Run a rerank server, and give its address and what it was asked."""
    running = _Server(script, "")
    with serving(running, running.stopping.set) as url:
        yield url, running.log


def _as_asked(reply: Json, given: Json) -> Json:
    """Leave log-probabilities out where they were not asked for."""
    if given.get("logprobs") or not reply.get("choices"):
        return reply
    return {**reply, "choices": [{**choice, "logprobs": None} for choice in reply["choices"]]}
