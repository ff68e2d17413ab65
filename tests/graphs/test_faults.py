"""Whichever call fails, and how: a result that names the fallback, or the first answer's error."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from graphs.research import ResearchGraph, build_research_graph
from graphs.state import ResearchInput, ResearchState, strict
from research_agent import errors
from research_agent.ports import Ports
from tests import fakes
from tests.graphs.serving import EVERYTHING, FIRST, Server, run

CALLS = "refine plan_calls filter filter plan_calls answer verifier"
"""The model calls of a round; in the first one a judge is asked about a sentence as well."""
LAST = 15
FIRST_ANSWER = 6
ROUND_NOTES = (
    "refine: {}; the query was kept",
    "plan_calls: {}; the planner wrote the calls",
    "filter: no verdict on 2 hits, kept ({})",
    "filter: no verdict on 2 hits, kept ({})",
    "plan_calls: {}; the search ended",
    "answer: {}",
    "answer: not checked: {}",
)
NOTES = (*ROUND_NOTES, "verify: sentences were not judged: {}", *ROUND_NOTES)
STOPS = {14: "error", 15: "unchecked"}
ERRORS: Sequence[errors.ModelError] = (
    errors.ModelUnavailableError("the server is down"),
    errors.ModelTimeoutError("too slow"),
    errors.ModelAccessError("the key has expired"),
    errors.ModelReplyError("no reply"),
    errors.ContextOverflowError("too long"),
)
ROUND = (
    "retrieve assess refine plan_calls run_call run_call collect plan_calls collect "
    "select_evidence answer verify"
)
WHOLE = f"{ROUND} {ROUND} report"
CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_any_call_may_fail(number: int) -> None:
    """Only the first answer's own error is raised; a draft that was written is never lost.

    The same call of the second round fails with another error.
    """
    error = ERRORS[number % len(ERRORS)]
    server = Server(fails_at=number, error=error)
    if number == FIRST_ANSWER:
        with pytest.raises(type(error)):
            run(server.ports())
        return

    result, _ = run(server.ports())

    assert FIRST in result.answer
    assert 1 == result.usage.failed_calls
    assert NOTES[number - 1].format(error) in result.warnings
    assert ("", 2) == (result.refusal_reason, result.rounds)
    assert STOPS.get(number, "confident") == result.stop_reason


@pytest.mark.parametrize("first", range(2, 10))
def test_search_that_fails_keeps_the_draft(first: int) -> None:
    embedder = fakes.FailingEmbedder(first=first)
    result, _ = run(replace(Server().ports(), embedder=embedder))

    assert FIRST in result.answer
    assert (embedder.number >= first) == any("no embeddings" in note for note in result.warnings)
    assert (embedder.number < first) == (first == 9)


def second_search_failed() -> Ports:
    texts = ["ML-KEM-768 encapsulation key: 1184 bytes.", *(f"ML-KEM note {i}." for i in range(9))]
    said = fakes.ScriptedChat(fakes.says(f"{texts[0][:-1]} [c1]. It weighs 7 grams [c1]."))
    return replace(fakes.ports(said, texts=texts), embedder=fakes.FailingEmbedder(first=3))


def test_second_round_that_cannot_search_ends_with_the_first() -> None:
    result, trace = run(second_search_failed(), fakes.LOOP)

    assert ("answered", "error", 2) == (result.status, result.stop_reason, result.rounds)
    assert ["verify", "retrieve", "verify", "report"] == [event.node for event in trace][-4:]
    assert ("retrieve: no embeddings; the best answer so far is kept",) == result.warnings


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_question_goes_on_where_it_was_interrupted(number: int) -> None:
    server = Server(fails_at=number)
    graph = kept(server.ports(), InMemorySaver())
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(ResearchInput(question=fakes.QUESTION), CONFIG)
    result = graph.invoke(None, CONFIG)["result"]
    trace = graph.get_state(CONFIG).values["trace"]

    assert FIRST in result.answer
    assert WHOLE == " ".join(event.node for event in trace)
    assert result.usage.llm_calls == sum(len(event.calls) for event in trace) == LAST


def kept(given: Ports, saver: BaseCheckpointSaver[Any]) -> ResearchGraph:
    return build_research_graph(given, EVERYTHING, fakes.PROMPTS, checkpointer=saver)


def test_another_process_goes_on_and_an_edit_of_the_whole_state_does_not_double_the_trace(
    tmp_path: Path,
) -> None:
    server = Server()
    with SqliteSaver.from_conn_string(str(tmp_path / "t.db")) as saver:
        graph = kept(server.ports(), saver)
        graph.invoke(ResearchInput(question=fakes.QUESTION), CONFIG, interrupt_before=["answer"])
    with SqliteSaver.from_conn_string(str(tmp_path / "t.db")) as saver:
        graph = kept(server.ports(), saver)
        values = strict(ResearchState).model_validate(graph.get_state(CONFIG).values)
        graph.update_state(CONFIG, json.loads(values.model_dump_json()), as_node="select_evidence")
        result = graph.invoke(None, CONFIG)["result"]

    assert f"{CALLS} judge {CALLS}" == " ".join(server.asked)
    assert len(server.asked) == result.usage.llm_calls == LAST
