"""The agent as a Python object, beside its re-indexing, in threads, and as a node."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from pydantic import ValidationError

from examples.as_a_node import parent
from graphs import studio, studio_context
from graphs.state import ResearchInput
from research_agent import ResearchAgent
from research_agent.config import load_prompts
from research_agent.errors import IndexMissingError
from tests.fakes import BYPASSING, GOOD, QUESTION, ScriptedChat, ports, says
from tests.interfaces.commands import GUIDE, Model, run, served

pytestmark = pytest.mark.usefixtures("data_home")
BAKED = "At how many degrees is bread baked?"


@pytest.fixture
def config(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs")).exit_code
    with served(Model(), tmp_path) as path:
        yield path


def test_open_ask_close(config: str) -> None:
    """One line opens an agent over the default index."""
    with ResearchAgent.open(config=config) as agent:
        result = agent.ask(BAKED)

    assert "Bread is baked at 230 degrees [c1]." == result.answer


def test_new_generation_is_seen_at_the_next_question(config: str, tmp_path: Path) -> None:
    """A document indexed while the agent is open is found by its next question."""
    with ResearchAgent.open(config=config) as agent:
        before = agent.ask(BAKED)
        more = tmp_path / "docs" / "more.md"
        more.write_text("# Bread\n\nBread is baked at 230 degrees in Italy too.", encoding="utf-8")
        assert 0 == run("index", str(tmp_path / "docs")).exit_code
        after = agent.ask(BAKED)

    assert {"guide"} == {item.hit.chunk.doc_id for item in before.evidence}
    assert {"guide", "more"} == {item.hit.chunk.doc_id for item in after.evidence}


def test_many_questions_at_a_time() -> None:
    """Each question gets its own result, in whatever order they end."""
    questions = [f"{QUESTION} {number}" for number in range(12)]

    async def ask_all(agent: ResearchAgent) -> list[str]:
        results = await asyncio.gather(*(agent.aask(question) for question in questions))
        return [result.question for result in results]

    with ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, load_prompts()) as agent:
        assert questions == asyncio.run(ask_all(agent))


def test_agent_is_a_node_of_another_graph() -> None:
    """The example of a parent graph runs."""
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, load_prompts()) as agent:
        output = parent(agent).invoke({"question": QUESTION})

    assert (GOOD, 1) == (output["answer"], output["citations"])


def test_studio_builds_one_graph_an_index(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server asks at every run; the models behind the graph are connected once."""
    closers: list[object] = []
    monkeypatch.setenv("RESEARCH_AGENT_CONFIG", config)
    monkeypatch.setattr("atexit.register", closers.append)
    graph = asyncio.run(studio.research({}))
    result = graph.invoke(ResearchInput(question=BAKED))["result"]

    assert graph is asyncio.run(studio.research({"configurable": {"index": "default"}}))
    assert "answered" == result.status
    assert 1 == len(closers)
    studio._opened.cache_clear()  # noqa: SLF001 (the test's own cleaning)
    for close in closers:
        close()  # type: ignore[operator]


def test_studio_shows_graphs_before_there_is_an_index() -> None:
    """Their shape needs no index; a run says that there is none, and the next try looks again."""
    config: RunnableConfig = {"configurable": {"index": "none-yet"}}
    graph = asyncio.run(studio.research(config))

    assert "ask" in asyncio.run(studio.chat(config)).nodes
    assert "retrieve" in graph.nodes
    with pytest.raises(IndexMissingError, match="none-yet"):
        graph.invoke(ResearchInput(question=BAKED))
    assert graph is not asyncio.run(studio.research(config))


def test_studio_takes_models_from_its_form(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider and a model of the form are those of the graph; a wrong one is refused."""
    monkeypatch.setenv("RESEARCH_AGENT_CONFIG", config)
    given = {"chat_provider": "bedrock", "chat_model": "anthropic.test", "index": "notes"}
    chosen = studio_context.of_config({"configurable": {**given, "thread_id": "1"}})

    assert (
        "notes",
        (
            ("RESEARCH_AGENT_MODELS__CHAT__PROVIDER", "bedrock"),
            ("RESEARCH_AGENT_MODELS__CHAT__MODEL", "anthropic.test"),
        ),
    ) == chosen.choice
    with pytest.raises(ValidationError, match="chat_provider"):
        asyncio.run(studio.research({"configurable": {"chat_provider": "gemini"}}))
