"""Options that several commands of the command line share."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import click

OFFLINE_KEY = "RESEARCH_AGENT_MODELS__OFFLINE"
F = TypeVar("F", bound=Callable[..., Any])


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


def _setting(key: str, option: str, metavar: str, about: str) -> Callable[[F], F]:
    """Return an option that sets a key until its command ends, over that of every file."""

    def put(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
        if value is None:
            return
        before = os.environ.get(key)
        os.environ[key] = value
        context.call_on_close(partial(_put_back, key, before))

    return click.option(option, metavar=metavar, expose_value=False, callback=put, help=about)


def _put_back(key: str, before: str | None) -> None:
    os.environ.pop(key, None)
    if before is not None:
        os.environ[key] = before


PRESET = _setting(
    "RESEARCH_AGENT_PRESET", "--preset", "NAME", "Which stages act: auto, local, full or seed."
)
ROUNDS = _setting(
    "RESEARCH_AGENT_BUDGET__ROUNDS",
    "--rounds",
    "N",
    "Search again at most N - 1 times for what is missing; up to budget.max_rounds.",
)


def index_is_named(docs: Sequence[str]) -> bool:
    """Return whether this command was given --index; raises UsageError where --docs was too."""
    source = click.get_current_context().get_parameter_source("index")
    named = source is not click.core.ParameterSource.DEFAULT
    if docs and named:
        raise click.UsageError("--docs has an index of its own: leave out --index, or --docs")
    return named
