"""A small web server on a loopback address whose pages a test lays out."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass
class Page:
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    endless: str = ""
    """"head": its head never ends; "body": its text never ends."""


@dataclass
class Site:
    url: str
    pages: dict[str, Page]
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Path and status of each request."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site
    stopping: Event

    def do_GET(self) -> None:
        page = self.site.pages.get(self.path, Page(status=404))
        etag = page.headers.get("ETag", "")
        same = bool(etag) and self.headers.get("If-None-Match") == etag
        status = 304 if same else page.status
        self.site.asked.append((self.path, str(status)))
        with suppress(OSError):
            if page.endless == "head":
                self._drip(b"HTTP/1.1 200 OK\r\nX: ")
            self.send_response(status)
            size = {} if page.endless else {"Content-Length": str(len(page.body) * (not same))}
            for name, value in ({"Content-Type": page.kind} | size | page.headers).items():
                self.send_header(name, value)
            self.end_headers()
            if page.endless:
                self._drip(b"<p>")
            self.wfile.write(b"" if same else page.body)

    def _drip(self, first: bytes) -> None:
        self.close_connection = True
        self.wfile.write(first)
        while not self.stopping.wait(0.05):
            self.wfile.write(b"x")

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@contextmanager
def website(pages: dict[str, Page]) -> Iterator[Site]:
    """Serve pages by path; one with an ETag is not sent again to who has it."""
    stopping, site = Event(), Site("", pages)
    handler = type("Handler", (_Handler,), {"site": site, "stopping": stopping})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.daemon_threads = True
        site.url = f"http://127.0.0.1:{running.server_port}"
        serving = Thread(target=running.serve_forever, args=(0.02,))
        serving.start()
        try:
            yield site
        finally:
            stopping.set()
            running.shutdown()
            serving.join()


def squeezed(size: int) -> Page:
    """Return a page that is small on the wire."""
    return Page(gzip.compress(bytes(size)), headers={"Content-Encoding": "gzip"})
