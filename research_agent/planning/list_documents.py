"""List documents: everything that can be searched, and an outline of it."""

from research_agent.ports import Ports
from research_agent.types import TraceEvent
from research_agent.types.corpus import LISTED_TOKENS, corpus_names, corpus_outline
from research_agent.types.tool_results import DocumentsResult


def list_documents(ports: Ports) -> DocumentsResult:
    """Return the documents of the index as it is now, with an outline for models."""
    documents = tuple(ports.documents())
    outline = corpus_outline(documents, count=ports.tokenizer.count, max_tokens=LISTED_TOKENS)
    names = corpus_names(documents, count=ports.tokenizer.count)
    return DocumentsResult(documents, outline, TraceEvent(lookups=1), names)
