"""Whether to stop, and with which draft."""

import pytest

from research_agent.core import routing
from research_agent.core.calls import CallPlan, Found, ToolCall
from research_agent.core.evidence import Evidence
from research_agent.core.types import Hit
from research_agent.core.verification import Answer, Check, Draft, uncertainty, verify
from tests.fakes import chunk, says

EVIDENCE = [Evidence("c1", Hit(chunk("Bread is baked at 230 degrees. It takes an hour.")))]
NOTHING = Draft()
GOOD = "Bread is baked at 230 degrees [c1]."


def check(answer: Answer, best: Draft = NOTHING, round_: int = 1) -> tuple[Check, Draft]:
    return verify(
        "How is bread baked?",
        answer,
        EVIDENCE,
        best,
        round_=round_,
        max_rounds=3,
        max_entropy=0.6,
        min_support=0.5,
    )


def written(text: str, *, sure: bool = True) -> Answer:
    return Answer(text, says(text, sure=sure).tokens)


@pytest.mark.parametrize(
    ("answer", "decision", "reason"),
    [
        (written(GOOD), "stop", "confident"),
        (Answer(GOOD), "stop", "unchecked"),
        (written(GOOD, sure=False), "again", "uncertain"),
        (written("Bread is baked at 999 degrees [c1]."), "again", "unsupported"),
        (Answer("Bread is baked at 999 degrees [c1]."), "again", "unsupported"),
        (written("[4]"), "again", "unsupported"),
        (Answer("x", refused="not_answerable"), "stop", "refused"),
    ],
)
def test_first_round(answer: Answer, decision: str, reason: str) -> None:
    """Doubt leads back; a lack of log-probabilities alone does not."""
    found, _ = check(answer)

    assert (decision, reason) == (found.decision, found.reason)


def test_next_query_holds_the_question_and_the_doubtful_words() -> None:
    """Only the sentence in doubt is searched for."""
    found, _ = check(written(f"{GOOD} Bread weighs 700 grams [c1]."))

    assert "How is bread baked? Bread weighs 700 grams." == found.next_query


@pytest.mark.parametrize("second", ["Bread weighs 700 grams [c1].", GOOD])
def test_round_that_is_no_better_is_not_taken(second: str) -> None:
    """The best draft stays, and the loop stops."""
    _, best = check(written(GOOD))
    found, kept = check(written(second), best, 2)

    assert ("stop", "worse_than_before") == (found.decision, found.reason)
    assert best == kept


def test_rounds_are_limited() -> None:
    """The last round stops whatever it says, and an empty-handed draft is a refusal."""
    found, _ = check(written("Bread weighs 700 grams [c1]."), round_=3)

    assert ("stop", "max_rounds", "unsupported_draft") == (
        found.decision,
        found.reason,
        found.refused,
    )


def test_markers_and_punctuation_are_not_scored() -> None:
    """Six words are: the marker and the full stop inside it are not."""
    said = uncertainty(says(GOOD).tokens)

    assert ("logprobs", 6) == (said.source, said.tokens)
    assert said.normalized is not None
    assert said.normalized < 0.05


def test_routing_follows_the_stored_decision() -> None:
    """Nothing is decided on an edge."""
    one = CallPlan(calls=(ToolCall(0, "search_chunks_tool", "x"),))

    assert ("collect", "run_call") == (routing.after_plan(CallPlan()), routing.after_plan(one))
    assert ("plan_calls", "end") == (
        routing.after_collect(Found(decision="again")),
        routing.after_collect(Found()),
    )
    assert ("retrieve", "report") == (
        routing.after_verify(Check("again")),
        routing.after_verify(Check()),
    )
