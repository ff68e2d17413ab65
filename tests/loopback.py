"""A small OpenAI-compatible server on a loopback address that replies as a test says.

    with server(lambda request: text_reply("Paris")) as url:
        ...

The script gets each request's JSON: chat requests have `messages`, embedding requests `input`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply byte by byte; without a status the connection is closed without one."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] | None = None


Script = Callable[[Json], Json | Raw]

CLOSED = Raw(0)
"""The connection ends without a reply."""


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
    """A reply of one vector a text."""
    data = [
        {"object": "embedding", "index": i, "embedding": list(vector)}
        for i, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data, "model": "scripted", "usage": usage}


def error_reply(status: int, message: str, *, kind: str = "", code: object = None) -> Raw:
    """An error in OpenAI's form."""
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


@contextmanager
def server(script: Script, *, key: str = "") -> Iterator[str]:
    """Run the server and give its base URL; with a `key`, others are answered with 401."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if key and self.headers["Authorization"] != f"Bearer {key}":
                reply: Json | Raw = error_reply(401, f"wrong: {self.headers['Authorization']}")
            else:
                reply = script(given)
            if isinstance(reply, dict):
                reply = Raw(200, json.dumps(_as_asked(reply, given)).encode())
            if reply.status:
                self._send(reply)

        def _send(self, reply: Raw) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in (reply.headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    class Server(ThreadingHTTPServer):
        daemon_threads = False

    with Server(("127.0.0.1", 0), Handler) as running:
        serving = Thread(target=running.serve_forever, args=(0.02,))
        serving.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}/v1"
        finally:
            running.shutdown()
            serving.join()


def _as_asked(reply: Json, given: Json) -> Json:
    """Leave log-probabilities out where they were not asked for."""
    if given.get("logprobs") or not reply.get("choices"):
        return reply
    return {**reply, "choices": [{**choice, "logprobs": None} for choice in reply["choices"]]}
