"""A reranker behind an HTTP `/rerank` endpoint."""

from research_agent.retrieval.adapters.rerank_http.client import HttpReranker, RerankEndpoint
from research_agent.retrieval.adapters.rerank_http.forms import Form

__all__ = ["Form", "HttpReranker", "RerankEndpoint"]
