"""A value is validated once a question, unless it may change or needs changing."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from graphs.state import ResearchState
from graphs.validation import once, validated_once
from research_agent.types.verification import Check

QUESTION = "How long is the hose?"


def test_one_value_is_validated_once_a_question() -> None:
    """States share what they have validated within the block, and not beyond it."""
    check = Check(next_query="because")
    with validated_once():
        first = ResearchState(question=QUESTION, check=check)
        second = ResearchState(question=QUESTION, check=check)
        again = ResearchState(question=QUESTION, check=replace(check))
    outside = ResearchState(question=QUESTION, check=check)
    assert first.check is second.check
    assert first.check is not again.check
    assert first.check is not outside.check
    assert [check] * 4 == [first.check, second.check, again.check, outside.check]


def test_lists_and_json_are_validated_each_time() -> None:
    """What may be changed in its place is never taken as it was."""
    given: dict[str, object] = {"next_query": "because"}
    with validated_once():
        first = ResearchState(question=QUESTION, check=given)
        given["next_query"] = "otherwise"
        second = ResearchState(question=QUESTION, check=given)
        given["next_query"] = 3
        with pytest.raises(ValidationError):
            ResearchState(question=QUESTION, check=given)
    assert ["because", "otherwise"] == [first.check.next_query, second.check.next_query]


def test_a_value_that_needs_changing_is_changed_each_time() -> None:
    """A checkpoint gives our values with lists where tuples belong."""
    restored = Check(doubts=["a"])  # type: ignore[arg-type]  # as a checkpoint gives it
    with validated_once():
        states = [ResearchState(question=QUESTION, check=restored) for _ in range(2)]
    assert [("a",), ("a",)] == [state.check.doubts for state in states]
    assert states[0].check is not states[1].check


def test_a_wrong_value_is_refused_each_time() -> None:
    """A failure is not remembered as a success."""
    wrong = Check(next_query=3)  # type: ignore[arg-type]  # what is tested
    with validated_once():
        for _ in range(2):
            with pytest.raises(ValidationError):
                ResearchState(question=QUESTION, check=wrong)


def test_the_same_object_under_another_name_is_another_value() -> None:
    """Fields differ in what they take."""
    value = (1,)
    with validated_once():
        assert (1,) == once("one", value, lambda v: v)
        assert "(1,)" == once("other", value, str)
