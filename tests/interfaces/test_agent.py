"""The agent as a Python object: opened over an index, its tools, and what Studio opens."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from pydantic import ValidationError

from graphs import studio
from graphs.state import ResearchInput
from research_agent import ResearchAgent
from research_agent.errors import IndexMissingError, ToolInputError
from tests.interfaces.commands import ANSWER, BAKED, run

NOTES = "# Notes\n\nSee [the guide](guide.md#rye) for rye bread.\n\n## More\n\nButter.\n"


@pytest.fixture
def agent(docs: Path, config: str) -> Iterator[ResearchAgent]:
    (docs / "C# my notes.md").write_text(NOTES, encoding="utf-8")
    assert 0 == run("index", str(docs)).exit_code
    with ResearchAgent.open(config=config) as opened:
        yield opened


def test_search_read_and_list(agent: ResearchAgent) -> None:
    """What is found can be read by its id; a wrong filter has a cure; tools have their names."""
    found = agent.search("rye bread oven", file_filter="guide", max_chunks=1)
    (hit,) = found.hits
    read = agent.get_chunks([hit.chunk.chunk_id], expand_depth=0)
    with pytest.raises(ToolInputError, match="matches no document") as told:
        agent.search("rye", file_filter="guid.")
    search, get, listing = agent.tools()

    assert ("guide", 1) == (hit.chunk.doc_id, found.files_searched)
    assert found.total_found >= 2
    assert [hit.chunk] == [item.chunk for item in read.hits]
    assert ["C# my notes"] == [
        item.chunk.doc_id for item in agent.search("rye", file_filter="c# MY", max_chunks=1).hits
    ]
    assert "The nearest: 'guide'." == told.value.hint
    assert ("search_chunks_tool", "get_chunks_tool") == (search.name, get.name)
    assert "guide" in listing.invoke({})
    assert "Rye bread needs 90 minutes" in search.invoke({"query": "rye bread"})


def test_new_documents_are_seen_at_once(agent: ResearchAgent, docs: Path) -> None:
    """A document indexed while the agent is open is listed, and found by the next question."""
    listed, before = agent.documents(), agent.ask(BAKED)
    (docs / "more.md").write_text(
        "# Bread\n\nBread is baked at 230 degrees in Italy too.", encoding="utf-8"
    )
    assert 0 == run("index", str(docs)).exit_code
    after = agent.ask(BAKED)

    assert ANSWER == before.answer
    assert ["C# my notes", "guide"] == [document.doc_id for document in listed.documents]
    assert listed.outline.startswith("2 documents, ")
    assert "\nmore" in agent.documents().outline
    assert {"more"} == {item.hit.chunk.doc_id for item in after.evidence} - {
        item.hit.chunk.doc_id for item in before.evidence
    }


@pytest.mark.usefixtures("indexed")
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


@pytest.mark.usefixtures("data_home")
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
    chosen = studio.of_config({"configurable": {**given, "thread_id": "1"}})

    assert (
        "notes",
        (
            ("RESEARCH_AGENT_MODELS__CHAT__PROVIDER", "bedrock"),
            ("RESEARCH_AGENT_MODELS__CHAT__MODEL", "anthropic.test"),
        ),
    ) == chosen.choice
    with pytest.raises(ValidationError, match="chat_provider"):
        asyncio.run(studio.research({"configurable": {"chat_provider": "gemini"}}))
