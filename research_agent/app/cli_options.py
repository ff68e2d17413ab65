"""Options that several commands of the command line share."""

import os
from collections.abc import Sequence
from functools import partial

import click

PRESET_KEY = "RESEARCH_AGENT_PRESET"
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
DOCS = click.option(
    "--docs",
    metavar="PATH",
    multiple=True,
    help="Index this file or folder first, in an index of its own, and ask that.",
)
CONFIG = click.option(
    "--config", "config", metavar="FILE", help="Settings; else your own and this folder's."
)


def _choose_preset(context: click.Context, _parameter: click.Parameter, name: str | None) -> None:
    """Set the key preset for this process until the command ends, over that of every file."""
    if not name:
        return
    before = os.environ.get(PRESET_KEY)
    os.environ[PRESET_KEY] = name
    context.call_on_close(partial(_put_back, before))


def _put_back(before: str | None) -> None:
    os.environ.pop(PRESET_KEY, None)
    if before is not None:
        os.environ[PRESET_KEY] = before


PRESET = click.option(
    "--preset",
    metavar="NAME",
    expose_value=False,
    callback=_choose_preset,
    help="Which stages act: auto, local, full or seed.",
)


def index_is_named(docs: Sequence[str]) -> bool:
    """Return whether this command was given --index; raises UsageError where --docs was too."""
    source = click.get_current_context().get_parameter_source("index")
    named = source is not click.core.ParameterSource.DEFAULT
    if docs and named:
        raise click.UsageError("--docs has an index of its own: leave out --index, or --docs")
    return named
