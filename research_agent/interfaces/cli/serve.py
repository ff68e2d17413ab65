"""The commands that serve until they are told to end: serve, mcp, web."""

import asyncio
import os

import click

from research_agent.errors import ConfigError
from research_agent.interfaces.cli import options
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.interfaces.cli.process import exits, needs, start
from research_agent.interfaces.cli.terminal import say
from research_agent.interfaces.listening import exit_at_sigterm, listening

WILD = frozenset({"0.0.0.0", "::"})  # noqa: S104 (compared, not bound)


@click.command("serve")
@options.INDEX
@options.CONFIG
@options.PRESET
@options.ROUNDS
@click.option("--host", default="127.0.0.1", help="The address to listen on.")
@click.option("--port", type=options.PORT, default=8480, help="The port (0: a free one).")
@click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="Another host name that clients may use, besides localhost and --host.",
)
@click.option(
    "--tokens", metavar="FILE", help="Tokens with their indexes and limits (docs/serve.md)."
)
@click.option(
    "--root",
    default="",
    metavar="PATH_OR_URL",
    help="The folder, s3://BUCKET/NAME or lance:/PATH that holds the indexes named in --tokens.",
)
@click.option(
    "--grace",
    type=click.IntRange(0, 86_400),
    default=30,
    help="Seconds that running questions get when the server is shutting down.",
)
@options.OFFLINE
@exits
def serve_command(  # noqa: PLR0913 (one argument an option)
    *,
    index: str,
    config: str | None,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    tokens: str | None,
    root: str,
    grace: int,
) -> int:
    """Serve answers over HTTP as JSON, server-sent events or OpenAI chat completions."""
    needs("starlette", "uvicorn", "prometheus_client", extra="serve")
    from research_agent.interfaces.serve import app, gate, shelf
    from research_agent.interfaces.serve.tokens import TOKEN, Clients, rules_of

    settings = start(config, tells_preset=True)
    rules, is_new = rules_of(tokens, os.environ)
    if is_new and host not in gate.LOOPBACK:
        raise ConfigError(
            f"{host} is not this machine alone, and there is no token",
            hint=f"Name a file with --tokens, or set {TOKEN}.",
        )
    clients = Clients(rules, index=index, root=root)
    exit_at_sigterm()
    with listening(port, option="--port", host=host) as door, shelf.Shelf(settings) as shelves:
        built = app.build_app(shelves, clients, hosts=(*hosts, *({host} - WILD)))
        shown = f"[{host}]" if ":" in host else host
        say(f"serving http://{shown}:{door.getsockname()[1]}", error=True)
        if is_new:
            say(f"clients send this header: Authorization: Bearer {rules[0].token}", error=True)
        asyncio.run(app.serve(built, door, shelves, grace=grace))
    return 0


@click.command("mcp")
@options.INDEX
@options.ASKING
@click.option(
    "--http",
    "port",
    type=options.PORT,
    metavar="PORT",
    help="Serve HTTP on this port of 127.0.0.1 (0: a free one) instead of stdin and stdout.",
)
@options.OFFLINE
@exits
def mcp_command(*, index: str, config: str | None, port: int | None) -> int:
    """Serve an index to MCP clients, with tools for search, reading and whole questions."""
    needs("mcp", extra="mcp")
    from research_agent.interfaces.mcp.server import serve

    return serve(index=index, config=config, port=port)


@click.command("web")
@options.INDEX
@options.ASKING
@options.ROUNDS
@options.DOCS
@click.option("--port", type=options.PORT, default=8421, help="Port on 127.0.0.1 (0: a free one).")
@options.OFFLINE
@exits
def web_command(*, index: str, config: str | None, docs: tuple[str, ...], port: int) -> int:
    """Serve a web page on this machine: questions, answers, cited pages."""
    needs("starlette", "uvicorn", extra="web")
    from research_agent.interfaces.web.serving import serve

    options.index_is_named(docs)
    settings = start(config, tells_preset=True)
    where = index_for_docs(docs, settings, verbose=True) if docs else index
    return serve(settings, index=where, port=port)
