"""The command `serve`."""

from importlib.util import find_spec

import click

from research_agent.errors import ConfigError
from research_agent.interfaces.cli.options import CONFIG, INDEX, OFFLINE, PRESET, ROUNDS
from research_agent.interfaces.cli.process import start, told

PORT = 8480


@click.command("serve")
@INDEX
@CONFIG
@PRESET
@ROUNDS
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="The port (0: a free one).",
)
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
    show_default=True,
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
    root: str,
    grace: int,
) -> int:
    """Serve answers over HTTP: JSON, server-sent events, OpenAI's chat completions."""
    for package in ("starlette", "uvicorn", "prometheus_client"):
        if find_spec(package) is None:
            raise ConfigError(
                f"the package {package.replace('_', '-')} is not installed",
                hint='Install it: pip install "research-agent[serve]"',
            )
    from research_agent.interfaces.serve.serving import Manner, serve

    settings = start(config, tells_preset=True)
    manner = Manner(host=host, port=port, hosts=hosts, tokens=tokens, root=root, grace=grace)
    return serve(settings, manner, index=index)
