"""What imports what: the contracts hold, each breach is noticed, the public names are there."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOMAINS = (
    "documents",
    "index",
    "retrieval",
    "planning",
    "answering",
    "verification",
    "models",
    "conversation",
    "evaluation",
)
LINTER = Path(sys.executable).with_name("lint-imports")
BREACHES = [
    ("graphs/nodes.py", "import research_agent.interfaces.cli.main", "The graphs do not"),
    ("research_agent/assembly/models.py", "import graphs.research", "The graphs stand"),
    ("research_agent/ports.py", "import research_agent.planning.refine", "Dependencies point"),
    ("research_agent/types/fusion.py", "import research_agent.settings", "Dependencies point"),
    ("research_agent/helpers.py", "", "Dependencies point"),
    ("research_agent/assembly/models.py", "import langgraph.graph", "Only graphs know"),
    ("research_agent/answering/write/writing.py", "import langchain_core", "know frameworks"),
    ("research_agent/settings.py", "import pydantic", "know frameworks"),
    ("research_agent/types/fusion.py", "import time", "do I/O"),
    (
        "research_agent/models/adapters/tokens.py",
        "import research_agent.models.adapters.system_clock",
        "Adapters do",
    ),
    (
        "research_agent/planning/refine/refining.py",
        "import research_agent.retrieval.search",
        "domains do not",
    ),
]


def test_contracts_hold() -> None:
    """The command line imports the graphs, and every contract is kept."""
    run = subprocess.run([LINTER, "--no-cache"], capture_output=True, check=False)

    assert 0 == run.returncode
    assert "8 kept, 0 broken" in run.stdout.decode()


@pytest.mark.parametrize(("path", "line", "contract"), BREACHES)
def test_breach_is_noticed(path: str, line: str, contract: str, tmp_path: Path) -> None:
    """Each forbidden import breaks the contract that forbids it."""
    for name in ("graphs", "research_agent"):
        shutil.copytree(name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy("pyproject.toml", tmp_path)
    with (tmp_path / path).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")

    run = subprocess.run([LINTER, "--no-cache"], cwd=tmp_path, capture_output=True, check=False)

    assert 1 == run.returncode
    assert contract in run.stdout.decode().partition("Broken contracts")[2]


def test_no_built_in_door_to_the_world() -> None:
    """What needs no import is not called in the domains either, but in their adapters."""
    called = {
        part.func.id
        for folder in (*DOMAINS, "text", "types")
        for path in Path("research_agent", folder).rglob("*.py")
        if "adapters" not in path.parts
        for part in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
    }

    assert "sorted" in called
    assert set() == called & {"open", "print", "input", "eval", "exec", "__import__"}
