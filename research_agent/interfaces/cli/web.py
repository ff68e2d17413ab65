"""The command `web`."""

from importlib.util import find_spec

import click

from research_agent.errors import ConfigError
from research_agent.interfaces.cli.index import index_for_docs
from research_agent.interfaces.cli.options import (
    ASKING,
    DOCS,
    INDEX,
    OFFLINE,
    ROUNDS,
    index_is_named,
)
from research_agent.interfaces.cli.process import start, told

PORT = 8421


@click.command("web")
@INDEX
@ASKING
@ROUNDS
@DOCS
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="The loopback port (0: a free one).",
)
@OFFLINE
@told
def web_command(*, index: str, config: str | None, docs: tuple[str, ...], port: int) -> int:
    """Serve a page for the browser of this machine: questions, answers, cited pages."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise ConfigError(
                f"the package {package} is not installed",
                hint='Install it: pip install "research-agent[web]"',
            )
    from research_agent.interfaces.web.serving import serve

    index_is_named(docs)
    settings = start(config, tells_preset=True)
    where = index_for_docs(docs, settings, tells=True) if docs else index
    return serve(settings, index=where, port=port)
