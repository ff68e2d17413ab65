"""The tool-calling loop: what models get wrong, repeat or overdo, and what ends it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from graphs.search import Toolbox
from research_agent.context import RunContext
from research_agent.errors import ModelUnavailableError
from research_agent.ports import Ports
from research_agent.settings import BudgetSettings, FilterSettings, SearchSettings, Settings
from research_agent.types import Completion, ModelCall, Probe, WrittenCall
from research_agent.types.references import Edge
from tests.fakes import (
    MODEL_CALLS,
    PROMPTS,
    MemoryChunks,
    ScriptedChat,
    WordEmbedder,
    chunk,
    ports,
    says,
)
from tests.graphs import asking

LOOP = replace(
    MODEL_CALLS,
    search=SearchSettings(mode="tool_calling", max_chunks=1, max_turns=6),
    filter=FilterSettings(mode="off"),
)
DONE = says("done")
PLANNED = "800"
TURN = "plan_calls run_call collect"
BREADS = [f"bread {n}" for n in range(100)]


def tool(name: str, **arguments: object) -> WrittenCall:
    return WrittenCall(name, json.dumps(arguments))


def makes(*written: WrittenCall) -> Completion:
    return Completion("", ModelCall("planner", 50, 5), written)


def search(query: str, **arguments: object) -> WrittenCall:
    return tool("search_chunks_tool", query=query, **arguments)


def limited(**changes: Any) -> Settings:  # noqa: ANN401 (fields of a section)
    return replace(LOOP, search=replace(LOOP.search, **changes))


@dataclass
class Run:
    """One search, and all that can be seen of it."""

    given: Ports
    settings: Settings = LOOP
    queries: Sequence[str] = (PLANNED,)
    own: str = ""
    """What the round's first search was for."""

    def __post_init__(self) -> None:
        own = Probe(self.own)
        self.output = asking.search(self.given, self.settings, *self.queries, probe=own)
        self.results = self.output.results

    @property
    def nodes(self) -> str:
        return " ".join(event.node for event in self.output.trace)

    @property
    def notes(self) -> list[str]:
        return [note for event in self.output.trace for note in event.notes]

    @property
    def found(self) -> list[str]:
        return [hit.chunk.chunk_id for hit in self.output.found.hits]

    @property
    def reason(self) -> str:
        return self.output.found.reason

    @property
    def embedded(self) -> list[str]:
        assert isinstance(self.given.embedder, WordEmbedder)
        return self.given.embedder.asked

    def told(self, turn: int) -> str:
        assert isinstance(self.given.planner, ScriptedChat)
        return self.given.planner.asked[turn - 1][1]


def run(
    *replies: Completion | BaseException, settings: Settings = LOOP, texts: Sequence[str] = ()
) -> Run:
    planner = ScriptedChat(*replies)
    given = ports(ScriptedChat(), planner)
    return Run(ports(ScriptedChat(), planner, texts=texts) if texts else given, settings)


def test_all_three_tools_may_be_called() -> None:
    done = run(
        makes(search("bread"), search("800"), search("1184")),
        makes(tool("get_chunks_tool", chunk_ids=["[k1]", "K1"]), tool("list_documents_tool")),
        DONE,
    )
    searched, read, listed = done.results[:3], done.results[3], done.results[4]

    assert done.nodes.startswith("plan_calls run_call run_call run_call collect plan_calls")
    assert [(0, "bread"), (1, "800"), (2, "1184")] == [
        (result.call.index, result.call.query) for result in searched
    ]
    assert ["guide-2"] * 2 == read.call.arguments["chunk_ids"]
    assert ["guide-2"] == [hit.chunk.chunk_id for hit in read.hits]
    assert "guide: 3 chunks" in listed.told
    assert 5 == sum(len(event.queries) + event.lookups for event in done.output.trace)
    assert "1 documents, 3 chunks (3 text)" in done.told(1)
    assert "model_done" == done.reason


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (tool("search_chunk_tools"), "there is no tool 'search_chunk_tools'; did you mean search_"),
        (tool("search_chunks_tool"), "query is missing. The arguments are: query,"),
        (search("x" * 9999), "the query has 9,999 characters; at most 4,000 are read"),
        (search("x", file_filter="gide"), "matches no document. The nearest: 'guide'."),
        (tool("get_chunks_tool", chunk_ids=["k7"]), "no chunk has the key 'k7'"),
        (WrittenCall("search_chunks_tool", '{"query": "bre'), "not one JSON object"),
    ],
)
def test_wrong_call_is_answered_and_can_be_corrected(wrong: WrittenCall, told: str) -> None:
    done = run(makes(wrong), makes(search("bread")), DONE)
    beside = run(makes(wrong, search("bread")), DONE)

    assert f"{TURN} {TURN} plan_calls collect" == done.nodes
    assert told in done.told(2)
    assert ("guide-2", []) == (done.found[0], done.notes)
    assert [False, True] == [bool(result.hits) for result in beside.results]


@pytest.mark.parametrize(
    ("replies", "turns", "note"),
    [
        ([makes(tool("rm")), makes(tool("rm", path="/")), DONE], 6, "the model's calls were wrong"),
        ([makes(tool("rm"))], 1, "the model's calls were wrong"),
        ([makes(tool("list_documents_tool")), DONE], 6, "the planner did"),
        ([makes(tool("get_chunks_tool", chunk_ids=["x"])), says("It is 3.")], 6, "the planner did"),
        ([says("I cannot call tools.")], 6, "the model wrote no call, the planner did"),
    ],
)
def test_model_that_searches_nothing_is_replaced(
    replies: list[Completion], turns: int, note: str
) -> None:
    done = run(*replies, settings=limited(max_turns=turns))

    assert ([PLANNED], "planned") == (done.embedded, done.reason)
    assert done.found
    assert note in done.notes[0]


