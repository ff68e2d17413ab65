"""What a question cost, added up from its trace, and how it ended."""

import pytest

from research_agent.core.calls import Found
from research_agent.core.confidence import RetrievalConfidence
from research_agent.core.refinement import Refinement
from research_agent.core.result import ResearchResult, research_result, usage_of
from research_agent.core.types import ModelCall, TraceEvent
from research_agent.core.verification import Check, Draft

CALLS = (
    ModelCall("answer", 100, 20, 60, model="large", price=0.5, tries=3),
    ModelCall("verifier", 100, 1, 90, model="small", price=0.25),
    ModelCall("planner", 70, 7, model="small", reused=True),
    ModelCall("planner", failed="ModelTimeoutError", seconds=9.0),
)


def result(check: Check, *events: TraceEvent) -> ResearchResult:
    return research_result(
        "?",
        best=Draft(),
        check=check,
        evidence=(),
        confidence=RetrievalConfidence(),
        refinement=Refinement(),
        found=Found(),
        rounds=1,
        trace=events,
    )


def test_each_kind_of_call_is_counted() -> None:
    """Reused replies are counted apart and cost nothing; failed calls are calls."""
    usage = usage_of([TraceEvent(CALLS, node="answer", seconds=12.0)])

    assert (3, 1, 2, 1) == (
        usage.llm_calls,
        usage.failed_calls,
        usage.retries,
        usage.reused_calls,
    )
    assert (200, 150, 21) == (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
    assert (0.75, {"answer": 12.0}) == (usage.cost, usage.node_seconds)


@pytest.mark.parametrize(
    ("prices", "cost"), [([], 0.0), ([0.1] * 10, 1.0), ([0.1, None], None), ([None], None)]
)
def test_cost_is_known_where_every_price_is(prices: list[float | None], cost: float | None) -> None:
    """One model without a price makes the sum unknown; sums are exact."""
    calls = tuple(ModelCall("answer", price=price) for price in prices)

    assert cost == usage_of([TraceEvent(calls)]).cost


def test_models_are_those_that_answered() -> None:
    """A call that failed does not hide which model had answered for its role."""
    found = result(Check("stop", "refused"), TraceEvent(CALLS))

    assert {"answer": "large", "verifier": "small", "planner": "small"} == found.models


def test_warnings_are_told_once() -> None:
    """Parallel searches may fall back for the same reason."""
    found = result(Check("stop", "error"), TraceEvent(notes=("a", "b")), TraceEvent(notes=("a",)))

    assert (("a", "b"), "error") == (found.warnings, found.stop_reason)


@pytest.mark.parametrize("check", [Check(), Check("again", "uncertain", "more")])
def test_report_before_the_end_was_cancelled(check: Check) -> None:
    """Somebody who jumps to the report, in Studio, ends the loop: verify did not."""
    assert "cancelled" == result(check).stop_reason
