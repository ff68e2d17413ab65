"""A small Bedrock on a loopback address that replies as a test says.

    with bedrock(lambda asked: text_reply("Paris")) as server:
        ... server.url, server.log

It knows Converse and InvokeModel, speaks HTTP/1.1, and keeps what it was asked.
"""

import json
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from threading import Event
from urllib.parse import unquote

from tests.loopback import ClosingServer, Json, Peer, Quiet, Raw, Script, serving


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    model: str
    operation: str
    """"converse" or "invoke"."""
    body: Json
    headers: Mapping[str, str]
    connection: int
    """The same number for requests over the same connection."""


@dataclass(slots=True)
class Running:
    """A server that runs."""

    url: str = ""
    log: list[Asked] = field(default_factory=list)
    gone: Event = field(default_factory=Event)
    """Set when a client went away while it was being answered."""


def text_reply(text: str, *, stop: str = "end_turn", usage: Json | None = None) -> Json:
    return _reply([{"text": text}], stop, usage)


def tool_reply(name: str, given: object, *, text: str = "", stop: str = "tool_use") -> Json:
    call = {"toolUse": {"toolUseId": "t1", "name": name, "input": given}}
    return _reply([*([{"text": text}] if text else []), call], stop, None)


def error_reply(
    code: str, status: int = 400, message: str = "", headers: Mapping[str, str] | None = None
) -> Raw:
    body = json.dumps({"message": message or "the secret text of a document"}).encode()
    return Raw(status, body, headers={"x-amzn-errortype": code, **(headers or {})})


def titan_reply(vector: Sequence[float]) -> Json:
    """A vector in Titan's form."""
    return {"embedding": list(vector), "inputTextTokenCount": 3}


def cohere_reply(vectors: Sequence[Sequence[float]]) -> Json:
    """Vectors in Cohere's form."""
    return {"embeddings": [list(v) for v in vectors], "response_type": "embeddings_floats"}


def _reply(content: list[Json], stop: str, usage: Json | None) -> Json:
    counted = {"inputTokens": 90, "outputTokens": 9, "totalTokens": 99}
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop,
        "usage": counted if usage is None else usage,
        "metrics": {"latencyMs": 1},
    }


class Server(ClosingServer):
    """Runs each connection on a thread of its own."""

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script, self.running, self.ended = script, Running(), Event()
        self.sockets: set[socket.socket] = set()

    def end(self) -> None:
        """End every connection, also those that hang."""
        self.ended.set()
        self.shutdown()
        for one in list(self.sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class Handler(Quiet, BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def handle(self) -> None:
        self.server.sockets.add(self.connection)
        with suppress(OSError):
            super().handle()
        self.server.sockets.discard(self.connection)

    def do_POST(self) -> None:
        _, _, model, operation = self.path.split("/")
        given = json.loads(self.given())
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(unquote(model), operation, given, headers, id(self))
        self.server.running.log.append(asked)
        peer = Peer(self.connection, self.server.ended)
        try:
            self.answer(self.server.script(asked), peer)
        finally:
            if peer.left:
                self.server.running.gone.set()


@contextmanager
def bedrock(script: Script, certificate: str = "") -> Iterator[Running]:
    """Run the server; whatever still hangs is ended with it, and a `certificate` is for TLS."""
    running = Server(script)
    with serving(running, running.end, certificate) as running.running.url:
        yield running.running
