"""What servers tell about their models, and that nothing they send is trusted."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from research_agent.models.adapters.served import context_of_embedded, context_of_served

Answer = tuple[int, bytes] | None


class Telling(ThreadingHTTPServer):
    """Answers GET requests; notes path and key."""

    daemon_threads = False

    def __init__(self, answers: dict[str, Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.asked: list[tuple[str, str]] = []
        self.pause = 0.0
        """Seconds before each byte of a body; 0: it is sent at once."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Telling

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["Authorization"]))
        answer = self.server.answers.get(self.path, (404, b"{}"))
        if answer is None:
            time.sleep(0.3)
            return
        status, body = answer
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # (who asked may have left)
            self._write(body)

    def _write(self, body: bytes) -> None:
        if not self.server.pause:
            self.wfile.write(body)
            return
        for byte in body:
            time.sleep(self.server.pause)
            self.wfile.write(bytes([byte]))

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@contextmanager
def telling(**answers: object) -> Iterator[Telling]:
    as_bytes: dict[str, Answer] = {}
    for name, value in answers.items():
        path = "/props" if name == "props" else f"/v1/{name}"
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        as_bytes[path] = (200, body)
    with Telling(as_bytes) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        try:
            yield server
        finally:
            server.shutdown()
            serving.join()


def served(server: Telling, model: str = "m", seconds: float = 2.0) -> int | None:
    return context_of_served(server.url, model, "k", seconds=seconds, proxied=False)


@pytest.mark.parametrize(
    ("entry", "length"),
    [
        ({"id": "m", "max_model_len": 4096}, 4096),
        ({"id": "m", "meta": {"n_ctx": 2048}}, 2048),
        ({"id": "m", "context_window": 131072, "owned_by": "x"}, 131072),
        ({"id": "models/m", "inputTokenLimit": 1000}, 1000),
        ({"id": "m"}, None),
        ({"id": "m", "max_model_len": True, "context_length": "8k"}, None),
        ({"id": "m", "context_length": -1}, None),
        ({"id": "other", "max_model_len": 4096}, None),
    ],
)
def test_length_is_read_by_its_names(entry: dict[str, object], length: int | None) -> None:
    """Servers call it differently; what is no length counts as not told."""
    with telling(models={"data": ["no object", {"id": "x", "n_ctx": 5}, entry]}) as server:
        assert length == served(server)


def test_embedded_server_tells_what_it_was_started_with() -> None:
    """Beside /v1, with the key."""
    with telling(props={"default_generation_settings": {"n_ctx": 8192}}) as server:
        assert 8192 == context_of_embedded(server.url, "secret", seconds=2.0)
        assert [("/props", "Bearer secret")] == server.asked


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"null",
        b"[]",
        b'{"data": 3}',
        b'{"data": null}',
        b"\xff",
        b"[" * 100_000,
        b'{"data": [' + b" " * 3_000_000 + b"]}",
    ],
)
def test_anything_else_is_not_told(body: bytes) -> None:
    """HTML, other JSON, no text, an endless list: None, and no error."""
    with telling(models=body) as server:
        assert None is served(server)


def test_list_that_drips_is_left_at_its_time() -> None:
    """The seconds are for all of it, not for each byte."""
    with telling(models={"data": [], "more": "x" * 2000}) as server:
        server.pause = 0.02
        begun = time.monotonic()
        assert None is served(server, seconds=0.2)
        assert time.monotonic() - begun < 10


def test_key_is_not_sent_elsewhere() -> None:
    """A redirect is not followed."""
    with telling(elsewhere={"data": [{"id": "m", "n_ctx": 7}]}) as server:
        server.answers["/v1/models"] = (302, b"")
        assert None is served(server)
        assert ["/v1/models"] == [path for path, _ in server.asked]


def test_silent_or_missing_server_costs_its_seconds() -> None:
    """A server that says nothing, none at all, and no web address."""
    with telling() as server:
        server.answers["/v1/models"] = None
        assert None is served(server, seconds=0.1)
        url = server.url
    assert None is context_of_served(url, "m", "k", seconds=1.0, proxied=False)
    assert None is context_of_served("file:///etc", "m", "k", seconds=1.0, proxied=False)


def test_proxies_are_past_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the environment names is not asked where the server is our own."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with telling(models={"data": [{"id": "m", "n_ctx": 7}]}) as server:
        assert 7 == served(server)
