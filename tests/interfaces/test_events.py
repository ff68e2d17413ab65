"""The stream of events: in order, whole, the same as JSON, and without refused drafts."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphs.chat import ChatInput, build_chat_graph
from graphs.state import ResearchInput
from research_agent import ResearchAgent
from research_agent.config import load_prompts
from research_agent.errors import ModelAccessError, StoppedError
from research_agent.interfaces.events import event_json, event_line, read_event
from research_agent.stopping import Stop, waking
from research_agent.types import Completion
from research_agent.types.events import Event, Stopped
from tests.fakes import BYPASSING, GOOD, QUESTION, ScriptedChat, ports, says
from tests.graphs.serving import EVERYTHING, Server
from tests.interfaces.commands import BAKED, Model, run


class WaitingChat:
    """Says nothing until its question is stopped."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.ended = threading.Event()

    def complete(self, *_: object, **__: object) -> Completion:
        stopped = threading.Event()
        with waking(stopped.set):
            self.asked.set()
            assert stopped.wait(20)
        self.ended.set()
        raise StoppedError("the question was stopped")


def agent(answerer: ScriptedChat | WaitingChat | None = None) -> ResearchAgent:
    """An agent over three sentences; its `answerer` says what is right unless one is given."""
    chat = ScriptedChat(says(GOOD))
    return ResearchAgent(replace(ports(chat), answerer=answerer or chat), BYPASSING, load_prompts())


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.event for event in events if event.event not in ("step_started", "step_finished")]


def test_events_of_a_question_in_order() -> None:
    """From the question to the result; each step begins before it ends."""
    with agent() as asked:
        events = list(asked.stream(QUESTION))
    steps = [event for event in events if event.event in ("step_started", "step_finished")]
    begun = [event.step for event in steps if event.event == "step_started"]

    assert [
        *("asked", "hits", "confidence", "queries", "calls", "hits", "decisions", "evidence"),
        *("usage", "sentence", "check", "citations", "result"),
    ] == kinds(events)
    assert sorted(begun) == sorted(e.step for e in steps if e.event == "step_finished")
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert {0, 1} == {event.round for event in events}


def test_events_are_the_same_after_json() -> None:
    """Every kind of event of two rounds can be written, read, and is equal; lines are ASCII."""
    server = Server()
    with ResearchAgent(server.ports(), EVERYTHING, load_prompts()) as asked:
        events = list(asked.stream(QUESTION, drafts=True))

    assert events == [read_event(json.loads(event_line(event))) for event in events]
    assert ["event", "at", "round", "question"] == list(event_json(events[0]))
    with pytest.raises(ValueError, match="nonsense"):
        read_event({"event": "nonsense"})
    assert all(event_line(event).isascii() for event in events)
    assert {1, 2} == {event.round for event in events if event.event == "draft"}


def test_an_error_is_the_last_event_and_is_raised() -> None:
    """Whoever reads the events sees what went wrong, and what was spent."""
    events: list[Event] = []
    broken = ScriptedChat(ModelAccessError("no key", hint="Set one."))
    with agent(broken) as asked, pytest.raises(ModelAccessError):
        events.extend(asked.stream(QUESTION))  # (it keeps what comes before the error)
    last = events[-1]

    assert isinstance(last, Stopped)
    assert ("error", "ModelAccessError", "no key", "Set one.") == (
        last.reason,
        last.error,
        last.message,
        last.hint,
    )


async def drained(events: AsyncIterator[object]) -> None:
    async for _ in events:
        pass


def in_a_conversation(asked: ResearchAgent) -> Any:  # noqa: ANN401 (a coroutine of LangGraph's)
    run = asked.run_context
    graph = build_chat_graph(run.ports, run.settings, run.prompts)
    return graph.ainvoke(ChatInput(messages=[HumanMessage(QUESTION)]))


@pytest.mark.parametrize(
    "ask",
    [
        lambda asked: asked.aask(QUESTION),
        lambda asked: drained(asked.astream(QUESTION)),
        lambda asked: asked.graph.ainvoke(ResearchInput(question=QUESTION)),
        lambda asked: drained(
            asked.graph.astream(ResearchInput(question=QUESTION), stream_mode="custom")
        ),
        in_a_conversation,
    ],
)
def test_cancelling_ends_the_model_call(ask: Callable[[ResearchAgent], Any]) -> None:
    """Also of the compiled graphs beside an event loop."""
    waiting = WaitingChat()

    async def cancelled(asked: ResearchAgent) -> None:
        task = asyncio.ensure_future(ask(asked))
        assert await asyncio.to_thread(waiting.asked.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(waiting.ended.wait, 10)

    with agent(waiting) as asked:
        asyncio.run(cancelled(asked))


def test_a_stop_ends_the_question() -> None:
    """From another thread."""
    waiting, stop, events = WaitingChat(), Stop(), list[Event]()

    def ended() -> None:
        assert waiting.asked.wait(20)
        stop.end()

    ending = threading.Thread(target=ended)
    ending.start()
    with agent(waiting) as asked, pytest.raises(StoppedError):
        events.extend(asked.stream(QUESTION, stop=stop))
    ending.join()

    assert isinstance(events[-1], Stopped)
    assert "cancelled" == events[-1].reason


@pytest.mark.usefixtures("indexed")
def test_a_refused_draft_is_in_no_output(config: str, model: Model) -> None:
    """Text, JSON and events, a line each, hide what was refused; `--drafts` tells it."""
    model.answer, model.verdict = "Zebras bake cakes for 777 shillings [c1].", "no"
    plain = run("ask", BAKED, "--config", config)
    as_json = run("ask", BAKED, "--config", config, "--json")
    events = run("ask", BAKED, "--config", config, "--events")
    drafts = run("ask", BAKED, "--config", config, "--events", "--drafts")
    told = [json.loads(line) for line in events.stdout.splitlines()]

    assert ("asked", "result", "") == (told[0]["event"], told[-1]["event"], events.stderr)
    assert "refused" == told[-1]["result"]["status"]
    assert plain.stdout.startswith("not found in provided docs")
    for result in (plain, as_json, events):
        assert "shillings" not in result.stdout + result.stderr
    assert "shillings" in drafts.stdout
