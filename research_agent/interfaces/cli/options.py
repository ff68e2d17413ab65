"""Options that several commands share."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial, reduce, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast, get_args

import click
from click.shell_completion import CompletionItem

from research_agent.config import configured, set_variable
from research_agent.errors import ConfigError
from research_agent.model_settings import Provider, RoleSettings

OLLAMA = "http://127.0.0.1:11434/v1"
"""Where Ollama speaks OpenAI's protocol."""
OFFLINE_KEY = "RESEARCH_AGENT_MODELS__OFFLINE"
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")


OFFLINE = click.option(
    "--offline",
    is_flag=True,
    expose_value=False,
    callback=lambda _, __, given: os.environ.update({OFFLINE_KEY: "true"} if given else {}),
    help="Refuse every server that is not on this machine.",
)

PORT = click.IntRange(0, 65_535)


def _index_names(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    from research_agent.assembly.index import list_indexes

    names = (found.name for found in list_indexes())
    return [CompletionItem(name) for name in names if name.startswith(begun)]


def words(name: str, *, required: bool = True) -> Callable[[F], F]:
    """Return an argument of one or more words, so that a question needs no quotation marks."""
    return click.argument(
        name,
        nargs=-1,
        required=required,
        callback=lambda _, __, given: " ".join(given) if given else None,
    )


INDEX = click.option(
    "--index",
    "index",
    default="default",
    metavar="NAME_OR_PATH",
    shell_complete=_index_names,
    help="The index: a name, a folder (with a slash in it), s3://BUCKET/NAME or lance:/PATH.",
)
DOCS = click.option(
    "--docs",
    metavar="PATH",
    multiple=True,
    help="Index this file or folder first, in a separate index, and use that index.",
)
CONFIG = click.option(
    "--config",
    "config",
    metavar="FILE",
    is_eager=True,  # (--model looks into it)
    help="Settings file. Default: yours and this folder's.",
)


def _setting(
    name: str, metavar: str, about: str, variables: Callable[[str], Mapping[str, str]]
) -> Callable[[F], F]:
    """Return an option that sets keys for this command, over what every file says."""

    def put(context: click.Context, _: click.Parameter, given: tuple[str, ...]) -> None:
        for one in given:
            try:
                changed = variables(one)
            except ConfigError as error:
                raise click.BadParameter(f"{error} {error.hint}", context) from error
            for key, value in changed.items():
                back = {key: os.environ[key]} if key in os.environ else {}
                context.call_on_close(partial(os.environ.update, back))
                context.call_on_close(partial(os.environ.pop, key, None))
                os.environ[key] = value

    return click.option(
        *name.split(), metavar=metavar, multiple=True, expose_value=False, callback=put, help=about
    )


def model_variables(name: str) -> Mapping[str, str]:
    """Return the variables by which a model answers: PROVIDER:NAME, or a name at a server.

    A bare name is the configured provider's, and OpenAI's where that is the embedded model. The
    settings' address, key and region hold for their own provider alone.

    >>> model_variables("gpt-4o-mini:free")["RESEARCH_AGENT_MODELS__CHAT__MODEL"]
    '"gpt-4o-mini:free"'
    >>> model_variables("ollama:qwen3:8b")["RESEARCH_AGENT_MODELS__CHAT__BASE_URL"]
    '"http://127.0.0.1:11434/v1"'
    """
    context = click.get_current_context(silent=True)
    config = context.params.get("config") if context else None
    role = configured(config, os.environ).settings.models.chat
    first, colon, rest = name.partition(":")
    if first == "ollama" and colon:
        role = RoleSettings(provider="openai", model=rest, base_url=OLLAMA)
    elif first == "local" or (colon and first in get_args(Provider)):
        provider = cast(Provider, first)
        own = role if provider == role.provider else RoleSettings(provider=provider)
        role = replace(own, model=rest)
    elif role.provider in ("", "local"):
        role = RoleSettings(provider="openai", model=name)
    else:
        role = replace(role, model=name)
    return {
        f"RESEARCH_AGENT_MODELS__CHAT__{key.upper()}": json.dumps(value)
        for key, value in asdict(role).items()
    }


SET = _setting(
    "--set",
    "KEY=VALUE",
    "Change a setting, such as retrieval.top_k=20. May be repeated.",
    lambda given: dict([set_variable(given)]),
)
MODEL = _setting(
    "--model -m",
    "MODEL",
    "The model: NAME, PROVIDER:NAME (openai, bedrock, langchain, ollama), or local.",
    model_variables,
)
PRESET = _setting(
    "--preset",
    "NAME",
    "The preset, which says which stages run: auto, local, full or seed.",
    lambda name: {"RESEARCH_AGENT_PRESET": name},
)
ROUNDS = _setting(
    "--rounds",
    "N",
    "Rounds of search and answer, 1 to budget.max_rounds.",
    lambda number: {"RESEARCH_AGENT_BUDGET__ROUNDS": number},
)
QUIET = click.option("--quiet", "-q", is_flag=True, help="Print only the answer and warnings.")
VERBOSE = click.option("--verbose", "-v", is_flag=True, help="Print a line for each step.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return several options as one decorator, in this order in --help."""
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


SETTINGS = together(CONFIG, SET)
"""Which settings hold; for every command that reads them."""
ASKING = together(MODEL, PRESET, SETTINGS)
"""The same where models are asked."""


def index_is_named(docs: Sequence[str]) -> bool:
    """Return whether this command was given --index; raises UsageError where --docs was too."""
    source = click.get_current_context().get_parameter_source("index")
    named = source is not click.core.ParameterSource.DEFAULT
    if docs and named:
        raise click.UsageError("--docs has an index of its own: leave out --index, or --docs")
    return named


KINDS = click.Choice(("text", "list", "table", "code", "algorithm"))
_OPTIONS = (
    click.option(
        "--in",
        "--document",
        "documents",
        multiple=True,
        metavar="GLOB",
        help="Read only documents whose name, or end of path, fits GLOB (in quotes).",
    ),
    click.option(
        "--folder", "folders", multiple=True, metavar="PATH", help="Read only files in this folder."
    ),
    click.option(
        "--kind", "kinds", multiple=True, type=KINDS, help="Read only chunks of this kind."
    ),
    click.option("--since", metavar="DATE", help="Read only documents of DATE or later."),
    click.option("--until", metavar="DATE", help="Read only documents of DATE or earlier."),
)


Limits = dict[str, Any]
"""What a scope is made of (`types.scope.scope_of`), as plain values; without those not given."""


def scoped(command: Callable[Concatenate[Limits, P], int]) -> Callable[P, int]:
    """Give a command the options of a scope, and what they say; raises ToolInputError."""

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
    return together(*_OPTIONS)(decorated)
