"""The steps that search. They share the hybrid search, so they share a package."""

from research_agent.steps.search.probing import ALONE, About, retrieve, search_chunks
from research_agent.steps.search.ranking import Ranked, hybrid_search, rank
from research_agent.steps.search.wanted import Search, Wanted, search_documents

__all__ = [
    "ALONE",
    "About",
    "Ranked",
    "Search",
    "Wanted",
    "hybrid_search",
    "rank",
    "retrieve",
    "search_chunks",
    "search_documents",
]
