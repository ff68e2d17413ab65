"""The research graph and the conversation around it, on fakes."""

import json
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from graphs.research import build_research_graph
from graphs.state import RESULT
from research_agent.errors import QuestionError
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.settings import BudgetSettings, VerifySettings
from tests.fakes import (
    BYPASSING,
    GOOD,
    PROMPTS,
    QUESTION,
    REFINING,
    TEXTS,
    ScriptedChat,
    ports,
    says,
)
from tests.graphs.asking import ask

ONE_ROUND = replace(BYPASSING, budget=BudgetSettings(rounds=1))
OTHER = "Which ciphertexts has ML-KEM-768?"
ROUND = "retrieve assess refine plan_calls run_call collect select_evidence answer verify"
EDIT = """{"found": {"hits": [{"chunk": {"chunk_id": "x", "doc_id": "notes",
"text": "ML-KEM-768 has an encapsulation key of 1184 bytes.", "start_page": 7, "end_page": 7},
"score": 0.5, "similarity": 0.5, "lexical": null}]}}"""


def test_answer_with_citation() -> None:
    given = replace(ports(ScriptedChat(says(GOOD))), warnings=lambda: ("Only words are searched.",))
    result = ask(given, REFINING)

    assert ("answered", "confident", 1) == (result.status, result.stop_reason, result.rounds)
    assert (GOOD, ("Only words are searched.",)) == (result.answer, result.warnings)
    assert [("c1", "guide", 1, GOOD.replace(" [c1]", ""))] == [
        (c.key, c.doc_id, c.start_page, c.quote) for c in result.citations
    ]
    assert (3, 300) == (result.usage.llm_calls, result.usage.prompt_tokens)
    assert 30 == result.usage.completion_tokens
    assert f"{ROUND} report" == " ".join([*result.usage.node_seconds, "report"])
    assert result == RESULT.validate_json(RESULT.dump_json(result))


def test_a_server_refuses_by_its_prompt_and_judges_every_sentence() -> None:
    text = "Loaves go into the hot oven at 230 degrees."
    part = "Bread needs considerable heat [c1].\nNOT FOUND: how long it takes"
    row = {"sentence": 1, "verdict": "supported", "key": "c1", "quote": "Bread is baked at 230"}
    judge = ScriptedChat(says(json.dumps({"verdicts": [row]})))
    models = ModelSettings(chat=RoleSettings(provider="openai", model="m"))
    given = ports(ScriptedChat(says(part)), verifier=judge, texts=(text, *TEXTS[1:]))
    result = ask(given, replace(ONE_ROUND, models=models), "At what heat is bread baked?")
    by_score = ask(given, replace(ONE_ROUND, models=models, verify=VerifySettings(judge="off")))

    assert "unconfirmed" == by_score.status
    assert ("partial", ("how long it takes",)) == (result.status, result.unanswered)
    assert [("supported", "yes")] == [(one.verdict, one.judged) for one in result.claims]
    assert 1 == len(judge.asked)
    assert 2 == result.usage.llm_calls


@pytest.mark.parametrize(
    ("answer", "verdict", "texts", "reason"),
    [
        (GOOD, "no", TEXTS, "insufficient_evidence"),
        ("Not found in provided docs.", "yes", TEXTS, "insufficient_evidence"),
        (GOOD, "yes", (), "no_evidence"),
    ],
)
def test_refusals_keep_the_contract(
    answer: str, verdict: str, texts: tuple[str, ...], reason: str
) -> None:
    """Where nothing was found no model is asked."""
    verifier = ScriptedChat(says(verdict))
    result = ask(ports(ScriptedChat(says(answer)), verifier=verifier, texts=texts))

    assert ("refused", reason) == (result.status, result.refusal_reason)
    assert ("not found in provided docs", ()) == (result.answer, result.citations)
    assert bool(texts) == ("logprobs" == result.uncertainty.source) == (result.usage.llm_calls > 0)


ON_A_THREAD: RunnableConfig = {"configurable": {"thread_id": "t"}}


def kept(*, on_threads: bool) -> Any:  # noqa: ANN401 (a graph that takes any input)
    """Return a graph that keeps checkpoints, over what always says the same."""
    given = ports(ScriptedChat(says(GOOD)))
    saver = InMemorySaver()
    return build_research_graph(
        given, BYPASSING, PROMPTS, checkpointer=saver, on_threads=on_threads
    )


@pytest.mark.parametrize("on_threads", [False, True])
def test_each_question_on_a_thread_begins_afresh(*, on_threads: bool) -> None:
    """It neither gets the answer of the last one, nor reads only what that one might read."""
    graph = kept(on_threads=on_threads)
    first = {"question": QUESTION, "scope": {"documents": ["guide"]}}
    graph.invoke(first, ON_A_THREAD)
    result = graph.invoke({"question": OTHER}, ON_A_THREAD)["result"]

    assert (OTHER, 1) == (result.question, result.rounds)
    assert not graph.get_state(ON_A_THREAD).values["scope"].documents


@pytest.mark.parametrize(
    "wrong",
    [
        *({"question": question} for question in ("", " \n\t", "???", "x" * 100_000, 5)),
        {"scope": {"folder": "x"}},
    ],
)
def test_wrong_input_is_refused_and_leaves_the_thread_usable(wrong: dict[str, Any]) -> None:
    graph = kept(on_threads=True)
    with pytest.raises(ValidationError if "scope" in wrong else QuestionError) as told:
        graph.invoke({"question": QUESTION, **wrong}, ON_A_THREAD)

    hint: str = getattr(told.value, "hint", "none is needed")
    assert hint
    assert GOOD == graph.invoke({"question": QUESTION}, ON_A_THREAD)["result"].answer


def test_an_edit_is_json() -> None:
    graph = kept(on_threads=False)
    graph.invoke({"question": QUESTION}, ON_A_THREAD, interrupt_before=["select_evidence"])
    edited = graph.update_state(ON_A_THREAD, json.loads(EDIT), as_node="search")
    result = graph.invoke(None, edited)["result"]

    assert [("notes", 7)] == [(c.doc_id, c.start_page) for c in result.citations]
    assert ["x"] == [item.hit.chunk.chunk_id for item in result.evidence]


def test_wrong_edit_can_be_put_right() -> None:
    graph = kept(on_threads=True)
    graph.invoke({"question": QUESTION}, ON_A_THREAD, interrupt_before=["answer"])
    evidence = graph.get_state(ON_A_THREAD).values["evidence"]
    graph.update_state(ON_A_THREAD, {"evidence": "rubbish"})
    with pytest.raises(ValidationError):
        graph.invoke(None, ON_A_THREAD)
    graph.update_state(ON_A_THREAD, {"evidence": evidence})

    assert GOOD == graph.invoke(None, ON_A_THREAD)["result"].answer
