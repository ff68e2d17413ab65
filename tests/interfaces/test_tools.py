"""The tools' doors for people and programs: `ResearchAgent` and the command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent import ResearchAgent
from research_agent.errors import ToolInputError
from tests.interfaces.commands import GUIDE, Model, run, served

pytestmark = pytest.mark.usefixtures("data_home")
NOTES = "# Notes\n\nSee [the guide](guide.md#rye) for rye bread.\n\n## More\n\nButter.\n"


@pytest.fixture
def config(tmp_path: Path) -> Iterator[str]:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "guide.md").write_text(GUIDE, encoding="utf-8")
    (docs / "C# my notes.md").write_text(NOTES, encoding="utf-8")
    assert 0 == run("index", str(docs)).exit_code
    with served(Model(), tmp_path) as path:
        yield path


@pytest.fixture
def agent(config: str) -> Iterator[ResearchAgent]:
    with ResearchAgent.open(config=config) as opened:
        yield opened


def test_search_and_read(agent: ResearchAgent) -> None:
    """What is found can be read by its id; a filter names documents as they are called."""
    found = agent.search("rye bread oven", file_filter="guide", max_chunks=1)
    (hit,) = found.hits
    read = agent.get_chunks([hit.chunk.chunk_id], expand_depth=0)

    assert ("guide", 1) == (hit.chunk.doc_id, found.files_searched)
    assert found.total_found >= 2
    assert [hit.chunk] == [item.chunk for item in read.hits]
    assert ["C# my notes"] == [
        item.chunk.doc_id for item in agent.search("rye", file_filter="c# MY", max_chunks=1).hits
    ]


def test_wrong_arguments(agent: ResearchAgent) -> None:
    """They are errors with a cure."""
    with pytest.raises(ToolInputError, match="matches no document") as told:
        agent.search("rye", file_filter="guid.")

    assert "The nearest: 'guide'." == told.value.hint


def test_documents_follow_the_index(agent: ResearchAgent, tmp_path: Path) -> None:
    """A document indexed while the agent is open is in the next list, and in the outline."""
    before = agent.documents()
    (tmp_path / "docs" / "new.md").write_text("# New\n\nSalt.", encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "docs")).exit_code
    after = agent.documents()

    assert ["C# my notes", "guide"] == [document.doc_id for document in before.documents]
    assert 3 == len(after.documents)
    assert before.outline.startswith("2 documents, ")
    assert "\nnew" in after.outline


def test_tools_for_another_agent(agent: ResearchAgent) -> None:
    """They have their names, and work while the agent is open."""
    search, get, listing = agent.tools()

    assert ["search_chunks_tool", "get_chunks_tool", "list_documents_tool"] == [
        search.name,
        get.name,
        listing.name,
    ]
    assert "guide" in listing.invoke({})
    assert "Rye bread needs 90 minutes" in search.invoke({"query": "rye bread"})


def test_chunks_by_their_ids(config: str) -> None:
    """The command shows whole chunks, counts them, and fails for an id that is not there."""
    hits = json.loads(run("search", "rye bread oven", "--json").stdout)["hits"]
    wanted = next(hit for hit in hits if hit["doc_id"] == "guide")["chunk_id"]
    shown = run("chunks", wanted, "--config", config)
    as_json = json.loads(run("chunks", wanted, "--depth", "2", "--json").stdout)
    unknown = run("chunks", wanted, "nothing")

    assert 0 == shown.exit_code, shown.output
    assert f"[{wanted}]" in shown.stdout
    assert "1 chunks (1 at depth 0)" in shown.stdout
    assert (1, []) == (as_json["requested"], as_json["unknown"])
    assert wanted == as_json["chunks"][0]["chunk_id"]
    assert 1 == unknown.exit_code
    assert "no chunk has the key 'nothing'" in unknown.stderr
    assert 2 == run("chunks").exit_code
    assert 2 == run("chunks", wanted, "--depth", "11").exit_code
