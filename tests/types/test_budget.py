"""What is left of a budget, counted from calls and traces."""

import math
from dataclasses import replace

import pytest

from research_agent.errors import BudgetError
from research_agent.types import ModelCall
from research_agent.types.budget import BUDGET_STOPS, Allowance

WHOLE = Allowance(10, 5, 1000, 60.0, 2.0)


def test_calls_are_taken_off() -> None:
    """Prompt and reply count alike, a call without a price costs nothing that is known."""
    calls = [ModelCall("answer", 300, 100, price=0.5), ModelCall("planner", 50, 50)]

    assert Allowance(8, 3, 500, 50.0, 1.5) == WHOLE.after(calls, 10.0, searches=2)


@pytest.mark.parametrize("parts", range(1, 12))
def test_shares_never_add_up_to_more(parts: int) -> None:
    share = WHOLE.share(parts)

    assert share.llm_calls * parts <= WHOLE.llm_calls
    assert share.tool_calls * parts <= WHOLE.tool_calls
    assert share.tokens * parts <= WHOLE.tokens
    assert share.cost is not None
    assert math.isclose(share.cost * parts, 2.0)
    assert WHOLE.seconds == share.seconds


@pytest.mark.parametrize("which", ["llm_calls", "tokens", "seconds", "cost"])
def test_each_limit_ends_the_calls(which: str) -> None:
    none_left = replace(WHOLE, **{which: 0})

    assert which == none_left.spent()
    assert f"budget_{which}" == BUDGET_STOPS[which]
    with pytest.raises(BudgetError) as error:
        none_left.grant(1, 1, 1)
    assert which == error.value.which


@pytest.mark.parametrize(
    ("prompt", "granted"), [(0, 300), (700, 300), (800, 200), (984, 16), (985, None), (2000, None)]
)
def test_reply_is_as_long_as_what_is_left(prompt: int, granted: int | None) -> None:
    if granted is None:
        with pytest.raises(BudgetError):
            WHOLE.grant(prompt, 300, 16)
    else:
        assert granted == WHOLE.grant(prompt, 300, 16)
    assert 1 == WHOLE.grant(999, 1, 16)
