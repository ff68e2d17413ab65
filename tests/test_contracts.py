"""What imports what: the contracts hold, each breach is noticed, the public names are there."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

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
    ("graphs/nodes.py", "research_agent.interfaces.cli.main", "The graphs do not"),
    ("research_agent/assembly/models.py", "graphs.research", "The graphs stand"),
    ("research_agent/ports.py", "research_agent.planning.refine", "Dependencies point"),
    ("research_agent/types/fusion.py", "research_agent.settings", "Dependencies point"),
    ("research_agent/helpers.py", "", "Dependencies point"),
    ("research_agent/planning/refining.py", "research_agent.retrieval.search", "domains do not"),
    ("research_agent/index/run.py", "research_agent.index.adapters.lexical", "Only assembly"),
    ("research_agent/assembly/models.py", "langgraph", "Only graphs know"),
    ("research_agent/answering/writing.py", "langchain_core", "know frameworks"),
    ("research_agent/settings.py", "pydantic", "know frameworks"),
    ("research_agent/types/fusion.py", "time", "do I/O"),
    (
        "research_agent/models/adapters/tokens.py",
        "research_agent.models.adapters.system_clock",
        "Adapters do",
    ),
]


def test_contracts_hold() -> None:
    """The command line imports the graphs, and every contract is kept."""
    run = subprocess.run([LINTER, "--no-cache"], capture_output=True, check=False)

    assert 0 == run.returncode
    assert "8 kept, 0 broken" in run.stdout.decode()


def test_each_breach_is_noticed(tmp_path: Path) -> None:
    """Each forbidden import is told below the contract that forbids it."""
    for name in ("graphs", "research_agent"):
        shutil.copytree(name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy("pyproject.toml", tmp_path)
    for path, imported, _ in BREACHES:
        with (tmp_path / path).open("a", encoding="utf-8") as file:
            file.write(f"\nimport {imported}\n" if imported else "")

    run = subprocess.run([LINTER, "--no-cache"], cwd=tmp_path, capture_output=True, check=False)
    _, *parts = re.split(r"\n([^\n]+)\n-{5,}\n", run.stdout.decode().partition("Broken contr")[2])
    told = dict(zip(parts[::2], map(str.split, parts[1::2]), strict=True))

    assert (1, 8) == (run.returncode, len(told))
    for path, imported, contract in BREACHES:
        (words,) = (words for title, words in told.items() if contract in title)
        importer = path.removesuffix(".py").replace("/", ".")
        assert f"- {importer}{' -> ' if imported else ''}{imported}" in " ".join(words)


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
