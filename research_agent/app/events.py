"""The events of a running question, read from LangGraph, and as JSON."""

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextvars import copy_context
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from research_agent.core.event_making import Known, finished, started
from research_agent.core.events import Asked, Event, Stopped
from research_agent.core.result import usage_of
from research_agent.errors import ResearchAgentError, StoppedError
from research_agent.stopping import Stop, check, stopping

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Tasks = Iterable[Any]
"""LangGraph's stream mode "tasks" with subgraphs, which it types as Any."""
Watching = Callable[[Tasks], Tasks]
"""Passes tasks on, and may look at them, as `app.report.Recorder.watching` does."""


def events(
    question: str,
    run: Callable[[], Tasks],
    *,
    stop: Stop,
    known: Known,
    watching: Watching = iter,
) -> Generator[Event, None, None]:
    """Run a question and yield its events, until `stop` ends it.

    The last one is `Finished` or `Stopped`; after that the error that stopped it is raised. The
    question is ended too where nobody reads on. It runs in a copy of the caller's context.
    `known` is what the events begin with: whether drafts are told, and what was there before.
    """
    context = copy_context()
    told = _told(question, lambda: watching(run()), stop, known)
    try:
        while (event := context.run(next, told, None)) is not None:
            yield event
    finally:
        stop.end()  # (LangGraph waits for what still runs)
        context.run(told.close)


def _told(
    question: str, run: Callable[[], Tasks], stop: Stop, known: Known
) -> Generator[Event, None, None]:
    begun = time.perf_counter()

    def timed(made: Iterable[Event]) -> Iterator[Event]:
        at = time.perf_counter() - begun
        return (replace(event, at=at) for event in made)

    with stopping(stop):
        yield Asked(question=question)
        try:
            for _, task in run():
                known, made = after(known, task)
                yield from timed(made)
                check()
        except GeneratorExit:
            raise
        except BaseException as error:
            yield from timed([stopped_by(error, known)])
            raise


def after(known: Known, task: Mapping[str, Any]) -> tuple[Known, tuple[Event, ...]]:
    """Return what is known, and the events, after one of LangGraph's tasks has begun or ended."""
    name = str(task["name"])
    if "result" not in task:
        return started(known, name)
    return (known, ()) if task.get("error") else finished(known, name, task["result"])


def stopped_by(error: BaseException, known: Known) -> Stopped:
    """Return the event for a question that ended with `error`.

    >>> stopped_by(StoppedError("the question was stopped"), Known()).reason
    'cancelled'
    """
    if isinstance(error, StoppedError | KeyboardInterrupt):
        return Stopped(reason="cancelled", round=known.round, usage=usage_of(known.trace))
    return Stopped(
        reason="error",
        round=known.round,
        error=type(error).__name__,
        message=str(error),
        hint=error.hint if isinstance(error, ResearchAgentError) else "",
        usage=usage_of(known.trace),
    )


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON values; its kind is under "event".

    >>> event_json(Asked(question="Why?"))
    {'event': 'asked', 'at': 0.0, 'round': 0, 'question': 'Why?'}
    """
    from pydantic_core import to_jsonable_python

    made: dict[str, Any] = to_jsonable_python(event, inf_nan_mode="null")
    return made


def event_line(event: Event) -> str:
    """Return an event as one line of JSON in ASCII, without the line's end."""
    return json.dumps(event_json(event), allow_nan=False)


def read_event(made: Mapping[str, Any]) -> Event:
    """Return the event that `event_json` gave; raises ValueError where it is none.

    >>> read_event({"event": "asked", "question": "Why?"}).question
    'Why?'
    """
    return _codec().validate_python(made)


@cache
def _codec() -> "TypeAdapter[Event]":
    from typing import Annotated

    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="event")])
