"""Who may use the page: itself alone, from this machine, with the token that was printed."""

import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

API = "/api/"
"""What begins so holds words of documents; the rest is the empty page, its style and script."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class Gate:
    """Stands in front of an app: checks Host, Origin and token, and adds headers.

    The token is in a header that only our own script can set: no cookie is sent along with what
    another site asks, and no other server of this machine gets to see it.
    """

    def __init__(self, app: App, *, token: str, port: int) -> None:
        """Serve `app` on a loopback port."""
        self._app, self._expected = app, f"Bearer {token}".encode()
        self._hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), text.encode()) for name, text in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        status, reason = self._refusal(str(scope["path"]), dict(scope["headers"]))
        if not status:
            await self._app(scope, receive, with_headers)
            return
        told = {"error": reason, "hint": "Open the address that research-agent web has printed."}
        kind = [(b"content-type", b"application/json")]
        await with_headers({"type": "http.response.start", "status": status, "headers": kind})
        await send({"type": "http.response.body", "body": json.dumps(told).encode()})

    def _refusal(self, path: str, headers: dict[bytes, bytes]) -> tuple[int, str]:
        """Return the status and the reason of a refusal, 0 where there is none."""
        host = headers.get(b"host", b"")
        if host not in self._hosts:
            return 403, "this page is served for 127.0.0.1 alone"
        if headers.get(b"origin", b"http://" + host) != b"http://" + host:
            return 403, "another site has asked"
        if not path.startswith(API):
            return 0, ""
        if headers.get(b"sec-fetch-site", b"same-origin") != b"same-origin":
            return 403, "another site has asked"
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._expected):
            return 401, "the token is missing or wrong"
        return 0, ""
