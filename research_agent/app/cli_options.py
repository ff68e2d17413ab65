"""Options that several commands of the command line share."""

import os

import click

OFFLINE_KEY = "RESEARCH_AGENT_MODELS__OFFLINE"


def _go_offline(_context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 (click's own signature)
    """Set the key models.offline for this process, and for those that it starts."""
    if value:
        os.environ[OFFLINE_KEY] = "true"


OFFLINE = click.option(
    "--offline",
    is_flag=True,
    expose_value=False,
    callback=_go_offline,
    help="Ask nothing but this machine.",
)
INDEX = click.option(
    "--index",
    "index",
    default="default",
    show_default=True,
    metavar="NAME_OR_PATH",
    help="Which index: a name, or a folder (with a slash in it).",
)
CONFIG = click.option(
    "--config", "config", metavar="FILE", help="Settings; else research-agent.yaml in this folder."
)
