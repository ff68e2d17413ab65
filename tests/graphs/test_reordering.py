"""What may reorder hits, within a question: off by default, paid from its budget, safe."""

import math
from collections.abc import Sequence
from dataclasses import replace

from graphs.research import build_research_graph
from graphs.state import ResearchInput, ResearchOutput
from graphs.tools import ResearchTools
from research_agent.context import RunContext
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import (
    FilterSettings,
    RerankSettings,
    Settings,
)
from research_agent.types import TraceEvent
from research_agent.types.calls import SearchResult
from research_agent.types.result import ResearchResult
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, ScriptedChat, ports, says


class Judge:
    """Finds the last text best."""

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float]:
        assert (query, seconds > 0) != ("", False)
        return [at / len(texts) for at in range(len(texts))]


def ask(given: Ports, settings: Settings) -> ResearchResult:
    graph = build_research_graph(given, settings, PROMPTS)
    return ResearchOutput.model_validate(graph.invoke(ResearchInput(question=QUESTION))).result


def searched(given: Ports, settings: Settings, **arguments: int) -> SearchResult:
    """Return what a parent agent's call of the tool brings."""
    tool = ResearchTools(RunContext(given, settings, PROMPTS)).tools()[0]
    args = {"query": "bread key", **arguments}
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": args}
    found = tool.invoke(call).artifact
    assert isinstance(found, SearchResult)
    return found


def test_by_default_a_call_returns_what_the_search_ranks() -> None:
    given = ports(ScriptedChat())
    settings = replace(Settings(), filter=FilterSettings(mode="off"))
    ranked = rank("bread key", ports=given, settings=settings.retrieval).hits

    found = searched(given, settings)

    assert (ranked, TraceEvent(queries=("bread key",))) == (found.hits, found.event)
    assert ("off", 3, 3) == (found.stats.mode, found.stats.original, found.stats.kept)
    assert found.filtering_stats == found.stats
    assert (3, 1, True) == (found.total_found, found.files_searched, found.search_time_ms > 0)


def test_a_call_is_cut_after_the_new_order() -> None:
    given = replace(ports(ScriptedChat()), reranker=Judge())
    settings = replace(Settings(), rerank=RerankSettings(mode="http"))
    ranked = rank("bread key", ports=given, settings=settings.retrieval).hits
    everything = replace(settings, filter=FilterSettings(min_similarity=-1.0))
    strict = replace(settings, filter=FilterSettings(min_similarity=0.2))

    (only,) = searched(given, everything, max_chunks=1).hits
    assert ranked[-1].chunk == only.chunk
    assert [0.2 <= (hit.similarity or 0) for hit in searched(given, strict, max_chunks=1).hits] == [
        True
    ]


def test_warnings_of_the_index_are_in_the_result_once() -> None:
    given = replace(ports(ScriptedChat(says(GOOD))), warnings=lambda: ("Only words are searched.",))

    assert ("Only words are searched.",) == ask(given, BYPASSING).warnings
    assert ("Only words are searched.",) == searched(given, BYPASSING).event.notes
