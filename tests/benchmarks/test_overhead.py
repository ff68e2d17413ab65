"""A graph with played steps goes the way of the one that was watched, and costs are told apart."""

import pytest

from benchmarks.overhead import Spent, instant, measure
from benchmarks.step_costs import STEPS, Steps
from research_agent.interfaces.agent import ResearchAgent
from research_agent.settings import Settings
from tests.fakes import PROMPTS, ScriptedChat, ports

QUESTION = "How long is the hose of the pump?"


def test_played_steps_give_the_result_that_was_watched_and_run_nothing() -> None:
    """Every step is replaced: the graph with played steps never asks the model or the index."""
    steps, used = Steps(), instant(ports(ScriptedChat()))
    with steps.watched():
        agent = ResearchAgent(used, Settings(), PROMPTS)
    with steps.played():
        player = ResearchAgent(used, Settings(), PROMPTS)
    with agent, player:
        asked = agent.ask(QUESTION)
        seen = dict(steps.seconds)
        played = player.ask(QUESTION)
        with pytest.raises(IndexError, match="empty deque"):
            player.ask(QUESTION)
    assert asked == played
    assert {name for names in STEPS.values() for name in names} == set(seen)
    assert seen == steps.seconds


def test_steps_are_as_before_outside_of_the_block() -> None:
    """Graphs that are built later are not watched."""
    steps = Steps()
    with steps.watched():
        pass
    with ResearchAgent(instant(ports(ScriptedChat())), Settings(), PROMPTS) as agent:
        agent.ask(QUESTION)
    assert {} == steps.seconds


def test_costs_of_a_question_are_told_apart() -> None:
    """All parts are there and none is larger than the whole."""
    told = measure(ports(ScriptedChat()), Settings(), [QUESTION, "Where is the pump?"])
    costs = told["processor_ms"]
    assert 2 == told["questions"]
    assert isinstance(costs, dict)
    assert {"question", "embedding", "search", "other_steps", "graph_and_state"} == set(costs)
    assert 0 < costs["graph_and_state"]
    assert max(costs.values()) == costs["question"]


def test_time_spent_adds_up() -> None:
    """Differences and sums hold for each clock by itself."""
    begun, ended = Spent(1.0, 2.0, 3.0), Spent(2.0, 4.0, 6.0)
    assert Spent(1.0, 2.0, 3.0) == ended - begun
    assert ended == begun + (ended - begun)
