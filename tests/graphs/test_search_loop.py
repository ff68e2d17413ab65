"""The search: one loop for two authors of tool calls."""

from dataclasses import replace

import pytest

from graphs.search import build_search_graph, run_call
from graphs.state import SearchInput, SearchOutput
from graphs.tools import ResearchTools
from research_agent.context import RunContext
from research_agent.retrieval.step import SearchBackground, retrieve
from research_agent.settings import FilterSettings, SearchSettings, Settings
from research_agent.types import Chunk, Completion, Hit, ModelCall, Probe
from research_agent.types.budget import NOTHING, Allowance
from research_agent.types.calls import ToolCall
from research_agent.types.refinement import Refinement
from research_agent.types.verification import Check
from tests import fakes

BREAD = "Bread is baked at 230 degrees."


def search(planner: fakes.ScriptedChat, settings: Settings, *queries: str) -> SearchOutput:
    graph = build_search_graph(fakes.ports(fakes.ScriptedChat(), planner), settings, fakes.PROMPTS)
    wanted = Refinement("decompose", queries)
    given = SearchInput(question=fakes.QUESTION, probe=Probe(), refinement=wanted)
    return SearchOutput.model_validate(graph.invoke(given))


def test_the_search_finds_what_the_probe_does_not_hand_on() -> None:
    unranked = Hit(Chunk("lost", "guide", "Nothing ranks this."), 1.0, 0.9)
    given = fakes.ports(fakes.ScriptedChat())
    start = SearchInput(
        question="?", probe=Probe("bread", (unranked,)), refinement=Refinement("keep", ("bread",))
    )
    output = SearchOutput.model_validate(
        build_search_graph(given, fakes.BYPASSING, fakes.PROMPTS).invoke(start)
    )
    own = retrieve(
        "bread", Check(), RunContext(given, fakes.BYPASSING, fakes.PROMPTS).within(NOTHING)
    ).value.hits

    assert BREAD == output.found.hits[0].chunk.text
    assert "lost" not in {hit.chunk.chunk_id for hit in output.found.hits}
    assert [hit for hit in own if (hit.similarity or 0) >= 0.1] == list(output.found.hits)


@pytest.mark.parametrize(("look_again", "asked"), [(True, 2), (False, 1)])
def test_filter_knows_the_question_and_tells_that_all_is_gone(
    *, look_again: bool, asked: int
) -> None:
    gone = Completion('{"k1": "DISCARD: other", "k2": "DISCARD: other"}', ModelCall("filter"))
    filterer = fakes.ScriptedChat(gone)
    given = fakes.ports(fakes.ScriptedChat(), filterer=filterer)
    settings = replace(
        fakes.BYPASSING, filter=FilterSettings(mode="llm"), search=SearchSettings(max_chunks=1)
    )
    tools = ResearchTools(RunContext(given, settings, fakes.PROMPTS))
    call = ToolCall(0, "search_chunks_tool", {"query": "ML-KEM bread bytes"})
    about = SearchBackground(question="Which ML-KEM bread has bytes?", look_again=look_again)
    result, _ = run_call(call, Allowance(9, 9, 90_000, 900.0), tools=tools, about=about)

    prompt = filterer.asked[0][1]
    assert "Question: Which ML-KEM bread has bytes?" in prompt
    assert "This search: ML-KEM bread bytes" in prompt
    assert (asked, 1) == (len(filterer.asked), len(result.hits))
    assert "try other words" in result.told
    assert ["other"] == [d.reason for d in result.stats.decisions if d.kept]
