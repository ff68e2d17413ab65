"""The command `serve`."""

from typing import Any

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
    default="",
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
def serve_command(
    *,
    index: str,
    config: str | None,
    **given: Any,  # noqa: ANN401 (the fields of Manner, checked by click)
) -> int:
    """Serve answers over HTTP: JSON, server-sent events, OpenAI's chat completions."""
    needs("starlette", "uvicorn", "prometheus_client", extra="serve")
    from research_agent.interfaces.serve.serving import Manner, serve

    return serve(start(config, tells_preset=True), Manner(**given), index=index)
