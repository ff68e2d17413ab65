"""Whichever call fails, and how: a result that names the fallback, or the first answer's error."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
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


def test_calls_come_in_this_order() -> None:
    server = Server()
    run(server.ports())

    assert f"{CALLS} judge {CALLS}" == " ".join(server.asked)
    assert LAST == len(server.asked)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_any_call_may_fail(number: int, error: errors.ModelError) -> None:
    """Only the first answer's own error is raised; a draft that was written is never lost."""
    server = Server(fails_at=number, error=error)
    if number == FIRST_ANSWER:
        with pytest.raises(type(error)):
            run(server.ports())
        return
    result, _ = run(server.ports())

    assert FIRST in result.answer
    assert 1 == result.usage.failed_calls
    assert [note for note in result.warnings if str(error) in note]
    assert "" == result.refusal_reason


@pytest.mark.parametrize(
    ("number", "stop_reason", "rounds", "note"),
    [
        (1, "confident", 2, "refine: down; the query was kept"),
        (2, "confident", 2, "plan_calls: down; the planner wrote the calls"),
        (3, "confident", 2, "filter: no verdict on 2 hits, kept (down)"),
        (5, "confident", 2, "plan_calls: down; the search ended"),
        (7, "confident", 2, "answer: not checked: down"),
        (8, "confident", 2, "verify: sentences were not judged: down"),
        (14, "error", 2, "answer: down"),
        (15, "unchecked", 2, "answer: not checked: down"),
    ],
)
def test_each_fault_has_its_fallback(number: int, stop_reason: str, rounds: int, note: str) -> None:
    server = Server(fails_at=number, error=errors.ModelUnavailableError("down"))
    result, _ = run(server.ports())

    assert (stop_reason, rounds) == (result.stop_reason, result.rounds)
    assert note in result.warnings


class FailingEmbedder(fakes.WordEmbedder):
    """Fails from its call number `first` on."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.first, self.number = first, 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.number += 1
        if self.number >= self.first:
            raise errors.ModelUnavailableError("no embeddings")
        return super().embed(texts)


@pytest.mark.parametrize("first", range(2, 10))
def test_search_that_fails_keeps_the_draft(first: int) -> None:
    embedder = FailingEmbedder(first)
    result, _ = run(replace(Server().ports(), embedder=embedder))

    assert FIRST in result.answer
    assert (embedder.number >= first) == any("no embeddings" in note for note in result.warnings)
    assert (embedder.number < first) == (first == 9)


def second_search_failed() -> Ports:
    texts = ["ML-KEM-768 encapsulation key: 1184 bytes.", *(f"ML-KEM note {i}." for i in range(9))]
    said = fakes.ScriptedChat(fakes.says(f"{texts[0][:-1]} [c1]. It weighs 7 grams [c1]."))
    return replace(fakes.ports(said, texts=texts), embedder=FailingEmbedder(3))


def test_second_round_that_cannot_search_ends_with_the_first() -> None:
    result, trace = run(second_search_failed(), fakes.LOOP)

    assert ("answered", "error", 2) == (result.status, result.stop_reason, result.rounds)
    assert ["verify", "retrieve", "verify", "report"] == [event.node for event in trace][-4:]
    assert ("retrieve: no embeddings; the best answer so far is kept",) == result.warnings


@contextmanager
def kept(given: Ports, file: Path) -> Iterator[ResearchGraph]:
    """Give a graph whose checkpoints are in a file, as a new process has it."""
    with closing(sqlite3.connect(file, check_same_thread=False)) as database:
        saver = SqliteSaver(database)
        yield build_research_graph(given, EVERYTHING, fakes.PROMPTS, checkpointer=saver)


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_question_goes_on_where_it_was_interrupted(number: int, tmp_path: Path) -> None:
    server = Server(fails_at=number)
    with kept(server.ports(), tmp_path / "t.db") as graph, pytest.raises(KeyboardInterrupt):
        graph.invoke(ResearchInput(question=fakes.QUESTION), CONFIG)
    with kept(server.ports(), tmp_path / "t.db") as graph:
        result = graph.invoke(None, CONFIG)["result"]
        trace = graph.get_state(CONFIG).values["trace"]

    assert FIRST in result.answer
    assert WHOLE == " ".join(event.node for event in trace)
    assert result.usage.llm_calls == sum(len(event.calls) for event in trace) == LAST


def test_edit_of_the_whole_state_does_not_double_the_trace(tmp_path: Path) -> None:
    server = Server()
    with kept(server.ports(), tmp_path / "t.db") as graph:
        graph.invoke(ResearchInput(question=fakes.QUESTION), CONFIG, interrupt_before=["answer"])
        values = strict(ResearchState).model_validate(graph.get_state(CONFIG).values)
        graph.update_state(CONFIG, json.loads(values.model_dump_json()), as_node="select_evidence")
        result = graph.invoke(None, CONFIG)["result"]

    assert len(server.asked) == result.usage.llm_calls == LAST
