"""`research-agent serve`: the server, until it is told to end."""

import asyncio
import os
import socket
from dataclasses import dataclass

import uvicorn

from research_agent.errors import ConfigError
from research_agent.interfaces.cli.terminal import say
from research_agent.interfaces.http_limits import BoundedProtocol
from research_agent.interfaces.listening import exit_at_sigterm, listening
from research_agent.interfaces.serve.app import build_app
from research_agent.interfaces.serve.gate import LOOPBACK
from research_agent.interfaces.serve.shelf import Shelf
from research_agent.interfaces.serve.tokens import TOKEN, Clients, rules_of
from research_agent.settings import Settings

ENDING = 5.0
"""Seconds in which cancelled questions end."""
_WILD = frozenset({"0.0.0.0", "::"})  # noqa: S104 (compared, not bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to serve."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    """Names by which clients call the server, beside `host` and loopback's own."""
    tokens: str | None = None
    """A file of tokens."""
    root: str = ""
    """Where the indexes of tokens are, by their names."""
    grace: int = 30
    """Seconds that running questions have when the server is told to end."""


def serve(settings: Settings, manner: Manner, *, index: str) -> int:
    """Serve until SIGTERM or Ctrl-C; running questions are finished within `grace`.

    Raises ConfigError, PathError.
    """
    rules, is_new = rules_of(manner.tokens, os.environ)
    if is_new and manner.host not in LOOPBACK:
        raise ConfigError(
            f"{manner.host} is not this machine alone, and there is no token",
            hint=f"Name a file with --tokens, or set {TOKEN}.",
        )
    clients = Clients(rules, index=index, root=manner.root)
    hosts = (*manner.hosts, *({manner.host} - _WILD))
    exit_at_sigterm()
    with (
        listening(manner.port, option="--port", host=manner.host) as door,
        Shelf(settings) as shelf,
    ):
        config = uvicorn.Config(
            build_app(shelf, clients, hosts=hosts),
            http=BoundedProtocol,
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=manner.grace,
        )
        shown = f"[{manner.host}]" if ":" in manner.host else manner.host
        say(f"serving http://{shown}:{door.getsockname()[1]}", error=True)
        if is_new:
            say(f"clients send this header: Authorization: Bearer {rules[0].token}", error=True)
        asyncio.run(_serve(GracefulServer(config), door, shelf))
    return 0


class GracefulServer(uvicorn.Server):
    """Lets the questions that were cancelled at last end before the loop does."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for running requests, cancel what is left, and wait for that."""
        await super().shutdown(sockets)
        if tasks := list(self.server_state.tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=ENDING)


async def _serve(server: uvicorn.Server, door: socket.socket, shelf: Shelf) -> None:
    try:
        await server.serve(sockets=[door])
    finally:
        shelf.close()  # (while the loop is there, which its threads tell of their end)
