"""Who is let in: known hosts, known tokens, within their limits. Counts what goes through."""

import math
import time
from collections.abc import Collection
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from research_agent.interfaces import http_limits
from research_agent.interfaces.http_limits import (
    App,
    Headers,
    Message,
    Receive,
    Send,
    problem,
)
from research_agent.interfaces.serve.tokens import Client, Clients

CLIENT = "research_agent.client"
"""Where the request's scope has its Client."""
PROBES = ("/health", "/ready")
"""Answered to everybody: probes know neither host nor token, and are told nothing else."""
PUBLIC = "/openapi.json"
METRICS = "/metrics"
QUESTIONS = ("/v1/research", "/v1/search", "/v1/chat", "/v1/chat/completions")
"""What asks models: so many at a time for each token."""
PATHS = (*PROBES, PUBLIC, METRICS, *QUESTIONS, "/v1/models")
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
GONE = 499
"""The status of a request whose client has gone."""
ADDED = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
Refusal = tuple[int, str, tuple[str, str]]
"""Status, reason and a header."""


SECONDS = (0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class Metrics:
    """Counters of one process; nothing in them says what was asked, or by whom."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ours: dict[str, Any] = {"namespace": "research_agent", "registry": self.registry}
        self.requests = Counter("requests", "Requests that ended.", ["path", "status"], **ours)
        self.seconds = Histogram(
            "request_seconds", "Their duration.", ["path"], buckets=SECONDS, **ours
        )
        self.errors = Counter("errors", "Questions that an error ended.", ["error"], **ours)
        self.tokens = Counter("model_tokens", "Tokens of language models.", ["kind"], **ours)
        self.running = Gauge("questions_running", "Questions and searches now.", **ours)


class Gate:
    """Stands in front of an app."""

    def __init__(
        self, app: App, clients: Clients, *, metrics: Metrics, hosts: Collection[str] = ()
    ) -> None:
        self._app = http_limits.with_bounded_bodies(app)
        self._clients, self._metrics = clients, metrics
        self._hosts = LOOPBACK | {host.lower() for host in hosts}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        begun, status = time.perf_counter(), GONE
        path = scope["path"] if scope["path"] in PATHS else "other"

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        sending = http_limits.with_headers(seen, ADDED)
        try:
            with ExitStack() as held:
                if refused := self._refusal(scope, held):
                    code, reason, (name, text) = refused
                    header, body = (name.encode(), text.encode()), problem(reason, "refused")
                    await http_limits.refuse(sending, code, header, values=body)
                else:
                    await self._app(scope, receive, sending)
        finally:
            self._metrics.requests.labels(path, str(status)).inc()
            self._metrics.seconds.labels(path).observe(time.perf_counter() - begun)

    def _refusal(self, scope: Message, held: ExitStack) -> Refusal | None:
        path, headers = scope["path"], dict(scope["headers"])
        if path in PROBES:
            return None
        none = ("connection", "close")
        host = headers.get(b"host", b"").decode("latin-1")
        if _name(f"//{host}") not in self._hosts:
            return 421, "this host is not served here: see --allow-host", none
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and _name(origin) not in self._hosts:
            return 403, "a page of another site has asked", none
        return None if path == PUBLIC else self._unknown(scope, headers, held)

    def _unknown(self, scope: Message, headers: Headers, held: ExitStack) -> Refusal | None:
        client = self._clients.of(headers.get(b"authorization", b""))
        if client is None:
            return 401, "the token is missing or wrong", ("www-authenticate", "Bearer")
        scope[CLIENT], path = client, scope["path"]
        if not (client.rule.metrics if path == METRICS else client.location):
            return 403, "this token is for something else", ("connection", "close")
        return self._limited(client, path, held)

    def _limited(self, client: Client, path: str, held: ExitStack) -> Refusal | None:
        if seconds := client.wait():
            most = client.rule.requests_per_minute
            after = ("retry-after", str(math.ceil(seconds)))
            return 429, f"this token has {most} requests a minute", after
        if path in QUESTIONS:
            if not held.enter_context(client.question()):
                most = client.rule.questions
                return 429, f"this token has {most} questions at a time", ("retry-after", "5")
            held.enter_context(self._metrics.running.track_inprogress())
        return None


def _name(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
