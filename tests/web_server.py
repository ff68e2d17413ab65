"""A small web server on a loopback address whose pages a test lays out."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event

from tests.loopback import Quiet, serving


@dataclass
class Page:
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    endless: bool = False


@dataclass
class Site:
    pages: dict[str, Page]
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Path and status of each request."""
    stopping: Event = field(default_factory=Event)


@contextmanager
def website(pages: dict[str, Page]) -> Iterator[Site]:
    """Serve pages by path; one with an ETag is not sent again to who has it."""
    site = Site(pages)

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path, Page(status=404))
            same = self.headers.get("If-None-Match", "-") == page.headers.get("ETag")
            status = 304 if same else page.status
            site.asked.append((self.path, str(status)))
            self.send_response(status)
            for name, value in ({"Content-Type": page.kind} | page.headers).items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(b"" if same else page.body)
                while page.endless and not site.stopping.wait(0.05):
                    self.wfile.write(b"x")

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with serving(running, site.stopping.set) as site.url:
        yield site
