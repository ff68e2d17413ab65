"""Second answers are written into a trace and answered from it, apart from first ones."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.assembly.traces import recorded_ports, replayed_ports
from research_agent.settings import BudgetSettings, VerifySettings
from research_agent.types import Completion, ModelCall
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, YES, ScriptedChat, ports

SETTINGS = replace(BYPASSING, budget=BudgetSettings(rounds=1), verify=VerifySettings(samples=2))
OTHER = GOOD.replace("1184", "1088")


def silent(text: str) -> Completion:
    return Completion(text, ModelCall("answer", 100, 10, model="fake"))


def test_a_replayed_run_asks_no_second_answer() -> None:
    """The same prompt twice: each copy has its own reply."""
    lines: list[Mapping[str, object]] = []
    first, second = ScriptedChat(silent(GOOD), YES), ScriptedChat(silent(OTHER))
    given = replace(ports(first), sampler=second)

    def value(made: Any) -> float | None:  # noqa: ANN401 (ports)
        graph = build_research_graph(made, SETTINGS, PROMPTS)
        found: float | None = graph.invoke(ResearchInput(question=QUESTION))[
            "result"
        ].uncertainty.value
        return found

    recorded = value(recorded_ports(given, SETTINGS, lines.append))
    asked = len(second.asked)
    replayed = replayed_ports(given, SETTINGS, lines, offline_only=True)

    assert (1, 0.5) == (asked, recorded)
    assert recorded == value(replayed.ports)
    assert (asked, 0) == (len(second.asked), replayed.asked)
