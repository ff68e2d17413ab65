"""The compiled graphs beside an event loop: cancelled, they end the model call at once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphs.chat import ChatInput, build_chat_graph
from graphs.state import ResearchInput
from research_agent.assembly.connection import Connection, connect
from research_agent.config import configured, load_prompts
from research_agent.interfaces.agent import ResearchAgent
from tests.interfaces.commands import BAKED, Waiting, served

ASKED = ResearchInput(question=BAKED)


def researching(connection: Connection) -> Any:  # noqa: ANN401 (LangGraph's)
    return ResearchAgent(connection.ports, connection.settings, load_prompts()).graph


async def read(connection: Connection) -> None:
    async for _ in researching(connection).astream(ASKED, stream_mode="custom"):
        pass


def conversation(connection: Connection) -> Any:  # noqa: ANN401 (a coroutine of LangGraph's)
    """The question is asked inside one of its nodes."""
    graph = build_chat_graph(connection.ports, connection.settings, load_prompts())
    return graph.ainvoke(ChatInput(messages=[HumanMessage(BAKED)]))


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("run", [lambda c: researching(c).ainvoke(ASKED), read, conversation])
def test_cancelling_ends_the_model_call(run: Callable[[Connection], Any], tmp_path: Path) -> None:
    """The server sees the connection closed, long before its end."""
    model = Waiting()

    async def cancelled(connection: Connection) -> None:
        task = asyncio.ensure_future(run(connection))
        assert await asyncio.to_thread(model.reached.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(model.left.wait, 10)

    with (
        served(model, tmp_path) as config,
        connect("default", configured(config, {}).settings, {}) as connection,
    ):
        asyncio.run(cancelled(connection))
