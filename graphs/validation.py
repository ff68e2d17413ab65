"""Each value of a state is validated once a question, not at every step that reads it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Seen = dict[tuple[int, str], tuple[object, object]]
_SEEN: ContextVar[Seen | None] = ContextVar("research_agent_validated", default=None)
_PLAIN = (str, int, bool, float, list, dict, type(None))
"""What is checked as fast as it is looked up, and what may be changed in its place."""


@contextmanager
def validated_once() -> Iterator[None]:
    """Let the states of the graphs that are run in the block know the values they have seen."""
    before = _SEEN.set({})
    try:
        yield
    finally:
        _SEEN.reset(before)


def once(field: str, value: object, validate: Callable[[object], object]) -> object:
    """Return `value` as `validate` has it; the very same object is validated once a question.

    Only what validation leaves equal is known again, since nobody changes it: a value of
    ours with a list where a tuple belongs, as a checkpoint gives it, is not, and lists and
    mappings never are. Outside of `validated_once` everything is validated each time.

    >>> calls = []
    >>> with validated_once():
    ...     value = (1.0, 2.0)
    ...     kept = [once("scores", value, lambda v: calls.append(v) or tuple(v)) for _ in range(3)]
    >>> kept, len(calls)
    ([(1.0, 2.0), (1.0, 2.0), (1.0, 2.0)], 1)
    """
    seen = _SEEN.get()
    if seen is None or type(value) in _PLAIN:
        return validate(value)
    kept = seen.get((id(value), field))
    if kept is not None:
        return kept[1]
    made = validate(value)
    if made == value:
        seen[id(value), field] = (value, made)  # (kept, so that no other object gets its id)
    return made
