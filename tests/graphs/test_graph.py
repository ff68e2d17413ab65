"""The research graph and the conversation around it, on fakes."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from pydantic import ValidationError

from graphs.research import build_research_graph
from graphs.state import RESULT, ResearchInput
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
    result = ask(ports(ScriptedChat(says(GOOD))), REFINING)

    assert ("answered", "confident", 1) == (result.status, result.stop_reason, result.rounds)
    assert GOOD == result.answer
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


def test_uncertain_tokens_lead_to_another_round() -> None:
    texts = [*(f"ML-KEM-768 has an encapsulation key of 1184 bytes {i}." for i in range(12))]
    near = "An encapsulation key of ML-KEM-768 has 1184 bytes [c1]."
    result = ask(ports(ScriptedChat(says(near, sure=False), says(near)), texts=texts))

    assert ("answered", "confident", 2) == (result.status, result.stop_reason, result.rounds)
    assert result.uncertainty.mean_entropy is not None
    assert result.uncertainty.mean_entropy < 0.1


@pytest.mark.parametrize(
    ("answer", "verdict"), [(GOOD, "no"), ("Not found in provided docs.", "yes")]
)
def test_refusals_keep_the_contract(answer: str, verdict: str) -> None:
    result = ask(ports(ScriptedChat(says(answer)), verifier=ScriptedChat(says(verdict))))

    assert ("refused", "insufficient_evidence") == (result.status, result.refusal_reason)
    assert ("not found in provided docs", ()) == (result.answer, result.citations)
    assert "logprobs" == result.uncertainty.source


def test_warnings_of_the_index_are_in_the_result_once() -> None:
    given = replace(ports(ScriptedChat(says(GOOD))), warnings=lambda: ("Only words are searched.",))

    assert ("Only words are searched.",) == ask(given, BYPASSING).warnings


def test_nothing_indexed_that_fits_is_refused_without_a_call() -> None:
    result = ask(ports(ScriptedChat(says(GOOD)), texts=[]), question="anything?")

    assert ("refused", "no_evidence") == (result.status, result.refusal_reason)
    assert 0 == result.usage.llm_calls


@pytest.mark.parametrize("question", ["", " \n\t", "???", "x" * 100_000, 5])
def test_bad_questions_are_refused_before_anything_is_asked(
    question: Any,  # noqa: ANN401 (not only texts)
) -> None:
    with pytest.raises(QuestionError) as error:
        ask(ports(ScriptedChat(says(GOOD))), question=question)

    assert error.value.hint


def test_edit_as_json_and_resume_in_another_process(tmp_path: Path) -> None:
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    given = ports(ScriptedChat(says(GOOD)))
    with closing(sqlite3.connect(tmp_path / "t.db", check_same_thread=False)) as file:
        first = build_research_graph(given, BYPASSING, PROMPTS, checkpointer=SqliteSaver(file))
        first.invoke(ResearchInput(question=QUESTION), config, interrupt_before=["select_evidence"])
        edited = first.update_state(config, json.loads(EDIT), as_node="search")

    with closing(sqlite3.connect(tmp_path / "t.db", check_same_thread=False)) as file:
        second = build_research_graph(given, BYPASSING, PROMPTS, checkpointer=SqliteSaver(file))
        result = second.invoke(None, edited)["result"]

    assert [("notes", 7)] == [(c.doc_id, c.start_page) for c in result.citations]
    assert ["x"] == [item.hit.chunk.chunk_id for item in result.evidence]


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


@pytest.mark.parametrize("wrong", [{"question": ""}, {"question": 5}, {"scope": {"folder": "x"}}])
def test_wrong_input_leaves_the_thread_usable(wrong: dict[str, Any]) -> None:
    graph = kept(on_threads=True)
    with pytest.raises((QuestionError, ValidationError)):
        graph.invoke({"question": QUESTION, **wrong}, ON_A_THREAD)

    assert GOOD == graph.invoke({"question": QUESTION}, ON_A_THREAD)["result"].answer


def test_wrong_edit_can_be_put_right() -> None:
    graph = kept(on_threads=True)
    graph.invoke({"question": QUESTION}, ON_A_THREAD, interrupt_before=["answer"])
    evidence = graph.get_state(ON_A_THREAD).values["evidence"]
    graph.update_state(ON_A_THREAD, {"evidence": "rubbish"})
    with pytest.raises(ValidationError):
        graph.invoke(None, ON_A_THREAD)
    graph.update_state(ON_A_THREAD, {"evidence": evidence})

    assert GOOD == graph.invoke(None, ON_A_THREAD)["result"].answer
