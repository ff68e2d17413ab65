"""What Studio may index, and where it may write."""

import os
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from graphs.indexing import build_index_graph, check_within
from research_agent.errors import PathError
from research_agent.settings import Settings


@pytest.mark.parametrize("index", ["s3://papers/team", "gs://p/t", "az://p/t", "lance:/srv/index"])
def test_studio_writes_no_shared_index(index: str, tmp_path: Path) -> None:
    """Its path looks like one below the current folder, and leads elsewhere."""
    with pytest.raises(PathError, match="is a shared index"):
        check_within([tmp_path, Path.cwd()], [str(tmp_path)], index)
    check_within([tmp_path], [str(tmp_path)], "notes")


@pytest.mark.parametrize("path", ["/etc/hosts", "../x", "~nobody-here/x"])
def test_what_is_outside_of_the_folders_is_not_indexed(path: str, tmp_path: Path) -> None:
    with pytest.raises(PathError, match="none of the folders that Studio may index"):
        check_within([tmp_path], [path], "notes")


@pytest.mark.usefixtures("data_home")
def test_nothing_is_left_of_an_earlier_run(tmp_path: Path) -> None:
    """What follows a preview on its thread writes, and a preview behind that reports nothing.

    Nor does a wrong run keep others from running.
    """
    (tmp_path / "guide.md").write_text("# Bread\n\nBread is baked for an hour.", encoding="utf-8")
    graph = build_index_graph(Settings(), os.environ, roots=[tmp_path])
    graph.checkpointer = InMemorySaver()
    thread: RunnableConfig = {"configurable": {"thread_id": "t"}}
    given = {"paths": [str(tmp_path / "guide.md")], "index": "notes"}
    with pytest.raises(ValidationError):
        graph.invoke({"paths": "guide.md"}, thread)  # type: ignore[call-overload]
    done = [graph.invoke({**given, **more}, thread) for more in (DRY, {}, DRY)]  # type: ignore[call-overload]

    assert [0, 1, 0] == [one["report"].documents for one in done]


DRY = {"dry_run": True}
