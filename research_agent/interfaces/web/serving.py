"""`research-agent web`: the page on a loopback port."""

import os
from types import FrameType
from typing import Any

import uvicorn

from research_agent.access import access_token
from research_agent.interfaces.cli.terminal import note, say
from research_agent.interfaces.listening import HOST, exit_at_sigterm, listening
from research_agent.interfaces.web.app import build_app
from research_agent.interfaces.web.gate import Gate
from research_agent.interfaces.web.workspace import Workspace
from research_agent.settings import Settings

TOKEN = "RESEARCH_AGENT_WEB_TOKEN"  # noqa: S105 (the name of a variable)


def serve(settings: Settings, *, index: str, port: int) -> int:
    """Serve the page until the program is interrupted; the address goes to stdout."""
    token = access_token(TOKEN, os.environ)
    exit_at_sigterm()
    with listening(port, option="--port") as door, Workspace(settings, index) as workspace:
        number = door.getsockname()[1]
        say(f"http://{HOST}:{number}/#token={token}")
        note("open this address in a browser of this machine; Ctrl-C ends it", mark="")
        PageServer(workspace, token=token, port=number).run(sockets=[door])
    return 0


class PageServer(uvicorn.Server):
    """Serves a workspace. Told to end it lets the readers of events go, which it waits for."""

    def __init__(self, workspace: Workspace, *, token: str, port: int) -> None:
        app: Any = Gate(build_app(workspace), token=token, port=port)
        config = uvicorn.Config(
            app, log_level="warning", ws="none", lifespan="off", timeout_graceful_shutdown=3
        )
        super().__init__(config)
        self._workspace = workspace

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End at the first signal."""
        super().handle_exit(sig, frame)
        self._workspace.end()
