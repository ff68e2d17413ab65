"""Forms of an answer: written, the documents' own words, or written from those alone."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import pytest

from research_agent.settings import AnswerSettings, BudgetSettings
from research_agent.types import Alternative, Completion, Message, ModelCall, Token
from tests.fakes import (
    BYPASSING,
    NO,
    YES,
    ScriptedChat,
    ports,
    says,
)
from tests.graphs.test_graph import run

ONE_ROUND = replace(BYPASSING, budget=BudgetSettings(rounds=1))
WHY = "Why is bread baked at 230 degrees?"
BREAD = (
    "Bread is baked at 230 degrees so that its crust seals quickly.",
    "A sealed crust keeps steam inside. ML-KEM-768 has an encapsulation key of 1184 bytes.",
)
CIRCULAR = "Bread is baked at 230 degrees because baking bread takes 230 degrees [c1]."


def extractive(**keys: object) -> AnswerSettings:
    """Return settings of the mode that writes nothing."""
    return AnswerSettings(mode="extractive", **keys)  # type: ignore[arg-type]  # (as the test says)


def test_passages_need_no_model_but_for_the_check() -> None:
    """The answer is the documents' own words, each with its key and quote."""
    model = ScriptedChat(says("never asked"))
    result = run(ports(model, texts=BREAD), replace(ONE_ROUND, answer=extractive()), WHY)

    assert [] == model.asked
    assert "answered" == result.status
    assert "Bread is baked at 230 degrees so that its crust seals quickly [c1]." in result.answer
    assert all(claim.text == claim.quotes[0].quote for claim in result.claims)
    assert "none" == result.uncertainty.source


def test_the_model_puts_passages_in_order() -> None:
    """By its probability of a yes, one call a passage; the unlikely ones behind the first go."""
    prompts = []

    class Judge:
        def complete(self, role: str, messages: Sequence[Message], **_: object) -> Completion:
            prompts.append(messages[-1].text)
            likely = 0.9 if "steam" in messages[-1].text.split("<chunk")[-1] else 0.1
            if "Proposed answer" in messages[-1].text:
                return YES
            shown = (Alternative("yes", log(likely)), Alternative("no", log(1 - likely)))
            return Completion("yes", ModelCall(role), tokens=(Token("yes", log(likely), shown),))

    given = replace(ports(ScriptedChat(), texts=BREAD), verifier=Judge())
    result = run(given, replace(ONE_ROUND, answer=extractive()), WHY)

    assert 4 == len(prompts)
    assert ["A sealed crust keeps steam inside."] == [claim.text for claim in result.claims]
    assert all(prompt.index(WHY) < prompt.index("<chunk") for prompt in prompts[:3])


def test_without_probabilities_the_ranking_decides() -> None:
    """A bare yes puts nothing in order: the model is not asked again, and that is told."""
    judge = ScriptedChat(Completion("yes", ModelCall("verifier")))
    given = replace(ports(ScriptedChat(), texts=BREAD), verifier=judge)
    by_ranking = extractive(passages_by="ranking")

    first = run(given, replace(ONE_ROUND, answer=extractive()), WHY)
    other = run(ports(ScriptedChat(), texts=BREAD), replace(ONE_ROUND, answer=by_ranking), WHY)

    assert other.answer == first.answer
    assert 2 == len(judge.asked)
    assert any("order of the ranking" in warning for warning in first.warnings)


def test_passages_are_as_many_as_are_set() -> None:
    """One passage of any length, where no more are allowed."""
    settings = replace(ONE_ROUND, answer=extractive(passages=1, passage_words=10))
    result = run(ports(ScriptedChat(), texts=BREAD), settings, WHY)

    assert 1 == len(result.claims)


def test_passages_may_be_refused() -> None:
    """The yes/no check judges them like a written answer."""
    result = run(
        ports(ScriptedChat(), verifier=ScriptedChat(NO), texts=BREAD),
        replace(ONE_ROUND, answer=extractive()),
        WHY,
    )

    assert ("refused", "insufficient_evidence") == (result.status, result.refusal_reason)


def test_the_model_writes_from_passages_alone() -> None:
    """It reads the chosen sentences, and neither the others nor the chunks that have none."""
    model = ScriptedChat(says("Its crust seals quickly [c1]."))
    settings = AnswerSettings(mode="select_then_write", passages=1)
    result = run(ports(model, texts=BREAD), replace(ONE_ROUND, answer=settings), WHY)

    prompt = model.asked[0][1]
    assert "crust seals quickly" in prompt
    assert "1184" not in prompt
    assert "answered" == result.status


@pytest.mark.parametrize("mode", ["extractive", "select_then_write"])
@pytest.mark.parametrize(("limit", "value"), [("llm_calls", 3), ("tokens", 500)])
def test_judging_passages_leaves_the_answer_its_budget(mode: str, limit: str, value: int) -> None:
    """The ranking decides where the budget pays the answer and its check, and no judge."""
    texts = [f"{text} Rye bread number {i} takes {i} hours." for i, text in enumerate(BREAD * 4)]
    settings = replace(
        ONE_ROUND,
        answer=AnswerSettings(mode=mode, max_tokens=100),  # type: ignore[arg-type]  # (one of its words)
        budget=BudgetSettings(rounds=1, **{limit: value}),
    )
    said = says("Bread is baked at 230 degrees so that its crust seals quickly [c1].")
    result = run(ports(ScriptedChat(said), texts=texts), settings, WHY)

    assert ("answered", True) == (result.status, result.answerable is not None)
    assert any("order of the ranking" in warning for warning in result.warnings)
