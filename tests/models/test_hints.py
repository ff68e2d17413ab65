"""Every error about a model server says what to do."""

import ast
from pathlib import Path

import pytest

from research_agent.models import adapters

FOLDERS = ("bedrock", "llama.py", "rate_limited", "openai", "weights")
FILES = [
    file
    for name in FOLDERS
    for path in [Path(adapters.__file__).parent / name]
    for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])
]


def without_hint(source: str) -> list[str]:
    """Return the errors of ours that are made without a hint."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        f"{call.func.id} in line {call.lineno}"
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id.endswith("Error")
        and call.func.id.startswith(("Model", "Context", "Config"))
        and "hint" not in {keyword.arg for keyword in call.keywords}
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_errors_have_hints(file: Path) -> None:
    """None is made without one."""
    assert [] == without_hint(file.read_text(encoding="utf-8"))


def test_a_missing_hint_is_seen() -> None:
    """The look at the source finds one."""
    assert ["ModelError in line 1"] == without_hint('raise ModelError("down")')
