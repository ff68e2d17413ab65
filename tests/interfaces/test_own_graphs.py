"""Our graphs beside a host's package of the same name."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import graphs.state
from research_agent import ResearchAgent
from research_agent.interfaces import own_graphs
print(graphs.state.NAME, ResearchAgent.__name__, own_graphs.research.__name__)
"""


def test_host_keeps_its_graphs_and_ours_still_work(tmp_path: Path) -> None:
    """In a folder with a foreign `graphs`, both packages are found."""
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "__init__.py").touch()
    (tmp_path / "graphs" / "state.py").write_text('NAME = "host"\n', encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, check=False, text=True
    )

    assert "host ResearchAgent research_agent_graphs.research" == done.stdout.strip(), done.stderr


def test_ours_keep_their_name_where_nobody_else_has_it(tmp_path: Path) -> None:
    """In any other folder the package is simply `graphs`."""
    script = "from research_agent.interfaces import own_graphs; print(own_graphs.research.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, check=False, text=True
    )

    assert "graphs.research" == done.stdout.strip(), done.stderr
