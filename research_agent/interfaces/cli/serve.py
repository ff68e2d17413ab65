"""The command `serve`."""

import click

from research_agent.interfaces.cli.options import CONFIG, INDEX, OFFLINE, PORT, PRESET, ROUNDS
from research_agent.interfaces.cli.process import needs, start, told


@click.command("serve")
@INDEX
@CONFIG
@PRESET
@ROUNDS
@click.option("--host", default="127.0.0.1", help="The address to listen on.")
@click.option("--port", type=PORT, default=8480, help="The port (0: a free one).")
@click.option(
    "--allow-host",
    "hosts",
    metavar="NAME",
    multiple=True,
    help="A name by which clients call this server, besides localhost and --host.",
)
@click.option(
    "--tokens", metavar="FILE", help="Tokens with their indexes and limits (see docs/serve.md)."
)
@click.option(
    "--root",
    metavar="PATH_OR_URL",
    help="Where the indexes that --tokens names are: a folder, s3://BUCKET/NAME or lance:/PATH.",
)
@click.option(
    "--grace",
    type=click.IntRange(0, 86_400),
    default=30,
    help="Seconds that running questions have when the server is told to end.",
)
@OFFLINE
@told
def serve_command(  # noqa: PLR0913 (one argument an option)
    *,
    index: str,
    config: str | None,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    tokens: str | None,
    root: str | None,
    grace: int,
) -> int:
    """Serve answers over HTTP: JSON, server-sent events, OpenAI's chat completions."""
    needs("starlette", "uvicorn", "prometheus_client", extra="serve")
    from research_agent.interfaces.serve.serving import Manner, serve

    settings = start(config, tells_preset=True)
    manner = Manner(host=host, port=port, hosts=hosts, tokens=tokens, root=root or "", grace=grace)
    return serve(settings, manner, index=index)
