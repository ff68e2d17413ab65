"""The addresses behind the page: JSON and pieces of HTML for its script, which has the token."""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from research_agent import errors
from research_agent.assembly.uploads import check_upload_name
from research_agent.interfaces.chat.text import markdown
from research_agent.interfaces.http_limits import json_object
from research_agent.interfaces.report.content import report_of
from research_agent.interfaces.report.writing import report_html
from research_agent.interfaces.web.fragments import PACKAGE, cited_html, details_html, turn_html
from research_agent.interfaces.web.talk import Question, Talk
from research_agent.interfaces.web.workspace import Workspace
from research_agent.presets import NAMES, check_preset, described
from research_agent.types.scope import WILD, check_scope, scope_of

LONGEST = 1_000_000
"""Bytes of a request that is no document."""
STATIC = {"web.css": "text/css", "web.js": "text/javascript", "web.html": "text/html"}
STATUS = {
    errors.IndexMissingError: 404,
    errors.SessionLockedError: 409,
    errors.IndexLockedError: 409,
    errors.SessionError: 409,
}
Handler = Callable[[Request], Awaitable[Response]]


def build_app(workspace: Workspace) -> Starlette:
    """Return the application; `serving.gate` belongs in front of it."""
    page = partial(_static, "web.html")
    talk = "/api/talk/{session}"
    routes = [
        Route("/", page),
        *[Route(f"/{name}", partial(_static, name)) for name in STATIC],
        Route("/api/state", partial(_state, workspace)),
        Route("/api/files/{name}", partial(_upload, workspace), methods=["PUT"]),
        Route("/api/index", partial(_job, workspace)),
        Route("/api/index", _with_json(partial(_index, workspace)), methods=["POST"]),
        Route(talk, partial(_talk, workspace)),
        Route(f"{talk}/ask", _with_json(partial(_ask, workspace)), methods=["POST"]),
        Route(f"{talk}/scope", _with_json(partial(_limit, workspace)), methods=["POST"]),
        Route(f"{talk}/stop", partial(_stop, workspace), methods=["POST"]),
        Route(f"{talk}/events", partial(_events, workspace)),
        Route(f"{talk}/markdown", partial(_markdown, workspace)),
        Route(f"{talk}/{{turn:int}}/details", partial(_details, workspace)),
        Route(f"{talk}/{{turn:int}}/report", partial(_report, workspace)),
        Route(f"{talk}/{{turn:int}}/cited/{{key}}", partial(_cited, workspace)),
    ]
    handlers: Mapping[Any, Any] = {errors.ResearchAgentError: _told, HTTPException: _unknown}
    return Starlette(routes=routes, exception_handlers=handlers)


async def _told(_: Request, error: errors.ResearchAgentError) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
    return JSONResponse({"error": str(error), "hint": error.hint}, status)


async def _unknown(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail, "hint": "Load the page again."}, error.status_code)


