"""The door of LangGraph's development server; `langgraph.json` names `app` and `auth`.

Without it any web page that is open in a browser, and any other user of the machine, could run the
graphs: index a folder of its choice and read what is in it.
"""

import hmac
import os
import sys
from functools import cache

from langgraph_sdk import Auth
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from research_agent.access import access_token

TOKEN = "RESEARCH_AGENT_STUDIO_TOKEN"  # noqa: S105 (the name of a variable)
HOSTS = ("127.0.0.1", "localhost", "::1", "[::1]")
"""Names of this machine. Another one would be a page that has its name lead here."""
ORIGINS = ("https://smith.langchain.com", "https://eu.smith.langchain.com")
"""Pages that may ask, with the token: Studio itself. The same as `http.cors` in langgraph.json."""


@cache
def token() -> str:
    """Return the token of this server; a new one is printed to stderr. Raises ConfigError."""
    made = access_token(TOKEN, os.environ)
    if not os.environ.get(TOKEN):
        message = f"clients send this header: Authorization: Bearer {made}"
        print(message, file=sys.stderr, flush=True)  # noqa: T201 (it is for whoever started the server)
    return made


class KnownOrigins:
    """Turns requests away that come from a page which is neither Studio's nor this server's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        headers = Headers(scope=scope) if scope["type"] in {"http", "websocket"} else Headers()
        origin = headers.get("origin", "")
        own = origin.partition("://")[2] == headers.get("host")
        if not origin or own or origin in ORIGINS:
            await self._app(scope, receive, send)
        else:
            refused = PlainTextResponse("Foreign origin", status_code=403)
            await refused(scope, receive, send)


app = Starlette(
    middleware=[
        Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
        Middleware(KnownOrigins),
    ]
)
auth = Auth()
token()


@auth.authenticate
async def holder(headers: dict[bytes, bytes]) -> str:
    """Return who sends the token, in `Authorization: Bearer` or in `x-api-key`, as the SDK does."""
    given = headers.get(b"authorization", b"").removeprefix(b"Bearer ")
    for sent in (given, headers.get(b"x-api-key", b"")):
        if hmac.compare_digest(sent, token().encode()):
            return "holder"
    raise Auth.exceptions.HTTPException(status_code=401, detail="The token is missing or wrong.")
