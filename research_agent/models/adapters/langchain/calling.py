"""How LangChain's objects are made, called, and what they raise in our own errors.

A message never holds what the provider wrote in prose: it may repeat a key or the documents.
"""

import math
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Any, TypeVar

from research_agent import errors
from research_agent.stopping import begun, result_within

T = TypeVar("T")

NAMES = ("model_name", "model", "model_id", "deployment_name", "repo_id")
"""Where LangChain's classes keep the name of their model."""


def object_name(given: object) -> str:
    """Return the model's name that a LangChain object has, else the name of its class."""
    named = (getattr(given, name, None) for name in NAMES)
    return next((name for name in named if isinstance(name, str) and name), type(given).__name__)


def checked(given: object, kind: type[T], noun: str, more: str = "") -> T:
    """Return the object `given`; raises ConfigError where it is none of LangChain's `kind`."""
    if isinstance(given, kind):
        return given
    raise errors.ConfigError(
        f"{type(given).__name__} is no {noun}",
        hint=f"Give an object of a subclass of LangChain's {kind.__name__}{more}.",
    )


def called(what: str, run: Callable[[], T], seconds: float = math.inf) -> T:
    """Return what `run` gives within `seconds`; raises ModelError, StoppedError.

    It runs with the caller's context, so LangChain's callbacks are handed on.
    """
    try:
        return result_within(begun(run), seconds, what)
    except (errors.ModelError, errors.StoppedError, errors.ConfigError):
        raise
    except Exception as error:  # noqa: BLE001 (a class of anybody's may raise anything)
        # (Where a server has answered, the text of its error may hold what it was sent.)
        raise _translated(what, error) from (None if status_of(error) else error)


def status_of(error: BaseException) -> int:
    """Return the HTTP status that an error carries; 0 where it has none."""
    owners = (error, getattr(error, "response", None))
    found = (getattr(owner, "status_code", None) for owner in owners)
    return next((status for status in found if isinstance(status, int)), 0)


def _translated(what: str, error: BaseException) -> errors.ModelError:
    from langchain_core import exceptions as core

    denied = (core.ModelAuthenticationError, core.ModelPermissionDeniedError)
    unreachable = (ConnectionError, core.ModelConnectionError)
    late = "Raise the object's own timeout or budget.seconds, or ask for less."
    later = "Ask again later, or ask less at a time (models.concurrency)."
    key = "Check the key that the object, or the provider's own variable, holds."
    running = "Is the provider's server running, and can it be reached?"
    rows: tuple[tuple[type[errors.ModelError], Any, Collection[int], str], ...] = (
        (errors.ContextOverflowError, core.ContextOverflowError, (), "Lower evidence.max_tokens."),
        (errors.ModelTimeoutError, (TimeoutError, core.ModelTimeoutError), (408,), late),
        (errors.ModelBusyError, core.ModelRateLimitError, (429, 503, 529), later),
        (errors.ModelAccessError, denied, (401, 402, 403), key),
        (errors.ModelUnavailableError, unreachable, range(500, 600), running),
        (errors.ModelError, BaseException, (), ""),
    )
    status = status_of(error)
    made, hint = next(
        (kind, hint)
        for kind, classes, statuses, hint in rows
        if isinstance(error, classes) or status in statuses
    )
    code = f", status {status}" if status else ""
    return made(f"{what} failed ({type(error).__name__}{code})", hint=hint)


def object_named(maker: str, name: str, **options: object) -> object:
    """Return what LangChain's `maker` makes of a name such as "anthropic:claude-haiku-4-5".

    `maker` is "chat_models.init_chat_model" or "embeddings.init_embeddings"; `options` are
    `base_url` and `api_key`, where they are given. Raises ModelMissingError where a package is
    missing, ConfigError where LangChain makes nothing of the name.
    """
    module, _, function = maker.partition(".")
    try:
        make = getattr(import_module(f"langchain.{module}"), function)
    except ImportError as error:
        raise errors.ModelMissingError(
            "provider: langchain needs a package",
            hint='pip install "research-agent[langchain]", and the provider\'s own package, such '
            "as langchain-anthropic.",
        ) from error
    try:
        made: object = make(name, **options)
    except ImportError as error:  # (its message names the package and no secret)
        raise errors.ModelMissingError(
            f"LangChain cannot make {name}: {error}", hint="Install the provider's package."
        ) from error
    except Exception as error:  # noqa: BLE001 (a class of anybody's may raise anything)
        raise errors.ConfigError(
            f"LangChain cannot make a model of {name!r} ({type(error).__name__})",
            hint="Write provider:model, such as anthropic:claude-haiku-4-5, and set the "
            "provider's own variable to its key.",
        ) from (error if isinstance(error, ValueError) else None)
    return made
