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
@OFFLINE
@told
def serve_command(
    *,
    index: str,
    config: str | None,
    **given: Any,  # noqa: ANN401 (the fields of Manner, checked by click)
) -> int:
    """Serve answers over HTTP as JSON, server-sent events or OpenAI chat completions."""
    needs("starlette", "uvicorn", "prometheus_client", extra="serve")
    from research_agent.interfaces.serve.serving import Manner, serve

    return serve(start(config, tells_preset=True), Manner(**given), index=index)
