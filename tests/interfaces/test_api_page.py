"""The public names: one list, one page, and a quick import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import research_agent
from research_agent.interfaces.api_page import api_page


def test_page_is_up_to_date() -> None:
    """After a change: python -m research_agent.interfaces.api_page > docs/api.md."""
    assert Path("docs/api.md").read_text(encoding="utf-8") == api_page()


def test_public_names_are_typed() -> None:
    """What is imported for types is what can be imported; a name that is not there is an error."""
    tree = ast.parse(Path("research_agent/__init__.py").read_text(encoding="utf-8"))
    imported = {
        name.asname or name.name
        for part in ast.walk(tree)
        if isinstance(part, ast.If)
        for line in part.body
        if isinstance(line, ast.ImportFrom)
        for name in line.names
    }

    assert set(research_agent.__all__) == imported == set(dir(research_agent))
    assert all(getattr(research_agent, name) for name in imported)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        research_agent.Nothing  # noqa: B018


def test_import_is_quick() -> None:
    """Nothing large is imported before a name is used."""
    heavy = ("langgraph", "langchain_core", "pydantic", "numpy", "chromadb", "yaml")
    code = f"import sys, research_agent; print([n for n in {heavy} if n in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "[]" == run.stdout.strip()
