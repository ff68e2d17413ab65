"""What a further round brings: a refusal, a missing part, an unconfirmed sentence; and its ends."""

from dataclasses import replace

import pytest

from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.ports import Ports
from research_agent.settings import (
    EvidenceSettings,
    SearchSettings,
    Settings,
    VerifySettings,
)
from research_agent.types import Completion
from tests import fakes
from tests.graphs.asking import ask

TEXTS = (
    "ML-KEM-768 encapsulation key: how many bytes it has is told elsewhere.",
    "ML-KEM-768 has an encapsulation key of 1184 bytes.",
    *(f"ML-KEM-768 note {number}." for number in range(6)),
)
FEW = replace(
    fakes.LOOP,
    evidence=EvidenceSettings(max_chunks=1, neighbours=0),
    search=SearchSettings(mode="planned", max_chunks=1),
)
"""Each search gives one chunk: what was read has to be skipped for another one."""
SERVER = replace(
    FEW,
    models=ModelSettings(chat=RoleSettings(provider="openai", model="m")),
    verify=VerifySettings(judge="off"),
)
"""The answer's own words refuse."""
REFUSAL = fakes.says("NOT FOUND: the bytes of the key")
RIGHT = "ML-KEM-768 has an encapsulation key of 1184 bytes [c2]."


def asking(*replies: Completion, planner: fakes.ScriptedChat) -> tuple[Ports, fakes.ScriptedChat]:
    model = fakes.ScriptedChat(*replies)
    return fakes.ports(model, planner, texts=TEXTS), model


@pytest.mark.parametrize(
    ("first", "settings", "verdict", "reason"),
    [
        ("It has 17 bytes [c1].", FEW, fakes.NO, "refused"),
        ("NOT FOUND: the bytes of the key", SERVER, fakes.YES, "refused"),
        (
            f"{TEXTS[0].replace(':', ' is')} [c1].\nNOT FOUND: its bytes",
            SERVER,
            fakes.YES,
            "missing",
        ),
        (fakes.GOOD, FEW, fakes.YES, "unconfirmed"),
    ],
    ids=["refused by the check", "refused by the prompt", "a part is missing", "unconfirmed"],
)
def test_what_was_not_read_is_searched_and_answers(
    first: str, settings: Settings, verdict: Completion, reason: str
) -> None:
    model = fakes.ScriptedChat(fakes.says(first), fakes.says(RIGHT))
    verifier = fakes.ScriptedChat(verdict, fakes.YES)
    result = ask(fakes.ports(model, verifier=verifier, texts=TEXTS), settings)

    assert ("answered", 2, RIGHT) == (result.status, result.rounds, result.answer)
    assert [reason, "confident"] == [one.reason for one in result.trend]
    assert (1, ()) == (result.supported, result.unanswered)
    assert TEXTS[:2] == tuple(item.hit.chunk.text for item in result.evidence)
    assert [TEXTS[1] in prompt for _, prompt, _ in model.asked] == [False, True]


def test_planner_that_keeps_in_round_two_ends_the_loop() -> None:
    planner = fakes.ScriptedChat(fakes.KEEP)
    given, model = asking(fakes.says(fakes.GOOD), fakes.says(RIGHT), planner=planner)
    settings = replace(FEW, refinement=fakes.REFINING.refinement)
    result = ask(given, settings)

    assert ("nothing_to_search", 1) == (result.stop_reason, len(model.asked))
    assert (fakes.GOOD.replace(" [c1]", ""), 1) == (result.claims[0].text, result.usage.tool_calls)
    assert "the planner model has nothing else to search for" == result.refinement.reason
    assert (
        f"doubtful: {fakes.GOOD.replace(' [c1]', '')}\nnearest passage read" in planner.asked[-1][1]
    )


def test_planner_is_told_of_a_refusal() -> None:
    query = "encapsulation key bytes of ML-KEM-768"
    planner = fakes.ScriptedChat(fakes.says(f'{{"kind": "rewrite", "queries": ["{query}"]}}'))
    given, _ = asking(fakes.says("NOT FOUND: "), fakes.says(RIGHT), planner=planner)
    result = ask(given, replace(SERVER, refinement=fakes.REFINING.refinement))
    prompt = planner.asked[-1][1]

    assert ("answered", query) == (result.status, result.queries[-1])
    assert "What was read does not answer the question.\nnearest passage read (guide)" in prompt
    assert f"<tried>\n{fakes.QUESTION}\n</tried>" in prompt


@pytest.mark.parametrize(
    ("first", "text", "refused", "unanswered"),
    [
        (REFUSAL, TEXTS[0], "insufficient_evidence", ("the bytes of the key",)),
        (fakes.says(fakes.GOOD), TEXTS[0], "", ()),
        (fakes.says(fakes.WRONG), TEXTS[1], "unsupported_draft", ()),
    ],
    ids=["refusal", "unconfirmed", "contradicted"],
)
def test_round_two_that_finds_nothing_new(
    first: Completion, text: str, refused: str, unanswered: tuple[str, ...]
) -> None:
    model = fakes.ScriptedChat(first, fakes.says(RIGHT))
    result = ask(fakes.ports(model, texts=[text]), SERVER)

    assert ("no_new_evidence", 1) == (result.stop_reason, len(model.asked))
    assert (refused, unanswered) == (result.refusal_reason, result.unanswered)
