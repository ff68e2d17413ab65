"""Options of the command line that limit a search to a part of the documents."""

import os
import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypedDict

import click

P = ParamSpec("P")
KINDS = ("text", "list", "table", "code", "algorithm")
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_OPTIONS = (
    click.option(
        "--document", "documents", multiple=True, metavar="NAME", help="Only this; * and ? work."
    ),
    click.option(
        "--folder", "folders", multiple=True, metavar="PATH", help="Only files in this folder."
    ),
    click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only these."),
    click.option("--since", default="", metavar="DATE", help="Only documents from then on."),
    click.option("--until", default="", metavar="DATE", help="Only documents up to then."),
    click.option("--exclude", multiple=True, metavar="CHUNK_ID", help="Not this chunk again."),
)


class Limits(TypedDict):
    """The fields of `core.scope.Scope`, which is imported only where a search is made."""

    documents: tuple[str, ...]
    folders: tuple[str, ...]
    kinds: tuple[str, ...]
    since: str
    until: str
    exclude: frozenset[str]


def scoped(command: Callable[Concatenate[Limits, P], int]) -> Callable[P, int]:
    """Give a command the options of a scope, and hand it what they say."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        given = kwargs
        limits = Limits(
            documents=_names(given.pop("documents", ())),
            folders=tuple(map(_absolute, _names(given.pop("folders", ())))),
            kinds=_names(given.pop("kinds", ())),
            since=_date("--since", str(given.pop("since", ""))),
            until=_date("--until", str(given.pop("until", ""))),
            exclude=frozenset(_names(given.pop("exclude", ()))),
        )
        return command(limits, *args, **kwargs)

    decorated: Callable[P, int] = run
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _names(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else ()


def _date(option: str, text: str) -> str:
    """Return a date as it was given; raises BadParameter where it is none."""
    if text and not _DATE.fullmatch(text):
        raise click.BadParameter(
            f"{text!r} is no date such as 2024, 2024-08 or 2024-08-13", param_hint=option
        )
    return text


def _absolute(path: str) -> str:
    """Return a path as the index has it: absolute, with its symlinks."""
    return os.path.abspath(path)  # noqa: PTH100 (resolve() follows symlinks)
