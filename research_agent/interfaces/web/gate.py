"""Who may use the page: itself alone, from this machine, with the token that was printed."""

from research_agent.interfaces import http_limits
from research_agent.interfaces.http_limits import App, Headers, Message, Receive, Send

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
        self._app, self._token = app, token
        self._hosts = {f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        sending = http_limits.with_headers(send, HEADERS)
        status, reason = self._refusal(str(scope["path"]), dict(scope["headers"]))
        if status:
            told = {
                "error": reason,
                "hint": "Open the address that research-agent web has printed.",
            }
            await http_limits.refuse(sending, status, told=told)
        else:
            await self._app(scope, receive, sending)

    def _refusal(self, path: str, headers: Headers) -> tuple[int, str]:
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
        if not http_limits.sends(headers, self._token):
            return 401, "the token is missing or wrong"
        return 0, ""
