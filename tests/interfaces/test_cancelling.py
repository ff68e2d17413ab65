"""The compiled graphs beside an event loop: cancelled at once, and many at a time."""

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphs.chat import ChatInput, build_chat_graph
from graphs.state import ResearchInput
from research_agent import ResearchAgent
from research_agent.assembly.connection import Connection, connect
from research_agent.config import load_prompts, load_settings
from tests.interfaces.commands import GUIDE, Model, run, served
from tests.loopback import Json, Live, Peer, Raw

BAKED = "At how many degrees is bread baked?"


class Slow(Model):
    """A model that says nothing, and sees its client go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.left = Event(), Event()

    def reply(self, request: Json) -> Json | Raw | Live:  # type: ignore[override]  # (it waits)
        assert request["messages"]
        self.begun.set()

        def wait(peer: Peer) -> None:
            if peer.gone(30):
                self.left.set()

        return Live(wait)


@pytest.fixture
def indexed(tmp_path: Path, data_home: Path) -> Path:
    assert data_home.name
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "guide.md")).exit_code
    return tmp_path


def opened(config: str) -> Connection:
    return connect("default", load_settings(Path(config), {}), {})


async def cancelled(running: Any, model: Slow) -> None:  # noqa: ANN401 (a coroutine of LangGraph's)
    """Cancel a run as soon as the model is asked, and see that the model is left alone."""
    task = asyncio.create_task(running)
    assert await asyncio.to_thread(model.begun.wait, 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(model.left.wait, 10)


async def read(graph: Any, given: object) -> None:  # noqa: ANN401 (LangGraph's)
    async for _ in graph.astream(given, stream_mode="custom"):
        pass


def test_cancelling_ends_the_model_call(indexed: Path) -> None:
    """Of `ainvoke` and of `astream`: the server sees the connection closed, long before its end."""
    for run_ in ("ainvoke", "astream"):
        model = Slow()
        with (
            served(model, indexed) as config,
            ResearchAgent.open(config=config) as agent,
        ):
            asked = ResearchInput(question=BAKED)
            graph: Any = agent.graph
            running = graph.ainvoke(asked) if run_ == "ainvoke" else read(graph, asked)
            asyncio.run(cancelled(running, model))


def test_cancelling_a_conversation_ends_the_model_call(indexed: Path) -> None:
    """The question is asked inside one of its nodes."""
    model = Slow()
    with served(model, indexed) as config, opened(config) as connection:
        graph = build_chat_graph(connection.ports, connection.settings, load_prompts())
        asked = ChatInput(messages=[HumanMessage(BAKED)])
        asyncio.run(cancelled(graph.ainvoke(asked), model))
