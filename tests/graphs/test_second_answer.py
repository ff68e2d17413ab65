"""A second answer is asked for where the first has no log-probabilities, and never ends a run."""

import re
from dataclasses import replace

import pytest

from research_agent.errors import ModelBusyError
from research_agent.ports import Ports
from research_agent.settings import BudgetSettings, Settings, VerifySettings
from research_agent.types import Completion, ModelCall
from tests.fakes import BYPASSING, YES, ScriptedChat, ports, says
from tests.graphs.asking import ask

QUESTION = "At how many degrees is bread baked?"
TEXTS = ("Bread is baked at 230 degrees. It takes an hour.", "Rye bread needs more time.")
GOOD = "Bread is baked at 230 degrees [c1]."
TWICE = replace(BYPASSING, budget=BudgetSettings(rounds=1), verify=VerifySettings(samples=2))


def silent(text: str) -> Completion:
    return Completion(text, ModelCall("answer", 100, 10, model="fake"))


def given(first: Completion, sampler: ScriptedChat) -> Ports:
    return replace(ports(ScriptedChat(first, YES), texts=TEXTS), sampler=sampler)


def test_agreement_counts_as_confident() -> None:
    """The second answer reads the same evidence in the reverse order."""
    first, second = ScriptedChat(silent(GOOD), YES), ScriptedChat(silent("230 degrees: bread."))
    result = ask(replace(ports(first, texts=TEXTS), sampler=second), TWICE, QUESTION)
    order = [re.findall(r'key="(c\d)"', chat.asked[0][1]) for chat in (first, second)]

    assert ("disagreement", "confident") == (result.uncertainty.source, result.stop_reason)
    assert ([["c1", "c2"], ["c2", "c1"]], 3) == (order, result.usage.llm_calls)


@pytest.mark.parametrize(
    ("sampler", "budget", "asked", "note"),
    [
        (ModelBusyError("busy"), {}, 1, "answer: no second answer to compare: busy"),
        (silent(" "), {}, 1, "answer: the second answer is empty"),
        (silent(GOOD), {"llm_calls": 2}, 0, "answer: no second answer to compare"),
        (silent(GOOD), {"tokens": 600}, 0, "answer: no second answer to compare"),
    ],
    ids=["failed", "empty", "no call left", "no room for its full length"],
)
def test_failure_goes_one_rung_down(
    sampler: Completion | ModelBusyError, budget: dict[str, int], asked: int, note: str
) -> None:
    chat, limits = ScriptedChat(sampler), BudgetSettings(rounds=1, **budget)
    result = ask(given(silent(GOOD), chat), replace(TWICE, budget=limits), QUESTION)

    assert (asked, "overlap") == (len(chat.asked), result.uncertainty.source)
    assert "unchecked" == result.stop_reason
    assert ["absent", "failed"] == [passed.why for passed in result.uncertainty.passed]
    assert any(warning.startswith(note) for warning in result.warnings)


@pytest.mark.parametrize(
    ("first", "settings"),
    [
        (says(GOOD), TWICE),
        (silent("not found in provided docs"), TWICE),
        (silent(GOOD), replace(TWICE, verify=VerifySettings())),
    ],
)
def test_it_is_not_asked_for_without_need(first: Completion, settings: Settings) -> None:
    sampler = ScriptedChat(silent(GOOD))
    ask(given(first, sampler), settings, QUESTION)

    assert [] == sampler.asked
