"""Commands of the command line that are doors for other programs: mcp, graph."""

import click

from research_agent.interfaces.cli.errors import told
from research_agent.interfaces.cli.options import CONFIG, INDEX, OFFLINE, PRESET


@click.command("mcp")
@INDEX
@CONFIG
@PRESET
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65_535),
    metavar="PORT",
    help="Serve on this loopback port (0: a free one) instead of stdin and stdout.",
)
@OFFLINE
@told
def mcp_command(*, index: str, config: str | None, port: int | None) -> int:
    """Serve an index to MCP clients: search, chunks, documents and research as tools."""
    from importlib.util import find_spec

    from research_agent.errors import ConfigError

    if find_spec("mcp") is None:
        raise ConfigError(
            "the package mcp is not installed", hint='Install it: pip install "research-agent[mcp]"'
        )
    from research_agent.interfaces.mcp import serving as mcp_serving

    return mcp_serving.serve(index=index, config=config, port=port)


@click.command("graph")
@told
def graph_command() -> int:
    """Print the research graph as a Mermaid picture."""
    from research_agent.interfaces.cli.drawing import mermaid

    click.echo(mermaid(), nl=False)
    return 0
