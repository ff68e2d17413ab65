"""The addresses: questions, searches, conversations, and what operators look at."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import anyio
import uvicorn
from prometheus_client import generate_latest
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from research_agent import errors
from research_agent.interfaces.events import event_json, in_background
from research_agent.interfaces.http_limits import BoundedProtocol, json_object, problem
from research_agent.interfaces.own_graphs import research_tool, tool_inputs
from research_agent.interfaces.serve import answers, bodies
from research_agent.interfaces.serve.answers import Completion, models
from research_agent.interfaces.serve.bodies import openapi
from research_agent.interfaces.serve.gate import CLIENT, Gate, Metrics
from research_agent.interfaces.serve.shelf import Served, Shelf, session_name
from research_agent.interfaces.serve.tokens import Client, Clients
from research_agent.planning.tool_texts import search_json
from research_agent.stopping import on_thread
from research_agent.types.limits import Limits

Input = TypeVar("Input", bound=BaseModel)
STATUS: Mapping[type[errors.ResearchAgentError], int] = {
    errors.ToolInputError: 400,
    errors.QuestionError: 400,
    errors.SessionLockedError: 409,
    errors.SessionError: 400,
    errors.IndexingError: 503,
    errors.ModelUnavailableError: 503,
    errors.ModelError: 502,
    errors.ConfigError: 500,
}
READY_SECONDS = 5.0
ENDING = 5.0
"""Seconds in which cancelled questions end."""
_log = logging.getLogger(__name__)


class Api:
    """One method an address."""

    def __init__(self, shelf: Shelf, clients: Clients, metrics: Metrics) -> None:
        self._shelf, self._clients, self._metrics = shelf, clients, metrics

    async def research(self, request: Request) -> Response:
        """Answer one question."""
        asked = await _given(request, research_tool.ResearchInputs)
        agent = (await self._served(request)).agent
        events = agent.astream(asked.question, limits=asked.limits, scope=asked.scope)
        return await self._answer(request, events)

    async def chat(self, request: Request) -> Response:
        """Answer one question of a conversation."""
        asked = await _given(request, bodies.ChatInputs)
        served, client = await self._served(request), _client(request)
        name = session_name(served.location, client.rule.name, asked.session)
        talk = partial(served.chat, name, asked)
        events = in_background(served.agent.threads, lambda stop: talk(stop=stop))
        return await self._answer(request, events)

    async def search(self, request: Request) -> Response:
        """Find passages."""
        asked = await _given(request, tool_inputs.SearchChunksInput)
        agent = (await self._served(request)).agent
        search = partial(agent.search, **asked.model_dump())
        found = await answers.unless_gone(request, on_thread(agent.threads, search))
        return _json(search_json(found))

    async def completions(self, request: Request) -> Response:
        """Answer the last message of a conversation that the client remembers."""
        asked = await _given(request, bodies.CompletionInputs)
        limits, question, turns = Limits(preset=asked.preset), asked.question, asked.turns
        served, made = await self._served(request), Completion(asked)
        ask = partial(served.after, turns, question, limits=limits)
        stream = in_background(served.agent.threads, lambda stop: ask(stop=stop))
        events = answers.counted(stream, self._metrics)
        if asked.stream:
            return StreamingResponse(made.parts(events), media_type=bodies.EVENTS)
        last = await answers.unless_gone(request, answers.finished(events))
        return JSONResponse(made.whole(last.result))

    async def ready(self, _: Request) -> Response:
        """Say whether the first token's index can be read."""
        with anyio.move_on_after(READY_SECONDS):
            try:
                for location in self._clients.locations[:1]:
                    await anyio.to_thread.run_sync(self._read, location, abandon_on_cancel=True)
            except errors.ResearchAgentError:
                _log.warning("not ready", exc_info=True)
            else:
                return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready"}, 503)

    async def counters(self, _: Request) -> Response:
        """Tell the counters."""
        text = generate_latest(self._metrics.registry)
        return Response(text, media_type="text/plain; version=0.0.4")

    def _read(self, location: str) -> None:
        self._shelf.served(location).agent.documents()

    async def _served(self, request: Request) -> Served:
        """Return the index of the token: nothing in a request names one."""
        return await anyio.to_thread.run_sync(self._shelf.served, _client(request).location)

    async def _answer(self, request: Request, events: answers.Events) -> Response:
        stream = answers.counted(events, self._metrics)
        if bodies.EVENTS in request.headers.get("accept", ""):
            return StreamingResponse(answers.server_sent(stream), media_type=bodies.EVENTS)
        last = await answers.unless_gone(request, answers.finished(stream))
        return _json(event_json(last)["result"])


def build_app(shelf: Shelf, clients: Clients, *, hosts: tuple[str, ...] = ()) -> Gate:
    """Return the application, with the gate in front of it."""
    metrics = Metrics()
    api = Api(shelf, clients, metrics)
    posts = {
        "/v1/research": api.research,
        "/v1/search": api.search,
        "/v1/chat": api.chat,
        "/v1/chat/completions": api.completions,
    }
    gets = {
        "/v1/models": _telling(models),
        "/health": _telling(lambda: {"status": "live"}),
        "/ready": api.ready,
        "/metrics": api.counters,
        "/openapi.json": _telling(openapi),
    }
    routes = [Route(path, handler, methods=["POST"]) for path, handler in posts.items()]
    routes += [Route(path, handler) for path, handler in gets.items()]
    handlers: Mapping[Any, Any] = {
        errors.ResearchAgentError: _told,
        HTTPException: _unknown,
        Exception: _fault,
    }
    app: Any = Starlette(routes=routes, exception_handlers=handlers)
    return Gate(app, clients, metrics=metrics, hosts=hosts)


def _telling(values: Callable[[], object]) -> Callable[[Request], Awaitable[Response]]:
    async def tell(_: Request) -> Response:
        return JSONResponse(values())

    return tell


async def serve(app: Gate, door: socket.socket, shelf: Shelf, *, grace: int) -> None:
    """Serve until SIGTERM or Ctrl-C; running questions are finished within `grace` seconds."""
    wanted: Any = app
    config = uvicorn.Config(
        wanted,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
    )
    try:
        await GracefulServer(config).serve(sockets=[door])
    finally:
        shelf.close()  # (while the loop is there, which its threads tell of their end)


class GracefulServer(uvicorn.Server):
    """Lets the questions that were cancelled at last end before the loop does."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for running requests, cancel what is left, and wait for that."""
        await super().shutdown(sockets)
        if tasks := list(self.server_state.tasks):
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=ENDING)


async def _given(request: Request, schema: type[Input]) -> Input:
    return tool_inputs.valid(schema, **json_object(await request.body()))


def _client(request: Request) -> Client:
    client: Client = request.scope[CLIENT]
    return client


def _json(values: object) -> Response:
    """Return JSON without the numbers that JSON has not."""
    from pydantic_core import to_json

    return Response(to_json(values, inf_nan_mode="null"), media_type="application/json")


async def _told(_: Request, error: errors.ResearchAgentError) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    headers = {"retry-after": "5"} if error.retryable else {}
    body = problem(str(error), type(error).__name__, error.hint)
    return JSONResponse(body, status, headers)


async def _unknown(_: Request, error: HTTPException) -> Response:
    return JSONResponse(problem(error.detail, "refused"), error.status_code, error.headers)


async def _fault(_: Request, _error: Exception) -> Response:
    """Tell a fault of ours without its text: the server's log has it."""
    return JSONResponse(problem("an unexpected error: the server's log has it", "fault"), 500)
