"""`research-agent web`: the page on a loopback port, for those who have the printed token."""

import os
from typing import Any

import uvicorn

from research_agent.access import access_token
from research_agent.interfaces import http_limits
from research_agent.interfaces.cli.terminal import note, say
from research_agent.interfaces.http_limits import App, Headers, Message, Receive, Send
from research_agent.interfaces.listening import HOST, exit_at_sigterm, listening
from research_agent.interfaces.web.app import build_app
from research_agent.interfaces.web.workspace import Workspace
from research_agent.settings import Settings

TOKEN = "RESEARCH_AGENT_WEB_TOKEN"  # noqa: S105 (the name of a variable)
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


def serve(settings: Settings, *, index: str, port: int) -> int:
    """Serve the page until the program is interrupted; the address goes to stdout."""
    token = access_token(TOKEN, os.environ)
    exit_at_sigterm()
    with listening(port, option="--port") as door, Workspace(settings, index) as workspace:
        number = door.getsockname()[1]
        say(f"http://{HOST}:{number}/#token={token}")
        note("open this address in a browser of this machine; Ctrl-C ends it", mark="")
        build_server(workspace, token=token, port=number).run(sockets=[door])
    return 0


def build_server(workspace: Workspace, *, token: str, port: int) -> uvicorn.Server:
    """Return the server of a workspace's page."""
    app: Any = gate(build_app(workspace), token=token, port=port)
    return uvicorn.Server(
        uvicorn.Config(
            app, log_level="warning", ws="none", lifespan="off", timeout_graceful_shutdown=3
        )
    )


def gate(app: App, *, token: str, port: int) -> App:
    """Return an app behind a check of Host, Origin and token, with our headers.

    The token is in a header that only our own script can set: no cookie is sent along with what
    another site asks, and no other server of this machine gets to see it.
    """

    async def gated(scope: Message, receive: Receive, send: Send) -> None:
        sending = http_limits.with_headers(send, HEADERS)
        status, reason = _refusal(scope["path"], dict(scope["headers"]), token=token, port=port)
        if status:
            hint = "Open the address that research-agent web has printed."
            await http_limits.refuse(sending, status, values={"error": reason, "hint": hint})
        else:
            await app(scope, receive, sending)

    return gated


def _refusal(path: str, headers: Headers, *, token: str, port: int) -> tuple[int, str]:
    host = headers.get(b"host", b"")
    if host not in (f"127.0.0.1:{port}".encode(), f"localhost:{port}".encode()):
        return 403, "this page is served for 127.0.0.1 alone"
    if headers.get(b"origin", b"http://" + host) != b"http://" + host:
        return 403, "another site has asked"
    if not path.startswith(API):
        return 0, ""
    if headers.get(b"sec-fetch-site", b"same-origin") != b"same-origin":
        return 403, "another site has asked"
    if not http_limits.sends(headers, token):
        return 401, "the token is missing or wrong"
    return 0, ""
