"""The steps that search. They share the hybrid search, so they share a package."""

from research_agent.steps.search.probing import compact, retrieve, search_chunks
from research_agent.steps.search.ranking import Ranked, hybrid_search, rank

__all__ = ["Ranked", "compact", "hybrid_search", "rank", "retrieve", "search_chunks"]
