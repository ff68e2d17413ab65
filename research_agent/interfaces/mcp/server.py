"""What the MCP server does with each request; `serving` makes it reachable."""

import logging
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from importlib.metadata import version
from typing import Any, TypeVar

import mcp_types
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic_core import to_jsonable_python

from research_agent.errors import ResearchAgentError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.mcp import tools
from research_agent.interfaces.outputs import Json
from research_agent.interfaces.steps import step_text
from research_agent.stopping import Stop, stopping
from research_agent.text.visible import visible
from research_agent.types.events import Event, Finished, SentenceChecked, Warned

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]
NAME = "research-agent"
INSTRUCTIONS = (
    "Searches the user's own documents and answers questions from them with citations. Use "
    "research for a whole question, search_chunks and get_chunks to look things up yourself."
)
_log = logging.getLogger(__name__)


class Handlers:
    """One method a request; all of them share an agent."""

    def __init__(self, agent: ResearchAgent) -> None:
        self._agent = agent

    async def list_tools(
        self, _: Context, _params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        """Return the tools, with the names of the documents; what is in those is no description."""
        documents = await in_thread(self._agent.documents)
        return mcp_types.ListToolsResult(tools=tools.described(documents.names))

    async def call_tool(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        """Run a tool; errors that a client can put right are in the result.

        A client that cancels, or goes, ends what it asked for.
        """
        try:
            result = await self._called(context, params.name, params.arguments or {})
        except ResearchAgentError as error:
            return _failed(f"{error}. {error.hint}" if error.hint else str(error))
        except MCPError:
            raise
        except Exception:  # noqa: BLE001 (a fault of ours is told without its text, and logged)
            _log.exception("the tool %r failed", params.name)
            return _failed(f"an unexpected error in {params.name}: the server's log has it")
        return mcp_types.CallToolResult(
            content=[mcp_types.TextContent(type="text", text=result.text)],
            structured_content=to_jsonable_python(result.values, inf_nan_mode="null"),
        )

    async def list_resources(
        self, _: Context, params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListResourcesResult:
        """Return the documents, a page at a time."""
        cursor = params.cursor if params else None
        return await in_thread(partial(tools.documents_page, self._agent, cursor))

    async def list_templates(
        self, _: Context, _params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListResourceTemplatesResult:
        """Return how a document's address is made."""
        return mcp_types.ListResourceTemplatesResult(resource_templates=[tools.TEMPLATE])

    async def read_resource(
        self, _: Context, params: mcp_types.ReadResourceRequestParams
    ) -> mcp_types.ReadResourceResult:
        """Return the text of a document."""
        return await in_thread(partial(tools.document_text, self._agent, str(params.uri)))

    async def _called(self, context: Context, name: str, arguments: Json) -> tools.Answered:
        """Return what a tool gives back; raises MCPError where there is none of that name."""
        if name == tools.RESEARCH.name:
            return await self._research(context, arguments)
        offer = next((one for one in tools.OFFERS if one.name == name), None)
        if offer is None or offer.run is None:
            raise MCPError(mcp_types.INVALID_PARAMS, f"there is no tool {name[:100]!r}")
        given = tools.inputs.valid(offer.schema, **arguments).model_dump()
        return await in_thread(partial(offer.run, self._agent, given))

    async def _research(self, context: Context, arguments: Json) -> tools.Answered:
        """Answer a question, telling how far it is."""
        given = tools.inputs.valid(tools.RESEARCH.schema, **arguments)
        told = 0
        events = self._agent.astream(given.question, limits=given.limits, scope=given.scope)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Finished):
                    return tools.answered(event.result)
                if line := progress_line(event):
                    told += 1
                    await context.session.report_progress(told, message=line)
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
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


def progress_line(event: Event) -> str:
    """Return the progress message of an event; empty for most events.

    >>> progress_line(Warned(text="the filter failed"))
    'warning: the filter failed'
    """
    match event:
        case SentenceChecked(text=text, keys=keys, verdict=verdict) if text:
            return visible(f"{verdict}: {text} {''.join(f'[{key}]' for key in keys)}")
        case Warned(text=text):
            return visible(f"warning: {text}")
    return visible(step_text(event))


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


def _failed(text: str) -> mcp_types.CallToolResult:
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=text)], is_error=True
    )
