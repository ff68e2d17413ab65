"""The graph's own custom events, which all doors read: whole, in order, for listeners alone."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from graphs.chat import ChatInput, build_chat_graph
from graphs.node_wrapper import EventWriter, is_heard
from graphs.research import ResearchGraph, build_research_graph
from graphs.state import ResearchInput
from research_agent import ResearchAgent
from research_agent.errors import ModelAccessError
from research_agent.interfaces.events import event_json, read_event
from research_agent.ports import Ports
from research_agent.settings import FilterSettings, Settings
from research_agent.types.events import Event
from tests import fakes
from tests.graphs.serving import EVERYTHING, Server
from tests.graphs.test_faults import second_search_failed
from tests.graphs.test_pruning import Answerer
from tests.graphs.test_pruning import settings as pruning

ASKED = ResearchInput(question=fakes.QUESTION)
TIMES = {"at", "seconds", "started", "elapsed_seconds", "node_seconds"}
FAULT = RuntimeError("a fault of ours")
NO_KEY = ModelAccessError("no key", hint="Set one.")


def answered() -> tuple[Ports, Settings]:
    return fakes.ports(fakes.ScriptedChat(fakes.says(fakes.GOOD))), fakes.BYPASSING


def two_rounds() -> tuple[Ports, Settings]:
    return Server().ports(), EVERYTHING


def brought_back() -> tuple[Ports, Settings]:
    """From verify back to select_evidence, for what pruning has left out."""
    answerer = Answerer(fakes.says(fakes.GOOD.replace("[c1]", "[c2]")), helpful="Bread is")
    given = fakes.ports(fakes.ScriptedChat(), verifier=fakes.ScriptedChat(fakes.NO, fakes.YES))
    return replace(given, answerer=answerer), replace(pruning(), filter=FilterSettings(mode="off"))


def gathered(events: Iterator[Any]) -> list[Any]:
    """What comes before an error too."""
    found: list[Any] = []
    with suppress(ModelAccessError, RuntimeError):
        found.extend(events)
    return found


def timeless(events: Sequence[Event]) -> list[Any]:
    """The events without what clocks decide, in the order in which their kinds must come.

    Calls that are made at once begin and end in any order, so they are told sorted, and what each
    one has cost so far is left out; the result has the sum.
    """
    shown = [_without_times(event_json(event)) for event in events]
    shown = [{"event": "usage"} if "usage" == event["event"] else event for event in shown]
    calls = [event for event in shown if _of_a_call(event)]
    return [event for event in shown if not _of_a_call(event)] + sorted(calls, key=repr)


def _of_a_call(event: dict[str, Any]) -> bool:
    return "run_call" == event.get("step") or "decisions" == event["event"]


def _without_times(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, list):
        return [_without_times(item) for item in value]
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in TIMES}
    return value


@pytest.mark.parametrize(
    ("run", "last"),
    [
        (answered, "result"),
        (
            lambda: (fakes.ports(fakes.ScriptedChat(fakes.says(fakes.WRONG))), fakes.BYPASSING),
            "result",
        ),
        (two_rounds, "result"),
        (brought_back, "result"),
        (lambda: (second_search_failed(), fakes.LOOP), "result"),
        (lambda: (Server(fails_at=2, error=NO_KEY).ports(), EVERYTHING), "result"),
        (lambda: (fakes.ports(fakes.ScriptedChat(NO_KEY)), fakes.BYPASSING), "stopped"),
        (lambda: (Server(fails_at=2, error=FAULT).ports(), EVERYTHING), "stopped"),
    ],
)
def test_however_a_question_ends_there_is_one_last_event(run: Any, last: str) -> None:  # noqa: ANN401 (one of the above)
    def made() -> ResearchGraph:
        given, settings = run()
        return build_research_graph(given, settings, fakes.PROMPTS)

    async def beside() -> list[Any]:
        found: list[Any] = []
        with suppress(ModelAccessError, RuntimeError):
            async for event in made().astream(ASKED, stream_mode="custom"):
                found.append(read_event(event))  # noqa: PERF401 (what comes before an error too)
        return found

    custom = [read_event(e) for e in gathered(made().stream(ASKED, stream_mode="custom"))]
    deep = gathered(made().stream(ASKED, stream_mode="custom", subgraphs=True))
    kinds = [event.event for event in custom]

    assert ("asked", last) == (kinds[0], kinds[-1])
    assert 1 == kinds.count("result") + kinds.count("stopped")
    assert [event.at for event in custom] == sorted(event.at for event in custom)
    assert timeless(custom) == timeless([read_event(event) for _, event in deep])
    assert timeless(custom) == timeless(asyncio.run(beside()))


def test_nothing_is_made_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(*_: object) -> None:
        pytest.fail("an event was made")

    graph = build_research_graph(*answered(), fakes.PROMPTS)
    heard: list[Any] = []
    assert is_heard(heard.append)
    assert is_heard(lambda event: heard.append(event))  # noqa: PLW0108 (a function of its own)
    monkeypatch.setattr(EventWriter, "__init__", told)
    assert "answered" == graph.invoke(ASKED)["result"].status
    asyncio.run(graph.ainvoke(ASKED))
    assert list(graph.stream(ASKED, stream_mode="updates", subgraphs=True))


def test_a_resumed_run_tells_on() -> None:
    settings = replace(EVERYTHING, budget=replace(EVERYTHING.budget, rounds=2))
    place: RunnableConfig = {"configurable": {"thread_id": "1"}}
    graph = build_research_graph(
        Server().ports(), settings, fakes.PROMPTS, checkpointer=InMemorySaver()
    )

    def part(given: ResearchInput | None) -> list[Any]:
        run = graph.stream(given, place, stream_mode="custom", interrupt_before=["search"])
        return [event for event in run if isinstance(event, dict)]

    parts = [part(ASKED), part(None), part(None)]
    last = parts[2]

    assert ["asked", "step_started"] == [event["event"] for event in parts[0][:2]]
    assert ("step_started", "search", 2) == (last[0]["event"], last[0]["step"], last[0]["round"])
    assert "result" == last[-1]["event"]
    spent = [e["usage"]["llm_calls"] for p in parts for e in p if "usage" == e["event"]]
    assert spent == sorted(spent)
    assert "700 grams" not in json.dumps(parts)


class Desk(TypedDict, total=False):
    topic: str
    answers: list[str]


def test_a_parent_streams_two_questions_with_subgraphs() -> None:
    with ResearchAgent(*answered(), fakes.PROMPTS) as agent:

        def both(state: Desk) -> Desk:
            return {"answers": [agent.ask(state["topic"]).answer for _ in range(2)]}

        graph = StateGraph(Desk)
        graph.add_node("both", both)
        graph.add_edge(START, "both")
        graph.add_edge("both", END)
        parent: Any = graph.compile()
        given = Desk(topic=fakes.QUESTION)
        told = [e for _, e in parent.stream(given, stream_mode="custom", subgraphs=True)]
        alone = list(parent.stream(given, stream_mode="custom"))

    kinds = [event["event"] for event in told]
    assert 2 == kinds.count("asked") == kinds.count("result")
    assert kinds[: len(kinds) // 2] == kinds[len(kinds) // 2 :]
    assert {0, 1} == {event["round"] for event in told}
    assert [] == alone


def test_a_conversation_tells_the_events_of_its_question() -> None:
    graph: Any = build_chat_graph(*answered(), fakes.PROMPTS)
    asked = ChatInput(messages=[HumanMessage(fakes.QUESTION)])
    told = [read_event(event) for event in graph.stream(asked, stream_mode="custom")]
    deep = [e for _, e in graph.stream(asked, stream_mode="custom", subgraphs=True)]
    research = build_research_graph(*answered(), fakes.PROMPTS)
    alone = [read_event(event) for event in research.stream(ASKED, stream_mode="custom")]

    assert timeless(alone) == timeless(told) == timeless([read_event(event) for event in deep])
