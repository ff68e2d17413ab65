"""Events as server-sent events and as JSON, until the client has gone."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from research_agent.errors import ResearchAgentError
from research_agent.interfaces.events import event_line
from research_agent.interfaces.serve.gate import GONE, Metrics
from research_agent.types.events import Event, Finished, Stopped

T = TypeVar("T")
Events = AsyncGenerator[Event, None]
PAUSE = 15.0
"""Seconds after which a comment is sent, for proxies that close silent connections."""


async def counted(events: Events, metrics: Metrics) -> Events:
    """Pass events on; count what the answer has cost, and the error that ended it."""
    async with aclosing(events):
        try:
            async for event in events:
                if isinstance(event, Finished):
                    usage = event.result.usage
                    metrics.tokens.labels("prompt").inc(usage.prompt_tokens)
                    metrics.tokens.labels("completion").inc(usage.completion_tokens)
                yield event
        except Exception as error:
            metrics.errors.labels(type(error).__name__).inc()
            raise


async def finished(events: Events) -> Finished:
    """Return the last event of a question that was answered; raises what ended it."""
    last: Finished | None = None
    async with aclosing(events):
        async for event in events:
            last = event if isinstance(event, Finished) else last
    if last is None:
        raise RuntimeError("the question ended without a result")
    return last


async def server_sent(events: Events) -> AsyncGenerator[str, None]:
    """Yield events as they come, each under its kind; an error is the event `stopped`."""
    told = False
    async with aclosing(with_pauses(events)) as coming:
        try:
            async for event in coming:
                if event is None:
                    yield ":\n\n"
                    continue
                told = told or isinstance(event, Stopped)
                yield f"event: {event.event}\ndata: {event_line(event)}\n\n"
        except ResearchAgentError as error:
            if not told:  # (before the first step)
                name, hint = type(error).__name__, error.hint
                event = Stopped(reason="error", error=name, message=str(error), hint=hint)
                yield f"event: stopped\ndata: {event_line(event)}\n\n"


async def with_pauses(events: Events) -> AsyncGenerator[Event | None, None]:
    """Yield what `events` yields, and None where nothing has come for a while."""
    async with aclosing(events):
        coming = asyncio.ensure_future(anext(events, None))
        try:
            while True:
                done, _ = await asyncio.wait({coming}, timeout=PAUSE)
                event = coming.result() if done else None
                if done and event is None:
                    return
                yield event
                if done:
                    coming = asyncio.ensure_future(anext(events, None))
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


async def unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` gives; cancel it where the client has gone."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise HTTPException(GONE, "the client has gone")
        return working.result()
    finally:
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
