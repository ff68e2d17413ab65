"""Options of the command line that limit a search to a part of the documents."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypedDict

import click

P = ParamSpec("P")
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


class Limits(TypedDict):
    """The fields of `core.scope.Scope`, which is imported only where a search is made."""

    documents: tuple[str, ...]
    folders: tuple[str, ...]
    kinds: tuple[str, ...]
    since: str
    until: str


def scoped(command: Callable[Concatenate[Limits, P], int]) -> Callable[P, int]:
    """Give a command the options of a scope, and hand it what they say."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        given = kwargs
        limits = Limits(
            documents=_names(given.pop("documents", ())),
            folders=tuple(map(_absolute, _names(given.pop("folders", ())))),
            kinds=_names(given.pop("kinds", ())),
            since=str(given.pop("since", "")),
            until=str(given.pop("until", "")),
        )
        _check_dates(limits)
        return command(limits, *args, **kwargs)

    decorated: Callable[P, int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _names(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def _check_dates(limits: Limits) -> None:
    """Raise ToolInputError for what is no date, before anything is indexed or opened."""
    if limits["since"] or limits["until"]:
        from research_agent.types.scope import check_dates

        check_dates(limits["since"], limits["until"])


def _absolute(path: str) -> str:
    """Return a path as the index has it: absolute, with its symlinks."""
    return os.path.abspath(path)  # noqa: PTH100 (resolve() follows symlinks)
