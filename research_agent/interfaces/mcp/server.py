"""The MCP server of an agent: its tools, documents as resources, and the program that serves it."""

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, aclosing
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, unquote

import anyio
import mcp_types
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from research_agent.access import access_token
from research_agent.config import load_prompts
from research_agent.errors import ResearchAgentError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.process import opened, start
from research_agent.interfaces.cli.terminal import say
from research_agent.interfaces.listening import HOST, listening
from research_agent.interfaces.own_graphs import research_tool, state, tool_inputs, tools
from research_agent.interfaces.steps import step_text
from research_agent.planning import tool_texts
from research_agent.stopping import Stop, stopping
from research_agent.text.visible import visible
from research_agent.types.events import Finished
from research_agent.types.evidence import place, readable
from research_agent.types.result import ResearchResult

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]
Paginated = mcp_types.PaginatedRequestParams
NAME = "research-agent"
TOKEN = "RESEARCH_AGENT_MCP_TOKEN"  # noqa: S105 (the name of a variable)
SCHEME = "research-agent://documents/"
LONGEST = 2_000_000
"""Characters of a document that are sent; the rest is found by searching."""
INSTRUCTIONS = (
    "Searches the user's own documents and answers questions from them with citations. Use "
    "research for a whole question, search_chunks and get_chunks to look things up yourself."
)
_log = logging.getLogger(__name__)


class Offer(NamedTuple):
    """A tool; `run` gives its text for models and the same as JSON values."""

    title: str
    description: str
    schema: type[BaseModel]
    run: Callable[[ResearchAgent, Mapping[str, Any]], tuple[str, Mapping[str, object]]]


