"""`research-agent mcp`: the MCP server on stdin and stdout, or on a loopback port."""

import os
from contextlib import ExitStack
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from research_agent.access import access_token
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.process import opened, start
from research_agent.interfaces.cli.terminal import say
from research_agent.interfaces.listening import HOST, listening
from research_agent.interfaces.mcp.server import build_server

TOKEN = "RESEARCH_AGENT_MCP_TOKEN"  # noqa: S105 (the name of a variable)


def serve(*, index: str, config: str | None, port: int | None) -> int:
    """Serve an index until the client goes or the program is interrupted; stdout is MCP alone."""
    settings = start(config)
    token = access_token(TOKEN, os.environ) if port is not None else ""
    with ExitStack() as stack:
        connection = stack.enter_context(opened(index, settings))
        agent = stack.enter_context(
            ResearchAgent(connection.ports, connection.settings, load_prompts())
        )
        server = build_server(agent)
        if port is None:
            anyio.run(_over_stdio, server)
        else:
            anyio.run(_over_http, server, port, token)
    return 0


async def _over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _over_http(server: Server[Any], port: int, token: str) -> None:
    import uvicorn

    from research_agent.interfaces.http_limits import (
        BoundedProtocol,
        with_bounded_bodies,
        with_token,
    )

    app = with_token(with_bounded_bodies(server.streamable_http_app(host=HOST)), token)
    config = uvicorn.Config(
        app, http=BoundedProtocol, log_level="warning", timeout_graceful_shutdown=3, lifespan="on"
    )
    with listening(port, option="--http") as door:
        say(f"serving MCP at http://{HOST}:{door.getsockname()[1]}/mcp", error=True)
        if not os.environ.get(TOKEN):
            say(f"clients send this header: Authorization: Bearer {token}", error=True)
        await uvicorn.Server(config).serve(sockets=[door])
