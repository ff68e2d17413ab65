"""What others import: the public names and their page, the code of another page, our graphs."""

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import research_agent
from research_agent import Limits, ResearchAgent, build_research_graph
from tests.fakes import BYPASSING, GOOD, PROMPTS, ScriptedChat, ports, says


def test_page_is_up_to_date() -> None:
    """After a change: python docs/api_page.py > docs/api.md."""
    made = runpy.run_path("docs/api_page.py")["api_page"]()
    assert Path("docs/api.md").read_text(encoding="utf-8") == made


def test_public_names_are_typed() -> None:
    """What is imported for types is what can be imported; a name that is not there is an error."""
    tree = ast.walk(ast.parse(Path("research_agent/__init__.py").read_text(encoding="utf-8")))
    imported = {
        name.asname for line in tree if isinstance(line, ast.ImportFrom) for name in line.names
    }

    assert {*research_agent.__all__, None} == imported
    assert all(getattr(research_agent, name) for name in research_agent.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        research_agent.Nothing  # noqa: B018


def test_import_is_quick() -> None:
    """Nothing large is imported before a name is used."""
    heavy = ("langgraph", "langchain_core", "pydantic", "numpy", "chromadb", "yaml")
    code = f"import sys, research_agent; print([n for n in {heavy} if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "[]" == run.stdout.strip()


@pytest.mark.usefixtures("data_home")
def test_code_of_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All blocks, one after the other, over an index of three chunks."""
    page = Path("docs/embedding.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}

    known = ResearchAgent.open

    def opened(_: str = "default", **given: Any) -> ResearchAgent:  # noqa: ANN401 (any of them)
        if given:
            return known(_, **given)
        return ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, PROMPTS)

    monkeypatch.setattr(ResearchAgent, "open", opened)
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)  # noqa: S102 (it is our own documentation)

    told = capsys.readouterr().out.split()
    assert ("asked", "result") == (told[0], told[-1])
    assert GOOD == names["done"]["report"]
    assert Limits(llm_calls=40).after(names["result"].usage).llm_calls == 38
    assert "off" == names["result"].filter_stats.mode
    assert [("guide", 1)] == [place[:2] for place in names["places"]][:1]
    assert [GOOD] == names["answers"]
    assert "[^c1]: k, PDF page 3" in names["page"]
    assert names["entries"].startswith("@misc{k,")
    assert GOOD == names["message"].artifact.answer


SCRIPT = """
from graphs.state import NAME
from research_agent import ResearchContext, ResearchInput, build_research_graph
from research_agent.interfaces import own_graphs
assert ResearchInput is own_graphs.state.ResearchInput
assert ResearchContext is own_graphs.context.ResearchContext
assert not hasattr(own_graphs, "pytest_plugins")
print(NAME, build_research_graph.__module__)
"""


def test_host_keeps_its_graphs_and_ours_work(tmp_path: Path) -> None:
    """Beside a foreign `graphs` ours has a name of its own; elsewhere it is simply `graphs`."""
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "__init__.py").touch()
    (tmp_path / "graphs" / "state.py").write_text('NAME = "host"\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, check=False, text=True
    )

    assert "host research_agent_graphs.research" == done.stdout.strip(), done.stderr
    assert "graphs.research" == build_research_graph.__module__
