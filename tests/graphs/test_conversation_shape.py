"""A whole conversation on fakes: a value, a sibling's, the comparison, and what nobody says."""

import json

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graphs import chat
from graphs.research import ResearchGraph, build_research_graph
from graphs.state import ResearchInput
from tests.fakes import BYPASSING, PROMPTS, ScriptedChat, ports, says

CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}
TEXTS = (
    "Wheat bread is baked at 230 degrees.",
    "Rye bread is baked at 210 degrees.",
    "Cake is baked at 180 degrees.",
)
TYPED = (
    "At how many degrees is Wheat bread baked?",
    "and Rye bread?",
    "Which of the two is hotter?",
    "What does Rye bread cost?",
)
MEANT = (
    "At how many degrees is Rye bread baked?",
    "Which of Wheat bread and Rye bread is baked at more degrees?",
    TYPED[3],
)
ANSWERS = (
    "Wheat bread is baked at 230 degrees [c1].",
    "Rye bread is baked at 210 degrees [c1].",
    "Wheat bread is baked at 230 degrees [c1], Rye bread is baked at 210 degrees [c2].",
    "not found in provided docs",
)


class Watched:
    """A research graph that keeps what it is asked."""

    def __init__(self, graph: ResearchGraph) -> None:
        """Ask `graph`."""
        self._graph = graph
        self.given: list[ResearchInput] = []

    def invoke(self, given: ResearchInput, config: RunnableConfig) -> object:
        """Keep what is given, and ask."""
        self.given.append(given)
        return self._graph.invoke(given, config)


def test_each_turn_is_asked_whole_and_starts_from_what_was_cited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both items are known where they are compared; a new question knows nothing of before."""
    planner = ScriptedChat(*(says(json.dumps({"question": text})) for text in MEANT))
    given = ports(ScriptedChat(*map(says, ANSWERS)), planner, texts=TEXTS)
    watched = Watched(build_research_graph(given, BYPASSING, PROMPTS, checkpointer=False))
    monkeypatch.setattr(chat, "build_research_graph", lambda *_, **__: watched)
    graph = chat.build_chat_graph(given, BYPASSING, PROMPTS, checkpointer=InMemorySaver())
    for text in TYPED:
        kept = graph.invoke(chat.ChatInput(messages=[HumanMessage(text)]), CONFIG)
    turns = chat.ChatState.model_validate(kept).turns

    assert list(TYPED) == [turn.text for turn in turns]
    assert [TYPED[0], *MEANT] == [asked.question for asked in watched.given]
    assert [(q,) for q in (TYPED[0], *MEANT)] == [turn.queries[:1] for turn in turns]
    assert ["new", "model", "model", "new"] == [turn.how for turn in turns]
    assert [(), ("guide-0",), ("guide-1", "guide-0"), ()] == [
        asked.known for asked in watched.given
    ]
    assert {"guide-0", "guide-1"} == {item.chunk_id for item in turns[2].citations}
    assert ["answered", "answered", "answered", "refused"] == [turn.status for turn in turns]
