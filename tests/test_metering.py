"""Model calls are made within a budget, or not at all."""

from dataclasses import replace

import pytest

from research_agent.errors import (
    BudgetError,
    ModelAccessError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from research_agent.metering import Meter, remaining, spare, whole
from research_agent.settings import AnswerSettings, BudgetSettings, EvidenceSettings, Settings
from research_agent.types import Completion, Message, ModelCall, TraceEvent
from research_agent.types.budget import Allowance
from tests.fakes import ScriptedChat, WordCount
from tests.graphs.serving import Server, Watch

HELLO = [Message("user", "one two three")]
PLENTY = Allowance(10, 10, 1000, 60.0)
REPLY = Completion("fine", ModelCall("answer", 7, 1))


def meter(allowance: Allowance = PLENTY) -> Meter:
    return Meter(allowance, tokenizer=WordCount(), clock=Watch())


def test_reply_is_counted() -> None:
    counted = meter()
    reply = counted.ask(ScriptedChat(REPLY), "answer", HELLO, max_tokens=10)

    assert (REPLY, (REPLY.cost,)) == (reply, counted.calls)
    assert replace(PLENTY, llm_calls=9, tokens=992) == counted.left()


def test_call_that_does_not_fit_is_not_made() -> None:
    """A prompt is counted with the marks around its messages."""
    model = ScriptedChat(REPLY)
    with pytest.raises(BudgetError):
        meter(replace(PLENTY, tokens=7)).ask(model, "answer", HELLO, max_tokens=10)

    assert [] == model.asked


def test_failed_call_is_counted() -> None:
    counted = meter()
    down = ModelUnavailableError("x")
    down.tries = 3
    with pytest.raises(ModelUnavailableError):
        counted.ask(ScriptedChat(down), "filter", HELLO, max_tokens=1)

    assert (ModelCall("filter", tries=3, failed="ModelUnavailableError"),) == counted.calls
    assert 9 == counted.left().llm_calls


def test_deadline_is_what_is_left() -> None:
    """A call that runs into the end of the budget's time is told as a spent budget."""
    server = Server(takes=50.0)
    counted = Meter(PLENTY, tokenizer=WordCount(), clock=server.watch)
    counted.ask(server, "answer", HELLO, max_tokens=5)
    with pytest.raises(BudgetError) as error:
        counted.ask(server, "answer", HELLO, max_tokens=5)

    assert ("seconds", 60.0) == (error.value.which, server.watch.now)
    assert isinstance(error.value.__cause__, ModelTimeoutError)
    assert f"budget.seconds is spent: {error.value.__cause__}" == str(error.value)


def test_late_error_that_time_does_not_mend() -> None:
    """It is told as it is: a larger budget would not help who has no access."""

    class Hurried(Watch):
        def seconds(self) -> float:
            self.now += 40.0
            return self.now

    late = Meter(PLENTY, tokenizer=WordCount(), clock=Hurried())
    with pytest.raises(ModelAccessError):
        late.ask(ScriptedChat(ModelAccessError("x")), "answer", HELLO, max_tokens=5)

    assert "seconds" == late.left().spent()


def test_nothing_but_model_errors_is_counted() -> None:
    """An interrupt passes through."""
    counted = meter()
    with pytest.raises(KeyboardInterrupt):
        counted.ask(ScriptedChat(KeyboardInterrupt()), "answer", HELLO, max_tokens=1)

    assert () == counted.calls


def test_no_cost_in_the_settings_is_no_limit() -> None:
    assert whole(BudgetSettings()).cost is None
    assert 2.5 == whole(BudgetSettings(cost=2.5)).cost


@pytest.mark.parametrize(("refusal", "calls", "tokens"), [("check", 2, 500), ("prompt", 1, 300)])
def test_answer_comes_first(refusal: str, calls: int, tokens: int) -> None:
    """What the answer and its check need is not spent before."""
    settings = Settings(
        budget=BudgetSettings(llm_calls=10, tokens=2000, seconds=40.0, cost=4.0),
        evidence=EvidenceSettings(max_tokens=200),
        answer=AnswerSettings(max_tokens=100, refusal=refusal),  # type: ignore[arg-type]  # (one of two)
    )
    trace = [TraceEvent((ModelCall("planner", 100, price=1.0),), seconds=5.0, queries=("q",))]

    assert Allowance(9, 19, 1900, 35.0, 3.0) == remaining(settings, trace)
    assert Allowance(9 - calls, 19, 1900 - tokens, 25.0, 2.0) == spare(settings, trace)
