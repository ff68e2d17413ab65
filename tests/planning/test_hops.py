"""Parts that wait for the answer to another part."""

import json

import pytest

from research_agent.planning.tool_calls.ranking import (
    HOP_SLOT,
    collect,
    planned_calls,
    read_answer,
    waiting,
)
from research_agent.types import Hit
from research_agent.types.calls import PART_SLOT, CallPlan, CallResult, ToolCall
from tests.fakes import chunk

QUERIES = ("Where was its founder's wife born?", "Who founded it?", "Wife of #1?", "Birth of #2?")
HITS = [Hit(chunk("Acme was founded\nby Ada Li, aged 37, in 1990."))]


def test_parts_wait_for_one_another() -> None:
    assert [0, 1] == [call.part for call in planned_calls(QUERIES)]
    assert (2,) == waiting(QUERIES, (0, 1))
    assert (3,) == waiting(QUERIES, (0, 1, 2))
    assert () == waiting(QUERIES, (0, 1, 2, 3))


def test_hits_of_following_queries_come_last() -> None:
    assert [PART_SLOT, 0] == [call.slot for call in planned_calls(("a", "b"), following=("b",))]


@pytest.mark.parametrize(("slot", "most"), [(PART_SLOT, 2), (HOP_SLOT, 1)])
def test_a_part_alone_lets_in_two_hits_and_one_after_a_gap_one(slot: int, most: int) -> None:
    hits = tuple(Hit(chunk("text", at), 1 - at / 10) for at in range(9))
    own, part = (ToolCall(at, "t", {"query": "ab"[at]}, part=at, slot=slot) for at in range(2))
    results = [CallResult(own, hits[:6]), CallResult(part, hits[6:])]
    plan = CallPlan(1, "planner", (own, part))

    assert 6 + most == len(collect(results, plan, own_query="a", max_turns=3, rrf_k=5).hits)


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
    reply = json.dumps({"answer": answer})

    assert taken == read_answer(reply, "Who founded Acme?", HITS).text
    assert "Ada" == read_answer('{"answer": "Ada"}', "Who founded Adana Steel?", HITS).text


@pytest.mark.parametrize(
    ("waits", "turn", "decision", "reason"),
    [(1, 1, "again", "waiting"), (1, 3, "stop", "planned"), (0, 1, "stop", "planned")],
)
def test_search_goes_on_for_what_waits(waits: int, turn: int, decision: str, reason: str) -> None:
    call = ToolCall(0, "t", {"query": "a"}, part=0)
    plan = CallPlan(turn, "planner", (call,), waiting=waits)
    found = collect([CallResult(call, tuple(HITS))], plan, own_query="a", max_turns=3, rrf_k=5)

    assert (decision, reason) == (found.decision, found.reason)