@pytest.mark.parametrize(
    "reply",
    [
        says('I search {"name": "search_chunks_tool", "arguments": {"query": "rye'),
        replace(says("So I would look for the words that"), finish_reason="length"),
    ],
)
def test_half_a_call_is_told_and_can_be_written_again(reply: Completion) -> None:
    done = run(makes(search("bread")), reply, makes(search("800")), DONE)

    assert "no whole call could be read" in done.told(3)
    assert ["bread", "800"] == done.embedded
    assert {"guide-2", "guide-1"} == set(done.found)


@pytest.mark.parametrize(
    ("reply", "reason", "note"),
    [
        (says("It is 180."), "model_done", "the model wrote no call, but text; the search ended"),
        (ModelUnavailableError("down"), "error", "down; the search ended"),
    ],
)
def test_what_ends_the_search_early(reply: Completion | Exception, reason: str, note: str) -> None:
    done = run(makes(search("bread")), reply)

    assert (reason, 1, [f"plan_calls: {note}"]) == (done.reason, len(done.found), done.notes)


def test_references_are_followed_as_far_as_a_search_may_return() -> None:
    chunks = [chunk(text, number) for number, text in enumerate(BREADS)]
    edges = [Edge(f"guide-{n}", f"guide-{n + 1}", "see") for n in range(99)]
    read = makes(tool("get_chunks_tool", chunk_ids=["k1", "k77"], expand_depth=10))
    planner = ScriptedChat(makes(search("bread 0")), read, DONE)
    given = ports(ScriptedChat(), planner, texts=BREADS)
    done = Run(replace(given, chunks=MemoryChunks(chunks, edges)), limited(max_chunks=3))

    assert {f"guide-{n}" for n in range(4)} <= set(done.found)
    assert len(done.found) <= 3 + 5
    assert "more passages are referred to" in done.told(3)
    assert "no chunk has the key 'k77': take keys from a search's result" in done.told(3)


def test_what_a_models_further_calls_find_is_not_lost() -> None:
    texts = [*(f"own {n}" for n in range(3)), *(f"other {n}" for n in range(4))]
    planner = ScriptedChat(makes(search("own"), search("other")), DONE)
    given = ports(ScriptedChat(), planner, texts=texts)
    done = Run(given, limited(max_chunks=4), ["own"], "own")
    found = [hit.chunk.text for hit in done.output.found.hits]

    assert all(text.startswith("own") for text in found[:3])
    assert 4 == sum(text.startswith("other") for text in found)


def test_the_same_call_is_searched_once() -> None:
    done = run(
        makes(search("bread")),
        makes(search("bread", max_chunks=1, rerank=True), search("1184")),
        makes(WrittenCall("search_chunks", '{"rerank": true, "query": "bread"}')),
        DONE,
    )

    assert ["bread", "1184"] == done.embedded
    assert [None, 0, None, 0] == [result.call.repeats for result in done.results]
    assert "the same call as before" in done.told(3)
    assert "no_new_evidence" == done.reason


def test_calls_of_a_turn_are_cut() -> None:
    poor = replace(LOOP, budget=BudgetSettings(tool_calls=2))
    done = run(
        makes(tool("rm"), search("bread"), search("800"), search("1184")), DONE, settings=poor
    )
    flood = run(makes(*map(search, BREADS)), DONE)

    assert ["800", "bread"] == sorted(done.embedded)  # (side by side, in any order)
    assert "budget_tool_calls" == done.reason
    assert ["plan_calls: budget.tool_calls pays 3 of 4 searches"] == done.notes
    assert 8 == len(flood.results)
    assert "plan_calls: 92 calls beyond 8 were left out" in flood.notes


def test_reading_a_chunk_lets_the_model_go_on() -> None:
    read = makes(tool("get_chunks_tool", chunk_ids=["k1"], expand_depth=0))
    done = run(makes(search("bread")), read, read, DONE, texts=[f"bread {'word ' * 400}END"])

    assert [False, True] == ["END" in done.told(turn) for turn in (2, 3)]
    assert "no_new_evidence" == done.reason


def test_the_planner_goes_on_with_what_it_began() -> None:
    planner = ScriptedChat(DONE, says('{"answer": "Rye"}'))
    given = ports(ScriptedChat(), planner, texts=["The best bread is Rye."])
    queries = ("Where is bread grown?", "What is the best bread?", "Where is #1 grown?")
    done = Run(given, LOOP, queries)

    assert [*queries[:2], "Where is Rye grown?"] == [
        query for event in done.output.trace for query in event.queries
    ]
    assert "planned" == done.reason


def test_max_chunks_is_what_the_settings_pay() -> None:
    both = makes(search("bread", max_chunks=1000), search("ML", max_chunks=1))
    done = run(both, DONE, settings=limited(max_chunks=2))
    box = Toolbox(RunContext(ports(ScriptedChat(), texts=BREADS), limited(max_chunks=50), PROMPTS))
    asked: list[dict[str, object]] = [
        {"query": "x"},
        {"query": "x", "max_chunks": 25},
        {"query": "x", "max_chunks": 50},
    ]

    assert [2, 1] == [len(result.hits) for result in done.results]
    assert [asked[0], asked[1], asked[0]] == [box.check("search_chunks_tool", one) for one in asked]
