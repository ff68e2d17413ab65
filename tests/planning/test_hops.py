"""Parts that wait for the answer to another part."""

import json

import pytest

from research_agent.context import RunContext
from research_agent.planning.hops import PartAnswer, answer_part, read_answer, waiting
from research_agent.planning.tool_calls.ranking import collect, planned_calls
from research_agent.settings import Settings
from research_agent.types import Hit
from research_agent.types.calls import CallPlan, CallResult, ToolCall
from tests.fakes import PROMPTS, ScriptedChat, chunk, ports

QUERIES = ("Where was its founder's wife born?", "Who founded it?", "Wife of #1?", "Birth of #2?")
HITS = [Hit(chunk("Acme was founded\nby Ada Li, aged 37, in 1990."))]


def test_parts_wait_for_one_another() -> None:
    assert [0, 1] == [call.part for call in planned_calls(QUERIES)]
    assert (2,) == waiting(QUERIES, (0, 1))
    assert (3,) == waiting(QUERIES, (0, 1, 2))
    assert () == waiting(QUERIES, (0, 1, 2, 3))


@pytest.mark.parametrize(
    ("answer", "taken"),
    [
        ("Ada Li", "Ada Li"),
        ("ada  li", "ada li"),
        ("founded by Ada", "founded by Ada"),
        ("Ada L", ""),
        ("Bo Chen", ""),
        ("Acme", ""),
        ("3", ""),
        ("x" * 101, ""),
        ("", ""),
        (None, ""),
        (["Ada Li"], ""),
    ],
)
def test_answer_has_to_stand_in_the_evidence(answer: object, taken: str) -> None:
    """As whole words, over a line's end too; the query's own words answer nothing."""
    assert taken == read_answer(json.dumps({"answer": answer}), "Who founded Acme?", HITS).text


def test_nothing_found_answers_nothing() -> None:
    planner = ScriptedChat()
    run = RunContext(ports(ScriptedChat(), planner), Settings(), PROMPTS)

    assert PartAnswer() == answer_part("Who founded Acme?", (), run.with_all_left(()))
    assert [] == planner.asked


@pytest.mark.parametrize("reply", ["", "Ada Li", "[1]", "{" * 100_000, '{"name": "Ada Li"}'])
def test_reply_in_another_form_is_no_answer(reply: str) -> None:
    assert PartAnswer() == read_answer(reply, "Who founded Acme?", HITS)


@pytest.mark.parametrize(
    ("waits", "turn", "decision", "reason"),
    [(1, 1, "again", "waiting"), (1, 3, "stop", "planned"), (0, 1, "stop", "planned")],
)
def test_search_goes_on_for_what_waits(waits: int, turn: int, decision: str, reason: str) -> None:
    call = ToolCall(0, "t", {"query": "a"}, part=0)
    plan = CallPlan(turn, "planner", (call,), waiting=waits)
    found = collect([CallResult(call, tuple(HITS))], plan, own_query="a", max_turns=3, rrf_k=5)

    assert (decision, reason) == (found.decision, found.reason)


@pytest.mark.parametrize("own", ["a", "not searched"])
@pytest.mark.parametrize("slot", [3, 0])
def test_the_chunk_with_the_answer_has_a_place_among_the_first(own: str, slot: int) -> None:
    hits = tuple(Hit(chunk(f"note {n}", n), 1 / (n + 1), 0.5) for n in range(12))
    bridge = hits[11]
    first = CallResult(ToolCall(0, "t", {"query": "a"}, part=0), hits)
    part = CallResult(ToolCall(1, "t", {"query": "b"}, part=1, slot=slot), (*hits[3:6], bridge))
    filled_call = ToolCall(2, "t", {"query": "c"}, part=2, bridges=(bridge.chunk.chunk_id,))
    results = [first, part, CallResult(filled_call, hits[6:8])]
    plan = CallPlan(2, "planner", (filled_call,))
    found = collect(results, plan, own_query=own, max_turns=3, rrf_k=5)
    texts = [hit.chunk.text for hit in found.hits]

    assert 12 == len(texts)
    assert texts.index("note 11") <= 4
    assert ["note 0", "note 1"] == texts[:2] or own != "a"
