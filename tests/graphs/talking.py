"""A conversation on fakes, its graph, and a planner that completes questions."""

import json
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graphs.chat import Chat, ChatInput, ChatState, build_chat_graph
from research_agent.ports import Ports
from research_agent.settings import Settings
from tests.fakes import BYPASSING, PROMPTS, ScriptedChat, says

CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}
SMALL = "ML-KEM-512 has an encapsulation key of 800 bytes [c1]."
SMALLER = "How many bytes has an ML-KEM-512 encapsulation key?"


def chat(given: Ports, settings: Settings = BYPASSING, *, interactive: bool = False) -> Chat:
    return build_chat_graph(
        given, settings, PROMPTS, checkpointer=InMemorySaver(), interactive=interactive
    )


def say(graph: Chat, *texts: str, **given: Any) -> ChatState:  # noqa: ANN401 (fields of the input)
    """Say one thing after the other, and return the state behind the last answer."""
    for text in texts:
        asked = ChatInput(messages=[HumanMessage(text)], **given)
        state = ChatState.model_validate(graph.invoke(asked, CONFIG))
    return state


def completes(*questions: str, **said: object) -> ScriptedChat:
    """Return a planner that completes questions, one a turn, and says the same of each."""
    return ScriptedChat(*(says(json.dumps({"question": one, **said})) for one in questions))
