"""Our steps as LangChain tools: the same for our own loop, a parent agent and MCP."""

from typing import Annotated

from langchain_core.tools import BaseTool, InjectedToolArg, tool

from research_agent.core.budget import Allowance
from research_agent.core.calls import SearchResult
from research_agent.core.types import Probe
from research_agent.metering import whole
from research_agent.ports import Ports
from research_agent.prompts import Prompts
from research_agent.settings import Settings
from research_agent.steps.plan_calls import TOOL
from research_agent.steps.reorder import Reorderer
from research_agent.steps.search import compact, search_chunks

NO_PROBE = Probe()


def build_search_tool(ports: Ports, settings: Settings, prompts: Prompts) -> BaseTool:
    """Return the tool that searches the documents behind `ports`.

    A parent agent calls it with `query` alone: no probe, and the whole budget for each call.
    """
    everything = whole(settings.budget)
    reorder = Reorderer(ports, settings, prompts)

    @tool(TOOL, response_format="content_and_artifact")
    def search_chunks_tool(
        query: str,
        max_chunks: int = settings.search.max_chunks,
        probe: Annotated[Probe, InjectedToolArg] = NO_PROBE,
        allowance: Annotated[Allowance, InjectedToolArg] = everything,
    ) -> tuple[str, SearchResult]:
        """Search the user's documents and return the best chunks.

        `query` is a short phrase with the words that the documents use; keep names and numbers.
        `max_chunks` is the largest number of chunks to return.
        """
        result = search_chunks(
            query,
            probe,
            max_chunks=max_chunks,
            allowance=allowance,
            ports=ports,
            retrieval=settings.retrieval,
            reorder=reorder,
            filtering=settings.filter,
            prompt=prompts.relevant,
        )
        return compact(result.hits) or "nothing found", result

    return search_chunks_tool
