"""The picture of the graph."""

import json
from pathlib import Path

from tests.interfaces.commands import run
from tests.studio.serving import GRAPHS


def test_picture_in_the_documentation_is_the_graphs_own() -> None:
    """What `research-agent graph` prints stands in docs/architecture.md, letter by letter."""
    page = Path("docs/architecture.md").read_text(encoding="utf-8")
    printed = run("graph").stdout

    assert f"```mermaid\n{printed}```\n" in page
    assert "verify -.-> retrieve;" in printed


def test_studio_is_given_the_graphs_that_are_tested() -> None:
    """langgraph.json names the same factories as the tests of the server."""
    assert GRAPHS == json.loads(Path("langgraph.json").read_text(encoding="utf-8"))["graphs"]
