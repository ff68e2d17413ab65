"""A question that is stopped after any node and goes on from its checkpoint ends the same way."""

import json
from dataclasses import replace
from typing import Any, Literal

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from graphs.research import build_research_graph
from graphs.state import ResearchInput, ResearchOutput
from research_agent.ports import Ports
from research_agent.settings import BudgetSettings, Settings, VerifySettings
from research_agent.types.result import ResearchResult
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, WRONG, YES, ScriptedChat, ports, says
from tests.graphs.test_dragin import DRAGIN, RIGHT, draft
from tests.graphs.test_dragin import QUESTION as RYE
from tests.graphs.test_dragin import TEXTS as RYE_TEXTS
from tests.graphs.test_second_answer import silent

TWO_ROUNDS = replace(BYPASSING, budget=BudgetSettings(rounds=2))
JUDGED = replace(TWO_ROUNDS, verify=VerifySettings(judge="all"))
SAMPLED = replace(TWO_ROUNDS, verify=VerifySettings(samples=2))


def rewriting() -> Ports:
    return ports(ScriptedChat(draft(), says(RIGHT)), texts=RYE_TEXTS)


def judging() -> Ports:
    row = {"sentence": 2, "verdict": "supported", "key": "c1", "quote": "an encapsulation key"}
    judge = ScriptedChat(YES, says(json.dumps({"verdicts": [row]})))
    written = ScriptedChat(says(f"{GOOD} {WRONG} Such a key is long."))
    return ports(written, verifier=judge)


def sampling() -> Ports:
    sampler = ScriptedChat(silent(WRONG))
    return replace(ports(ScriptedChat(silent(GOOD), YES)), sampler=sampler)


@pytest.mark.parametrize("allowed", [True, None], ids=["classes", "plain values"])
@pytest.mark.parametrize(
    ("made", "settings", "question"),
    [(rewriting, DRAGIN, RYE), (judging, JUDGED, QUESTION), (sampling, SAMPLED, QUESTION)],
    ids=["sentence again", "judge", "second answer"],
)
def test_a_run_that_stops_after_every_node_ends_the_same(
    made: Any,  # noqa: ANN401 (a function of this module)
    settings: Settings,
    question: str,
    allowed: Literal[True] | None,
) -> None:
    straight = build_research_graph(made(), settings, PROMPTS)
    whole = straight.invoke(ResearchInput(question=question))
    serde = JsonPlusSerializer(allowed_msgpack_modules=allowed)
    graph = build_research_graph(made(), settings, PROMPTS, checkpointer=InMemorySaver(serde=serde))
    config: Any = {"configurable": {"thread_id": "1"}}
    given: ResearchInput | None = ResearchInput(question=question)
    for _ in range(60):
        graph.invoke(given, config, interrupt_after="*")
        given = None
        if not graph.get_state(config).next:
            break
    resumed = ResearchOutput.model_validate({"result": graph.get_state(config).values["result"]})

    assert comparable(whole["result"]) == comparable(resumed.result)


def comparable(result: ResearchResult) -> ResearchResult:
    return replace(result, usage=replace(result.usage, elapsed_seconds=0.0, node_seconds={}))
