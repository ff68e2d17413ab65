"""The events of a running question, read from LangGraph, and as JSON."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from research_agent.answering.events import Known, stopped_by
from research_agent.interfaces.own_graphs import node_wrapper
from research_agent.stopping import Stop, stopping
from research_agent.types.events import Event, Spent, Stopped, Watching
from research_agent.types.result import usage_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter


def events(
    run: Callable[[], Iterable[Any]], *, stop: Stop, watching: Watching
) -> Generator[Event, None, None]:
    """Run a question and yield its events, until `stop` ends it.

    `run` gives LangGraph's stream mode "custom", which the nodes write. The last event is
    `Finished` or `Stopped`; after that the error that stopped it is raised. The question is ended
    too where nobody reads on. It runs in a copy of the caller's context.
    """
    context = copy_context()
    told = _told(run, stop, watching)
    try:
        while (event := context.run(next, told, None)) is not None:
            yield event
    finally:
        stop.end()  # (LangGraph waits for what still runs)
        context.run(told.close)


def _told(
    run: Callable[[], Iterable[Any]], stop: Stop, watching: Watching
) -> Generator[Event, None, None]:
    begun, last, spent = time.perf_counter(), None, usage_of(())
    with stopping(stop), node_wrapper.watched(watching):
        try:
            for made in run():
                last = read_event(made)
                spent = last.usage if isinstance(last, Spent) else spent
                yield last
        except GeneratorExit:
            raise
        except BaseException as error:
            if not isinstance(last, Stopped):  # (no node was at work)
                stopped = stopped_by(error, Known(round=last.round if last else 0))
                stopped = replace(stopped, at=time.perf_counter() - begun, usage=spent)
                for see in watching.on_event:
                    see(stopped)
                yield stopped
            raise


async def in_background(
    threads: Executor, run: Callable[[Stop], Iterable[Event]]
) -> AsyncGenerator[Event, None]:
    """Yield what `run` yields on one of `threads`; leaving early ends the Stop that it gets."""
    stop, read = Stop(), asyncio.Queue[Event | BaseException | None]()
    loop = asyncio.get_running_loop()

    def put() -> None:
        ended: BaseException | None = None
        try:
            for event in run(stop):
                loop.call_soon_threadsafe(read.put_nowait, event)
        except BaseException as error:  # noqa: BLE001 (raised where it is read, if anybody still reads)
            ended = error
        loop.call_soon_threadsafe(read.put_nowait, ended)

    loop.run_in_executor(threads, copy_context().run, put)
    try:
        while (event := await read.get()) is not None:
            if isinstance(event, BaseException):
                raise event
            yield event
    finally:
        stop.end()


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON values; its kind is under "event".

    >>> from research_agent.types.events import Asked
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
    """Return the event that `event_json` gave; raises ValueError."""
    return _codec().validate_python(made)


@cache
def _codec() -> "TypeAdapter[Event]":
    from pydantic import Field, TypeAdapter

    return TypeAdapter(Annotated[Event, Field(discriminator="event")])
