"""The documents of an index as MCP resources."""

from urllib.parse import quote, unquote

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from research_agent.interfaces.agent import ResearchAgent
from research_agent.types.evidence import place, readable
from research_agent.types.records import DocumentOutline

SCHEME = "research-agent://documents/"
PAGE = 500
"""Documents that are listed at a time."""
LONGEST = 2_000_000
"""Characters of a document that are sent; the rest is found by searching."""
TEMPLATE = ResourceTemplate(
    uri_template=SCHEME + "{doc_id}",
    name="document",
    title="A document",
    description="The text of an indexed document, passage by passage, with the passages' ids.",
    mime_type="text/plain",
)


def listed(agent: ResearchAgent, cursor: str | None) -> ListResourcesResult:
    """Return the next documents, by path; raises MCPError for a cursor that is not ours."""
    if cursor is not None and not (cursor.isdecimal() and len(cursor) < len(str(LONGEST))):
        raise MCPError(INVALID_PARAMS, "the cursor is not one of this server's")
    documents, first = agent.documents().documents, int(cursor or 0)
    more = first + PAGE < len(documents)
    return ListResourcesResult(
        resources=[_resource(document) for document in documents[first : first + PAGE]],
        next_cursor=str(first + PAGE) if more else None,
    )


def read(agent: ResearchAgent, uri: str) -> ReadResourceResult:
    """Return the text of a document; raises MCPError where there is none."""
    name = unquote(uri.removeprefix(SCHEME)) if uri.startswith(SCHEME) else ""
    chunks = agent.document(name) if name else ()
    if not chunks:
        message = f"there is no document {uri[:200]!r}: resources/list names them"
        raise MCPError(INVALID_PARAMS, message, {"uri": uri[:200]})
    text = "\n\n".join(f"--- [{c.chunk_id}] {place(c)}\n{readable(c)}" for c in chunks)
    if len(text) > LONGEST:
        text = text[:LONGEST] + "\n\n(cut here: search_chunks finds the rest)"
    contents = TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return ReadResourceResult(contents=[contents])


def _resource(document: DocumentOutline) -> Resource:
    pages = f"{document.pages} pages, " if document.pages > 1 else ""
    return Resource(
        uri=SCHEME + quote(document.doc_id, safe=""),
        name=document.doc_id,
        title=document.title or None,
        description=f"{pages}{document.chunks} passages, from {document.source}",
        mime_type="text/plain",
    )
