"""What a LangChain object raises, in our own errors; and how such an object is called.

A message never holds what the provider wrote in prose: it may repeat a key or the documents.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from contextvars import copy_context
from threading import TIMEOUT_MAX, Thread
from typing import TypeVar

from research_agent.errors import (
    ConfigError,
    ContextOverflowError,
    ModelAccessError,
    ModelBusyError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    StoppedError,
)
from research_agent.stopping import waking

T = TypeVar("T")

NAMES = ("model_name", "model", "model_id", "deployment_name", "repo_id")
"""Where LangChain's classes keep the name of their model."""
FAILED = 500
"""From this status on the server is at fault."""
STATUSES: Mapping[int, type[ModelError]] = {
    401: ModelAccessError,
    402: ModelAccessError,
    403: ModelAccessError,
    408: ModelTimeoutError,
    429: ModelBusyError,
    503: ModelBusyError,
    529: ModelBusyError,
}
HINTS: Mapping[type[ModelError], str] = {
    ModelAccessError: "Check the key that the object, or the provider's own variable, holds.",
    ModelBusyError: "Ask again later, or ask less at a time (models.concurrency).",
    ModelTimeoutError: "Raise the object's own timeout or budget.seconds, or ask for less.",
    ModelUnavailableError: "Is the provider's server running, and can it be reached?",
    ContextOverflowError: "Lower evidence.max_tokens.",
}


def object_name(given: object) -> str:
    """Return the model's name that a LangChain object has, else the name of its class."""
    named = (getattr(given, name, None) for name in NAMES)
    return next((name for name in named if isinstance(name, str) and name), type(given).__name__)


def within(seconds: float, run: Callable[[], T], what: str) -> T:
    """Return what `run` gives within `seconds`; raises ModelTimeoutError, StoppedError.

    It runs on a thread of its own with the caller's context, so LangChain's callbacks are handed
    on. An object cannot be interrupted: one that takes longer ends by itself, and nobody waits.
    """
    done: Future[T] = Future()
    context = copy_context()

    def work() -> None:
        with suppress(InvalidStateError):  # (nobody waits any more)
            try:
                value = context.run(run)
            except BaseException as error:  # noqa: BLE001 (raised again where it is waited for)
                done.set_exception(error)
            else:
                done.set_result(value)

    def stop() -> None:
        with suppress(InvalidStateError):
            done.set_exception(StoppedError("the question was stopped"))

    Thread(target=work, name="langchain-object", daemon=True).start()
    with waking(stop):
        try:
            return done.result(min(seconds, TIMEOUT_MAX))
        except TimeoutError:
            if done.done():  # (its own)
                raise
            raise ModelTimeoutError(
                f"{what} gave no whole reply in time ({seconds:.3g} s)",
                hint=HINTS[ModelTimeoutError],
            ) from None


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn whatever an object raises into one of our errors; `what` names the object."""
    try:
        yield
    except (ModelError, StoppedError, ConfigError):
        raise
    except Exception as error:  # noqa: BLE001 (a class of anybody's may raise anything)
        kind, status = _kind(error), status_of(error)
        code = f", status {status}" if status else ""
        made = kind(f"{what} failed ({type(error).__name__}{code})", hint=HINTS.get(kind, ""))
        # (Where a server has answered, the text of its error may hold what it was sent.)
        raise made from (None if status else error)


def status_of(error: BaseException) -> int:
    """Return the HTTP status that an error carries; 0 where it has none."""
    owners = (error, getattr(error, "response", None))
    found = (getattr(owner, "status_code", None) for owner in owners)
    return next((status for status in found if isinstance(status, int)), 0)


def _kind(error: Exception) -> type[ModelError]:
    from langchain_core import exceptions as core

    kinds: Mapping[type[ModelError], tuple[type[Exception], ...]] = {
        ContextOverflowError: (core.ContextOverflowError,),
        ModelTimeoutError: (TimeoutError, core.ModelTimeoutError),
        ModelUnavailableError: (ConnectionError, core.ModelConnectionError),
        ModelBusyError: (core.ModelRateLimitError,),
        ModelAccessError: (core.ModelAuthenticationError, core.ModelPermissionDeniedError),
    }
    status = status_of(error)
    named = next((kind for kind, classes in kinds.items() if isinstance(error, classes)), None)
    return named or STATUSES.get(status, ModelUnavailableError if status >= FAILED else ModelError)
