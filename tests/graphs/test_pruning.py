"""The research graph with chunks left out of its evidence, and brought back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from graphs.state import RESULT
from research_agent.settings import BudgetSettings, PruneSettings, Settings
from research_agent.types import Completion, Message
from research_agent.types.result import ResearchResult
from tests.answering.pruning import NuModel
from tests.fakes import BYPASSING, GOOD, NO, YES, ScriptedChat, ports, says
from tests.graphs.asking import ask

ASKED = "How many bytes has the encapsulation key of the middle size?"
"""It names no chunk: none is kept for that."""
ONE_ROUND = BudgetSettings(rounds=1)


class Answerer(NuModel):
    """Measured by what helps it; its answers are scripted, the last over and over."""

    def __init__(self, *answers: Completion, helpful: str) -> None:
        super().__init__(helpful)
        self.answers, self.answered = answers, 0

    def complete(
        self, role: str, messages: Sequence[Message], *, max_tokens: int, **more: object
    ) -> Completion:
        if role == "prune":
            return super().complete(role, messages, max_tokens=max_tokens, **more)
        self.answered += 1
        self.prompt: str = messages[-1].text
        return self.answers[min(self.answered, len(self.answers)) - 1]


def settings(**prune: object) -> Settings:
    given: dict[str, Any] = {"mode": "threshold", "min_gain": 0.05} | prune
    return replace(BYPASSING, prune=PruneSettings(**given), budget=ONE_ROUND)


def run(answerer: Answerer, verifier: ScriptedChat, whole: Settings) -> ResearchResult:
    given = replace(ports(ScriptedChat(says(GOOD)), verifier=verifier), answerer=answerer)
    return ask(given, whole, ASKED)


def test_refusal_brings_back_what_was_left_out() -> None:
    answerer = Answerer(says(GOOD.replace("[c1]", "[c2]")), helpful="Bread is")
    whole = replace(settings(), filter=replace(Settings().filter, mode="off"))
    result = run(answerer, ScriptedChat(NO, YES), whole)
    keys = [item.key for item in result.evidence]

    assert ("answered", "confident", 1) == (result.status, result.stop_reason, result.rounds)
    assert (2, 2) == (answerer.answered, result.prune.reinstated)
    assert ["c1", "c2", "c3"] == keys
    assert "Bread" in result.evidence[0].hit.chunk.text
    assert result.prune.original == result.prune.kept
    assert ("threshold", "gain") == (result.prune.mode, result.prune.source)
    assert result.prune.calls + 4 == result.usage.llm_calls
    assert result == RESULT.validate_json(RESULT.dump_json(result))


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        (settings(), 2),
        (settings(mode="off"), 1),
        (replace(settings(), budget=BudgetSettings(rounds=1, llm_calls=6)), 1),
    ],
)
def test_what_was_left_out_comes_back_once(given: Settings, answered: int) -> None:
    answerer = Answerer(says(GOOD), helpful="ML-KEM-768 has")
    result = run(answerer, ScriptedChat(NO), given)

    assert ("refused", "refused") == (result.status, result.stop_reason)
    assert answered == answerer.answered
    assert (answered > 1) == bool(result.prune.reinstated)


def test_uncertain_answer_brings_them_back_and_the_better_one_wins() -> None:
    near = "An encapsulation key of ML-KEM-768 has 1184 bytes [c1]."
    answerer = Answerer(says(near, sure=False), helpful="ML-KEM-768 has")
    result = run(answerer, ScriptedChat(YES), settings())

    assert ("answered", "worse_than_before") == (result.status, result.stop_reason)
    assert 2 == answerer.answered
    assert near == result.answer
    assert 0 < result.prune.reinstated
