"""An index whose search files are damaged: answers by words, and the result says so."""

import json
from pathlib import Path

import pytest

from research_agent.assembly import index_search
from research_agent.index.adapters.folders import locate
from tests.interfaces.commands import GUIDE, Model, printed, run, served

QUESTION = "At how many degrees is bread baked?"
ONLY_WORDS = "only words are searched"
CURE = "Make them again: research-agent index"


@pytest.fixture(autouse=True)
def _damaged(tmp_path: Path, data_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index above `index.exact_below`, too large for the memory, without Chroma's files."""
    monkeypatch.setenv("RESEARCH_AGENT_INDEX__EXACT_BELOW", "0")
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "guide.md")).exit_code
    assert data_home.exists()
    monkeypatch.setattr(index_search, "REMADE_AT_ONCE", 0)
    monkeypatch.setattr(index_search, "HELD", 0)
    (locate("default").current().vectors / "1" / "current.json").write_bytes(b"\0garbage")


def test_the_answer_names_the_warning(tmp_path: Path) -> None:
    """Word search alone found the evidence; what is wrong and the cure are told, to people too."""
    with served(Model(), tmp_path) as config:
        result = printed(run("ask", QUESTION, "--config", config, "--json"))
        told = " ".join(run("ask", QUESTION, "--config", config).stderr.split())

    assert "Bread is baked at 230 degrees [c1]." == result["answer"]
    (warning,) = result["warnings"]
    assert ONLY_WORDS in warning
    assert CURE in warning
    assert ONLY_WORDS in told


def test_a_search_prints_it_beside_the_hits() -> None:
    """On stderr, so that JSON stays JSON."""
    result = run("search", QUESTION, "--json")

    assert "230 degrees" in json.loads(result.stdout)["hits"][0]["text"]
    assert ONLY_WORDS in " ".join(result.stderr.split())
    assert ONLY_WORDS not in result.stdout


def test_a_sound_index_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it may be made again it is, and nobody is told anything."""
    monkeypatch.setattr(index_search, "REMADE_AT_ONCE", 10_000)
    result = run("search", QUESTION, "--json")

    assert (0, "") == (result.exit_code, result.stderr)
