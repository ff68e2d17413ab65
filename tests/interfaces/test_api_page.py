"""The public names: one list, one page, and a quick import."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import research_agent


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
