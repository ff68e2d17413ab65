"""Options that several commands share."""

import os
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

OFFLINE_KEY = "RESEARCH_AGENT_MODELS__OFFLINE"
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")


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
    help="Which index: a name, a folder (with a slash in it), s3://BUCKET/NAME or lance:/PATH.",
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


KINDS = ("text", "list", "table", "code", "algorithm")
_OPTIONS = (
    click.option(
        "--in",
        "--document",
        "documents",
        multiple=True,
        metavar="GLOB",
        help="Only documents of this name, or whose path ends so; * and ? work (put it in quotes).",
    ),
    click.option(
        "--folder", "folders", multiple=True, metavar="PATH", help="Only files in this folder."
    ),
    click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these."),
    click.option("--since", default="", metavar="DATE", help="Only documents from then on."),
    click.option("--until", default="", metavar="DATE", help="Only documents up to then."),
)


Limits = dict[str, Any]
"""What a scope is made of (`types.scope.scope_of`), as plain values; without those not given."""


def scoped(command: Callable[Concatenate[Limits, P], int]) -> Callable[P, int]:
    """Give a command the options of a scope, and hand it what they say.

    Raises ToolInputError for what is no date, before anything is indexed or opened.
    """

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        from research_agent.types.scope import check_dates

        given: Limits = {
            name: list(value) if isinstance(value, tuple) else value
            for name in ("documents", "folders", "kinds", "since", "until")
            if (value := kwargs.pop(name, None))
        }
        if "folders" in given:  # (absolute, with its symlinks, as the index has it)
            given["folders"] = [os.path.abspath(path) for path in given["folders"]]  # noqa: PTH100 (resolve() follows symlinks)
        check_dates(given.get("since", ""), given.get("until", ""))
        return command(given, *args, **kwargs)

    decorated: Callable[P, int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
