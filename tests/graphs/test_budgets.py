"""Whatever the budget, the graph keeps within it and ends with a result."""

from dataclasses import replace

import pytest

from graphs.state import RESULT
from research_agent.settings import BudgetSettings, FilterSettings
from research_agent.types import ModelCall
from tests.fakes import BYPASSING, ScriptedChat, ports, says
from tests.graphs.serving import FIRST, Server, paid, run

FULL = 15
"""Model calls of two rounds with every role, and of a judge in the first."""


@pytest.mark.parametrize("limit", range(1, FULL + 1))
def test_calls_stay_within_the_budget(limit: int) -> None:
    server = Server()
    result, _ = run(server.ports(), paid(llm_calls=limit))

    assert limit == len(server.asked) == result.usage.llm_calls
    assert FIRST in result.answer
    assert ("answer" in server.asked, "verifier" in server.asked) == (True, limit > 1)
    assert (limit < FULL) == bool(result.warnings or result.stop_reason == "budget_llm_calls")
    assert result == RESULT.validate_json(RESULT.dump_json(result))


@pytest.mark.parametrize("limit", range(100, 1500, 140))
def test_tokens_stay_within_the_budget(limit: int) -> None:
    server = Server()
    result, _ = run(server.ports(), paid(tokens=limit))

    used = result.usage.prompt_tokens + result.usage.completion_tokens
    assert server.tokens == used
    assert used <= limit
    assert result.warnings
    assert (limit == 100) == (result.refusal_reason == "budget")  # (it pays no answer)


@pytest.mark.parametrize("limit", range(1, 101, 9))
def test_time_stays_within_the_budget(limit: int) -> None:
    server = Server(takes=10.0)
    settings = replace(paid(seconds=limit), filter=FilterSettings(mode="off"))
    result, _ = run(server.ports(), settings)

    assert server.watch.now <= limit
    assert result.usage.elapsed_seconds <= limit
    assert (limit < 46, limit < 70) == (
        result.refusal_reason == "budget",
        result.stop_reason == "budget_seconds",
    )


@pytest.mark.parametrize("cost", [0.3, 0.6, 1.1, 2.6, 4.1])
def test_money_is_checked_before_each_call(cost: float) -> None:
    result, _ = run(Server(price=0.25).ports(), paid(cost=cost))

    assert result.usage.cost is not None
    assert result.usage.cost < cost + 0.5
    assert FIRST in result.answer


@pytest.mark.parametrize(
    ("tokens", "budget", "limit"),
    [
        (300, 100_000, "answer.max_tokens"),
        (0, 100_000, "answer.max_tokens"),
        (300, 400, "what is left of budget.tokens"),
        (60, 100_000, "a limit of the model server's own"),
    ],
)
def test_cut_answer_says_which_limit_cut_it(tokens: int, budget: int, limit: str) -> None:
    cut = replace(says(FIRST), finish_reason="length", cost=ModelCall("answer", 1, tokens))
    settings = replace(BYPASSING, budget=BudgetSettings(tokens=budget, rounds=1))
    result, _ = run(ports(ScriptedChat(cut)), settings)

    assert (f"answer: cut at {limit}",) == result.warnings
