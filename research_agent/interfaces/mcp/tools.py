"""What the MCP server offers: tools with JSON schemas of both ends, documents as resources."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

import mcp_types
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, TypeAdapter

from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.outputs import ChunksOutput, DocumentsOutput, Json, SearchOutput
from research_agent.interfaces.own_graphs import own, research_tool, state, tools
from research_agent.planning import tool_texts
from research_agent.types.evidence import place, readable
from research_agent.types.records import DocumentOutline
from research_agent.types.result import ResearchResult

inputs = own("tool_inputs")
NAMES = {
    "search_chunks_tool": "search_chunks",
    "get_chunks_tool": "get_chunks",
    "list_documents_tool": "list_documents",
}
"""What our tools are called here: clients put a server's name in front."""

SCHEME = "research-agent://documents/"
PAGE = 500
"""Documents that are listed at a time."""
LONGEST = 2_000_000
"""Characters of a document that are sent; the rest is found by searching."""
TEMPLATE = mcp_types.ResourceTemplate(
    uri_template=SCHEME + "{doc_id}",
    name="document",
    title="A document",
    description="The text of an indexed document, passage by passage, with the passages' ids.",
    mime_type="text/plain",
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a tool gives back: a text for models, and the same as JSON values."""

    text: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool's description for clients."""

    name: str
    title: str
    description: str
    schema: type[BaseModel]
    output: Json
    run: Callable[[ResearchAgent, Json], Answered] | None = None
    """None where it tells how far it is: a whole question."""


def _search(agent: ResearchAgent, given: Json) -> Answered:
    result = agent.search(**given)
    return Answered(tool_texts.search_text(result), tool_texts.search_json(result))


def _chunks(agent: ResearchAgent, given: Json) -> Answered:
    result = agent.get_chunks(**given)
    return Answered(
        tool_texts.chunks_text(result, count=agent.count_tokens), tool_texts.chunks_json(result)
    )


def _documents(agent: ResearchAgent, _given: Json) -> Answered:
    result = agent.documents()
    return Answered(result.outline, tool_texts.documents_json(result))


OFFERS = (
    Offer(
        "search_chunks",
        "Search passages",
        tools.SEARCH,
        inputs.SearchChunksInput,
        TypeAdapter(SearchOutput).json_schema(),
        _search,
    ),
    Offer(
        "get_chunks",
        "Read passages",
        tools.GET,
        inputs.GetChunksInput,
        TypeAdapter(ChunksOutput).json_schema(),
        _chunks,
    ),
    Offer(
        "list_documents",
        "List documents",
        tools.LIST,
        inputs.ListDocumentsInput,
        TypeAdapter(DocumentsOutput).json_schema(),
        _documents,
    ),
)
RESEARCH = Offer(
    "research",
    "Answer a question",
    research_tool.RESEARCH,
    research_tool.ResearchInputs,
    state.RESULT.json_schema(mode="serialization"),
)


def described(names: str) -> list[mcp_types.Tool]:
    """Return the descriptions of all tools, with the documents as they are now."""
    listed = []
    for offer in (*OFFERS, RESEARCH):
        description = offer.description
        for ours, here in NAMES.items():
            description = description.replace(ours, here)
        if offer is OFFERS[0]:
            description += f"\n\nThe documents:\n{names}"
        tool = mcp_types.Tool(
            name=offer.name,
            title=offer.title,
            description=description,
            input_schema=offer.schema.model_json_schema(),
            output_schema=offer.output,
            annotations=mcp_types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
        )
        listed.append(tool)
    return listed


def answered(result: ResearchResult) -> Answered:
    """Return the result of a question."""
    return Answered(
        research_tool.result_text(result), state.RESULT.dump_python(result, mode="json")
    )


def documents_page(agent: ResearchAgent, cursor: str | None) -> mcp_types.ListResourcesResult:
    """Return the next documents, by path; raises MCPError for a cursor that is not ours."""
    if cursor is not None and not (cursor.isdecimal() and len(cursor) < len(str(LONGEST))):
        raise MCPError(mcp_types.INVALID_PARAMS, "the cursor is not one of this server's")
    documents, first = agent.documents().documents, int(cursor or 0)
    more = first + PAGE < len(documents)
    return mcp_types.ListResourcesResult(
        resources=[_resource(document) for document in documents[first : first + PAGE]],
        next_cursor=str(first + PAGE) if more else None,
    )


def document_text(agent: ResearchAgent, uri: str) -> mcp_types.ReadResourceResult:
    """Return the text of a document; raises MCPError where there is none."""
    name = unquote(uri.removeprefix(SCHEME)) if uri.startswith(SCHEME) else ""
    chunks = agent.document(name) if name else ()
    if not chunks:
        message = f"there is no document {uri[:200]!r}: resources/list names them"
        raise MCPError(mcp_types.INVALID_PARAMS, message, {"uri": uri[:200]})
    text = "\n\n".join(f"--- [{c.chunk_id}] {place(c)}\n{readable(c)}" for c in chunks)
    if len(text) > LONGEST:
        text = text[:LONGEST] + "\n\n(cut here: search_chunks finds the rest)"
    contents = mcp_types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return mcp_types.ReadResourceResult(contents=[contents])


def _resource(document: DocumentOutline) -> mcp_types.Resource:
    pages = f"{document.pages} pages, " if document.pages > 1 else ""
    return mcp_types.Resource(
        uri=SCHEME + quote(document.doc_id, safe=""),
        name=document.doc_id,
        title=document.title or None,
        description=f"{pages}{document.chunks} passages, from {document.source}",
        mime_type="text/plain",
    )
