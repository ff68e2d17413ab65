"""Every error about a model server says what to do."""

import ast
from pathlib import Path

from research_agent.models import adapters


def without_hint(source: str) -> list[str]:
    """Return the errors of ours that are made without a hint."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = {call: ast.unparse(call.func).removeprefix("errors.") for call in calls}
    return [
        f"{name} in line {call.lineno}"
        for call, name in names.items()
        if name.endswith("Error")
        and name.startswith(("Model", "Context", "Config", "Path", "Replay"))
        and "hint" not in {keyword.arg for keyword in call.keywords}
    ]


def test_errors_have_hints() -> None:
    """None is made without one; the look at the source finds one that is missing."""
    files = sorted(Path(adapters.__file__).parent.rglob("*.py"))

    assert len(files) > 20
    assert {} == {file.name: found for file in files if (found := without_hint(file.read_text()))}
    assert ["ModelError in line 1"] == without_hint('raise ModelError("down")')
