"""Our graphs beside a host's package of the same name."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
try:
    from graphs.state import NAME
except ImportError:
    NAME = "ours"
from research_agent import ResearchContext, ResearchInput, build_research_graph
from research_agent.interfaces import own_graphs
assert ResearchInput is own_graphs.state.ResearchInput
assert ResearchContext is own_graphs.context.ResearchContext
print(NAME, build_research_graph.__module__)
"""


@pytest.mark.parametrize(
    ("hosts", "told"),
    [(True, "host research_agent_graphs.research"), (False, "ours graphs.research")],
)
def test_host_keeps_its_graphs_and_ours_work(
    hosts: bool,  # noqa: FBT001 (a parameter of the test)
    told: str,
    tmp_path: Path,
) -> None:
    """Beside a foreign `graphs` ours has a name of its own; elsewhere it is simply `graphs`."""
    if hosts:
        (tmp_path / "graphs").mkdir()
        (tmp_path / "graphs" / "__init__.py").touch()
        (tmp_path / "graphs" / "state.py").write_text('NAME = "host"\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, check=False, text=True
    )

    assert told == done.stdout.strip(), done.stderr
