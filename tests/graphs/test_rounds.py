"""What a further round brings: a refusal, a missing part, an unconfirmed sentence; and its ends."""

from dataclasses import replace

import pytest

from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.core.result import ResearchResult
from research_agent.core.types import Completion
from research_agent.ports import Ports
from research_agent.settings import (
    EvidenceSettings,
    ModelSettings,
    SearchSettings,
    Settings,
    VerifySettings,
)
from research_agent.settings.models import RoleSettings
from tests.fakes import (
    LOOP,
    NO,
    PROMPTS,
    QUESTION,
    YES,
    ScriptedChat,
    ports,
    says,
)

TEXTS = (
    "ML-KEM-768 encapsulation key: how many bytes it has is told elsewhere.",
    "ML-KEM-768 has an encapsulation key of 1184 bytes.",
    *(f"ML-KEM-768 note {number}." for number in range(6)),
)
FEW = replace(
    LOOP,
    evidence=EvidenceSettings(max_chunks=1, neighbours=0),
    search=SearchSettings(mode="planned", max_chunks=4),
)
"""Each round adds one chunk."""
SERVER = replace(
    FEW,
    models=ModelSettings(chat=RoleSettings(provider="openai", model="m")),
    verify=VerifySettings(judge="off"),
)
"""The answer's own words refuse."""
REFUSAL = says("NOT FOUND: the bytes of the key")
RIGHT = "ML-KEM-768 has an encapsulation key of 1184 bytes [c2]."
HALF = "It has 1184 bytes of 768 [c1]."


def run(given: Ports, settings: Settings) -> ResearchResult:
    graph = build_research_graph(given, settings, PROMPTS)
    result: ResearchResult = graph.invoke(ResearchInput(question=QUESTION))["result"]
    return result


def asking(*replies: Completion, planner: ScriptedChat | None = None) -> tuple[Ports, ScriptedChat]:
    model = ScriptedChat(*replies)
    return ports(model, planner, texts=TEXTS), model


@pytest.mark.parametrize("settings", [FEW, SERVER], ids=["by the check", "by the prompt"])
def test_a_refusal_is_searched_again_for_what_was_not_read(settings: Settings) -> None:
    """The question is searched once more, past the chunk that was read; the new one answers it."""
    first = REFUSAL if settings is SERVER else says("It has 17 bytes [c1].")
    model = ScriptedChat(first, says(RIGHT))
    result = run(ports(model, verifier=ScriptedChat(NO, YES), texts=TEXTS), settings)

    assert ("answered", 2, RIGHT) == (result.status, result.rounds, result.answer)
    assert TEXTS[:2] == tuple(item.hit.chunk.text for item in result.evidence)
    assert [TEXTS[1] in prompt for _, prompt, _ in model.asked] == [False, True]