def _search(agent: ResearchAgent, inputs: Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    result = agent.search(**inputs)
    return tool_texts.search_text(result), tool_texts.search_json(result)


def _chunks(agent: ResearchAgent, inputs: Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    result = agent.get_chunks(**inputs)
    text = tool_texts.chunks_text(result, count=agent.count_tokens)
    return text, tool_texts.chunks_json(result)


def _documents(agent: ResearchAgent, _: Mapping[str, Any]) -> tuple[str, Mapping[str, object]]:
    result = agent.documents()
    return result.outline, tool_texts.documents_json(result)


OFFERS = {
    "search_chunks": Offer("Search passages", tools.SEARCH, tool_inputs.SearchChunksInput, _search),
    "get_chunks": Offer("Read passages", tools.GET, tool_inputs.GetChunksInput, _chunks),
    "list_documents": Offer(
        "List documents", tools.LIST, tool_inputs.ListDocumentsInput, _documents
    ),
}
"""Our tools of the same names without "_tool": clients put a server's name in front."""


def described(names: str) -> list[mcp_types.Tool]:
    """Return the descriptions of all tools, with the names of the documents as they are now."""
    shown = [(name, *offer[:3]) for name, offer in OFFERS.items()]
    shown.append(
        ("research", "Answer a question", research_tool.RESEARCH, research_tool.ResearchInputs)
    )
    return [
        mcp_types.Tool(
            name=name,
            title=title,
            description=_here(description)
            + f"\n\nThe documents:\n{names}" * (name == "search_chunks"),
            input_schema=schema.model_json_schema(),
            output_schema=None
            if name in OFFERS
            else state.RESULT.json_schema(mode="serialization"),
            annotations=mcp_types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        for name, title, description, schema in shown
    ]


def _here(description: str) -> str:
    """Return a description with our tools' names as clients have them."""
    for name in OFFERS:
        description = description.replace(f"{name}_tool", name)
    return description


def answered(result: ResearchResult) -> mcp_types.CallToolResult:
    """Return the result of a question for a client."""
    return _told(research_tool.result_text(result), state.RESULT.dump_python(result, mode="json"))


class Handlers:
    """One method a request; all of them share an agent."""

    def __init__(self, agent: ResearchAgent) -> None:
        self._agent = agent

    async def list_tools(self, _: Context, _params: Paginated | None) -> mcp_types.ListToolsResult:
        """Return the tools, with the names of the documents; what is in those is no description."""
        documents = await in_thread(self._agent.documents)
        return mcp_types.ListToolsResult(tools=described(documents.names))

    async def call_tool(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        """Run a tool; errors that a client can put right are in the result.

        A client that cancels, or goes, ends what it asked for. Raises MCPError where there is no
        such tool.
        """
        name, arguments = params.name, params.arguments or {}
        if name != "research" and name not in OFFERS:
            raise MCPError(mcp_types.INVALID_PARAMS, f"there is no tool {name[:100]!r}")
        try:
            if name == "research":
                return await self._research(context, arguments)
            offer = OFFERS[name]
            inputs = tool_inputs.valid(offer.schema, **arguments).model_dump()
            return _told(*await in_thread(partial(offer.run, self._agent, inputs)))
        except ResearchAgentError as error:
            return _failed(f"{error}. {error.hint}" if error.hint else str(error))
        except Exception:  # noqa: BLE001 (a fault of ours is told without its text, and logged)
            _log.exception("the tool %r failed", name)
            return _failed(f"an unexpected error in {name}: the server's log has it")

    async def list_resources(
        self, _: Context, _params: Paginated | None
    ) -> mcp_types.ListResourcesResult:
        """Return all documents."""
        outlines = (await in_thread(self._agent.documents)).documents
        return mcp_types.ListResourcesResult(
            resources=[
                mcp_types.Resource(
                    uri=SCHEME + quote(document.doc_id, safe=""),
                    name=document.doc_id,
                    title=document.title or None,
                    description=f"{document.chunks} passages, from {document.source}",
                    mime_type="text/plain",
                )
                for document in outlines
            ]
        )

    async def read_resource(
        self, _: Context, params: mcp_types.ReadResourceRequestParams
    ) -> mcp_types.ReadResourceResult:
        """Return the text of a document; raises MCPError where there is none."""
        uri = str(params.uri)
        name = unquote(uri.removeprefix(SCHEME)) if uri.startswith(SCHEME) else ""
        chunks = await in_thread(partial(self._agent.document, name)) if name else ()
        if not chunks:
            message = f"there is no document {uri[:200]!r}: resources/list names them"
            raise MCPError(mcp_types.INVALID_PARAMS, message)
        text = "\n\n".join(f"--- [{c.chunk_id}] {place(c)}\n{readable(c)}" for c in chunks)
        if len(text) > LONGEST:
            text = text[:LONGEST] + "\n\n(cut here: search_chunks finds the rest)"
        contents = mcp_types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        return mcp_types.ReadResourceResult(contents=[contents])

    async def _research(
        self, context: Context, arguments: Mapping[str, Any]
    ) -> mcp_types.CallToolResult:
        inputs = tool_inputs.valid(research_tool.ResearchInputs, **arguments)
        count = 0
        events = self._agent.astream(inputs.question, limits=inputs.limits, scope=inputs.scope)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    return answered(event.result)
                if line := visible(step_text(event)):
                    count += 1
                    await context.session.report_progress(count, message=line)
        raise RuntimeError("the question ended without a result")


def build_server(agent: ResearchAgent) -> Server[Any]:
    """Return an MCP server over an agent, for any transport."""
    handlers = Handlers(agent)
    return Server(
        NAME,
        version=version(NAME),
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_read_resource=handlers.read_resource,
    )


async def in_thread(work: Callable[[], T]) -> T:
    """Return what `work` gives, on a thread; who is cancelled meanwhile stops it."""
    stop = Stop()

    def run() -> T:
        with stopping(stop):
            return work()

    try:
        return await to_thread.run_sync(run, abandon_on_cancel=True)
    finally:
        stop.end()


def _told(text: str, values: Mapping[str, object]) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=text)],
        structured_content=to_jsonable_python(values, inf_nan_mode="null"),
    )


def _failed(text: str) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=text)], is_error=True
    )


def serve(*, index: str, config: str | None, port: int | None) -> int:
    """Serve an index until the client goes or the program is interrupted; stdout is MCP alone."""
    settings = start(config)
    token = access_token(TOKEN, os.environ) if port is not None else ""
    with ExitStack() as stack:
        connection = stack.enter_context(opened(index, settings))
        agent = stack.enter_context(
            ResearchAgent(connection.ports, connection.settings, load_prompts())
        )
        server = build_server(agent)
        if port is None:
            anyio.run(_over_stdio, server)
        else:
            anyio.run(_over_http, server, port, token)
    return 0


async def _over_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def _over_http(server: Server[Any], port: int, token: str) -> None:
    import uvicorn

    from research_agent.interfaces.http_limits import (
        BoundedProtocol,
        with_bounded_bodies,
        with_token,
    )

    app = with_token(with_bounded_bodies(server.streamable_http_app(host=HOST)), token)
    config = uvicorn.Config(
        app, http=BoundedProtocol, log_level="warning", timeout_graceful_shutdown=3, lifespan="on"
    )
    with listening(port, option="--http") as door:
        say(f"serving MCP at http://{HOST}:{door.getsockname()[1]}/mcp", error=True)
        if not os.environ.get(TOKEN):
            say(f"clients send this header: Authorization: Bearer {token}", error=True)
        await uvicorn.Server(config).serve(sockets=[door])
