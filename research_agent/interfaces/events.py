"""The events of a running question, read from LangGraph, and as JSON."""

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextvars import copy_context
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from research_agent.answering.events import Known, finished, started, stopped_by
from research_agent.stopping import Stop, check, stopping
from research_agent.types.events import Asked, Event, StepFinished, StepStarted
from research_agent.types.old_results import upgraded

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SLOW = {"answer": "reading the evidence and writing"}
"""Steps that take long with a local model, and what they begin with."""
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


def step_text(event: Event, *, local: bool = False) -> str:
    """Return one line about a step for people, empty where there is nothing to say.

    `local`: the model is slow, so the beginning of what it does is told too.

    >>> step_text(StepFinished(step="refine", summary="kept the question"))
    'refine: kept the question'
    """
    match event:
        case StepFinished() if event.summary:
            return f"{event.step}: {event.summary}"
        case StepStarted() if local and event.step in SLOW:
            return f"{event.step}: {SLOW[event.step]} …"
    return ""


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
    """Return the event that `event_json` gave, also of earlier versions; raises ValueError."""
    return _codec().validate_python(upgraded(made))


@cache
def _codec() -> "TypeAdapter[Event]":
    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="event")])