def _with_json(work: Callable[[Request, dict[str, Any]], Response]) -> Handler:
    """Hand on the JSON object of a request; raises ToolInputError for what is none."""

    async def handle(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > LONGEST:
                raise errors.ToolInputError("the request is too long", hint="Ask for less.")
        return await run_in_threadpool(work, request, json_object(body))

    return handle


async def _static(name: str, _: Request) -> Response:
    content = (files(PACKAGE) / "static" / name).read_bytes()
    return Response(content, media_type=STATIC[name])


def _state(workspace: Workspace, _: Request) -> Response:
    listed = () if workspace.empty else workspace.connection.ports.documents()
    documents = [
        {"name": one.doc_id, "title": one.title, "date": one.date, "pages": one.pages}
        for one in listed
    ]
    sessions = [{"name": one.name, "turns": one.turns} for one in workspace.sessions()]
    return JSONResponse(
        {
            "index": workspace.index,
            "documents": documents,
            "sessions": sessions,
            "session": workspace.first_session(),
            "presets": list(NAMES),
            "preset": described(workspace.settings) or "as configured",
        }
    )


def _open(workspace: Workspace, request: Request) -> Talk:
    return workspace.talk(request.path_params["session"])


def _talk(workspace: Workspace, request: Request) -> Response:
    """Return a session's answers, and the number behind which its events go on."""
    talk = _open(workspace, request)
    after = talk.feed.start  # (before the turns: an answer that comes meanwhile comes twice)
    html = "".join(turn_html(number, turn) for number, turn in enumerate(talk.conversation.turns()))
    scope = talk.conversation.state().scope or {}
    return JSONResponse({"html": html, "after": after, "busy": talk.busy, "scope": scope})


def _ask(workspace: Workspace, request: Request, values: dict[str, Any]) -> Response:
    _open(workspace, request).ask(_question(workspace, values))
    return JSONResponse({}, 202)


def _limit(workspace: Workspace, request: Request, values: dict[str, Any]) -> Response:
    _open(workspace, request).limit(_question(workspace, values).scope)
    return JSONResponse({})


def _question(workspace: Workspace, values: dict[str, Any]) -> Question:
    """Return what a browser asks for; raises ToolInputError."""
    try:
        question = TypeAdapter(Question).validate_python(values)
    except ValidationError as error:
        raise errors.ToolInputError(
            f"the request is not understood: {error.errors()[0]['msg']}"
        ) from None
    if question.preset:
        check_preset(question.preset)
    names = [_exactly(name) for name in question.scope.get("documents", ())]
    if names:
        question.scope["documents"] = names
    check_scope(scope_of(question.scope), workspace.connection.ports.documents)
    return question


def _exactly(name: str) -> str:
    """Return a pattern that fits this name alone."""
    return "".join(f"[{c}]" if c in WILD else c for c in name)


def _stop(workspace: Workspace, request: Request) -> Response:
    _open(workspace, request).stop()
    return JSONResponse({}, 202)


def _events(workspace: Workspace, request: Request) -> Response:
    """Return what has happened behind a number that the page knows."""
    text = request.query_params.get("after", "")
    after = int(text) if text.isascii() and text.isdigit() else -1
    return JSONResponse(_open(workspace, request).feed.since(after))


def _cited(workspace: Workspace, request: Request) -> Response:
    result, _ = _open(workspace, request).result(request.path_params["turn"])
    chunks = workspace.connection.ports.chunks
    html = cited_html(result, request.path_params["key"], chunks, workspace.draw)
    return Response(html, media_type="text/html")


def _details(workspace: Workspace, request: Request) -> Response:
    talk, turn = _open(workspace, request), request.path_params["turn"]
    result, record = talk.result(turn)
    connection = workspace.connection
    report = report_of(result, record, connection.ports.chunks, workspace.draw)
    return Response(details_html(talk.turn(turn), report), media_type="text/html")


def _report(workspace: Workspace, request: Request) -> Response:
    result, record = _open(workspace, request).result(request.path_params["turn"])
    connection = workspace.connection
    report = report_of(result, record, connection.ports.chunks, workspace.draw)
    return _file(report_html(report), "text/html")


def _markdown(workspace: Workspace, request: Request) -> Response:
    conversation = _open(workspace, request).conversation
    return _file(markdown(conversation.name, conversation.turns()), "text/markdown")


def _file(text: str, kind: str) -> Response:
    return Response(text, media_type=kind, headers={"content-disposition": "attachment"})


async def _upload(workspace: Workspace, request: Request) -> Response:
    """Keep a document; one of its name is replaced. Raises PathError."""
    name = check_upload_name(request.path_params["name"])
    folder = await run_in_threadpool(workspace.uploads)
    most, size = workspace.settings.documents.max_file_mb, 0
    with (
        TemporaryDirectory(dir=folder, prefix=".") as inside,
        Path(inside, name).open("wb") as file,  # noqa: ASYNC230 (a local disk)
    ):
        async for part in request.stream():
            size += len(part)
            if size > most * 1e6:
                raise errors.PathError(
                    f"{name} is larger than {most:g} MB", hint="Raise documents.max_file_mb."
                )
            await run_in_threadpool(file.write, part)
        await run_in_threadpool(file.close)
        await run_in_threadpool(os.replace, file.name, folder / name)
    return JSONResponse({"name": name}, 201)


def _index(workspace: Workspace, _: Request, values: dict[str, Any]) -> Response:
    folder = values.get("folder") or ""
    if not isinstance(folder, str):
        raise errors.ToolInputError("the folder is no text")
    workspace.start_indexing([folder] if folder else [str(workspace.uploads())])
    return JSONResponse({}, 202)


def _job(workspace: Workspace, _: Request) -> Response:
    return JSONResponse(asdict(workspace.job))
