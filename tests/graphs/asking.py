"""The research graph and the search, asked on fakes."""

from typing import Any

from graphs.research import build_research_graph
from graphs.search import build_search_graph
from graphs.state import ResearchInput, SearchInput, SearchState
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types import Probe
from research_agent.types.refinement import Refinement
from research_agent.types.result import ResearchResult
from tests.fakes import LOOP, PROMPTS, QUESTION


def ask(given: Ports, settings: Settings = LOOP, question: str = QUESTION) -> ResearchResult:
    graph = build_research_graph(given, settings, PROMPTS)
    result: ResearchResult = graph.invoke(ResearchInput(question=question))["result"]
    return result


def search(given: Ports, settings: Settings, *queries: str, **more: Any) -> SearchState:  # noqa: ANN401 (fields of the input)
    """Return all that a search for `queries` knows at its end; several are parts of a question."""
    wanted = Refinement("decompose" if len(queries) > 1 else "keep", queries)
    start = SearchInput(**{"question": "?", "probe": Probe(), "refinement": wanted, **more})
    graph = build_search_graph(given, settings, PROMPTS)
    *_, values = graph.stream(start, stream_mode="values")
    return SearchState.model_validate(values)
