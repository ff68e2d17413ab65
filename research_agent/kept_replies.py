"""Whether kept replies of models are read: not for a question that is asked anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ANEW = ContextVar("research_agent_anew", default=False)


@contextmanager
def asking_anew() -> Iterator[None]:
    """Have models asked anew within the block, also in threads that copy its context.

    Their replies are kept in the place of those that were.
    """
    before = _ANEW.set(True)
    try:
        yield
    finally:
        _ANEW.reset(before)


def is_asked_anew() -> bool:
    """Return whether a model is to be asked, whatever it replied before."""
    return _ANEW.get()
