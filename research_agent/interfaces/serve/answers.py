"""Events as server-sent events, as JSON, or as OpenAI's completions, until the client has gone."""

import asyncio
import json
import re
import secrets
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from research_agent.answering.result_lines import lacking_lines, quoted_line
from research_agent.errors import ResearchAgentError
from research_agent.interfaces.events import event_line
from research_agent.interfaces.http_limits import problem
from research_agent.interfaces.serve.bodies import MODELS, CompletionInputs
from research_agent.interfaces.serve.gate import GONE, Metrics
from research_agent.interfaces.steps import step_text
from research_agent.text.visible import visible
from research_agent.types.events import Event, Finished, Stopped
from research_agent.types.result import ResearchResult

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
    has_stopped = False
    async with aclosing(with_pauses(events)) as coming:
        try:
            async for event in coming:
                if event is None:
                    yield ":\n\n"
                    continue
                has_stopped = has_stopped or isinstance(event, Stopped)
                yield f"event: {event.event}\ndata: {event_line(event)}\n\n"
        except ResearchAgentError as error:
            if not has_stopped:  # (before the first step)
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


Json = dict[str, Any]
_LIVE = re.compile(r"[\\<]|\[(?!(?:c\d+|unconfirmed|contradicted)\](?![(\[:]))")
"""What would be a link, a picture or HTML of documents in a client that shows Markdown."""


def models() -> Json:
    """Return the list of models."""
    listed = [
        {"id": name, "object": "model", "created": 0, "owned_by": "research-agent"}
        for name in MODELS
    ]
    return {"object": "list", "data": listed}


def answer_text(result: ResearchResult) -> str:
    """Return an answer with what it lacks and its citations, as Markdown that loads nothing."""
    lacks = [f"- {line}" for line in lacking_lines(result)]
    cited = [f"- {quoted_line(citation)}" for citation in result.citations]
    parts = [result.answer, *filter(None, [result.cut, "\n".join(lacks), "\n".join(cited)])]
    return _LIVE.sub(r"\\\g<0>", visible("\n\n".join(parts)))


class Completion:
    """One completion, whole or in parts."""

    def __init__(self, asked: CompletionInputs) -> None:
        self._asked = asked
        self._id, self._created = f"chatcmpl-{secrets.token_hex(12)}", int(time.time())

    def whole(self, result: ResearchResult) -> Json:
        """Return the answer to a request that is not streamed."""
        message = {"role": "assistant", "content": answer_text(result)}
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": _ending(result),
            "logprobs": None,
        }
        return self._made("chat.completion", [choice], usage=_usage(result))

    async def parts(self, events: Events) -> AsyncGenerator[str, None]:
        """Yield steps as reasoning, then the checked answer; an error ends it."""
        yield self._part({"role": "assistant", "content": ""})
        async with aclosing(with_pauses(events)) as coming:
            try:
                async for event in coming:
                    if event is None:
                        yield ":\n\n"
                    elif isinstance(event, Finished):
                        for part in self._end(event.result):
                            yield part
                    elif line := visible(step_text(event)):
                        yield self._part({"reasoning_content": f"{line}\n"})
            except ResearchAgentError as error:
                body = problem(str(error), type(error).__name__, error.hint)
                yield f"data: {json.dumps(body)}\n\n"
        yield "data: [DONE]\n\n"

    def _end(self, result: ResearchResult) -> list[str]:
        parts = [self._part({"content": answer_text(result)}), self._part({}, _ending(result))]
        if (self._asked.stream_options or {}).get("include_usage"):
            made = self._made("chat.completion.chunk", [], usage=_usage(result))
            parts.append(f"data: {json.dumps(made)}\n\n")
        return parts

    def _part(self, delta: Json, finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return f"data: {json.dumps(self._made('chat.completion.chunk', [choice]))}\n\n"

    def _made(self, kind: str, choices: list[Json], **more: Json) -> Json:
        about = {"id": self._id, "object": kind, "created": self._created}
        return {**about, "model": self._asked.model, "choices": choices, **more}


def _ending(result: ResearchResult) -> str:
    return "length" if result.cut else "stop"


def _usage(result: ResearchResult) -> Json:
    read, written = result.usage.prompt_tokens, result.usage.completion_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
