"""The documentation builds as a site, its links lead somewhere, its commands and code are real."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from research_agent import ResearchAgent
from research_agent.interfaces.cli.main import main
from tests.fakes import BYPASSING, GOOD, PROMPTS, ScriptedChat, ports, says
from tests.needed import needed_package

PAGES = sorted([*Path("docs").glob("*.md"), Path("README.md"), Path("CONTRIBUTING.md")])
"""Not the decision records, which tell what was there."""


def test_site_builds_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    """Sphinx checks links between pages and that each page is reached from the index."""
    for package in ("sphinx", "furo", "myst_parser"):
        needed_package(package, "docs")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "docs", str(tmp_path)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    assert (tmp_path / "tutorial.html").exists()
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|link)[^>]*\s(?:src|href)=\"(https?:[^\"]*)\"", text)
        assert [] == loaded, page


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_named_files_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:docs|examples|graphs|research_agent|tests|benchmarks)/[\w./-]+\.\w+)`", text
    )
    assert [] == [path for path in named if not Path(path).exists()]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_are_accepted(page: Path) -> None:
    """Every `research-agent` line of a page names a command and flags that are there."""
    text = page.read_text(encoding="utf-8")
    for line in re.findall(r"^ {4}research-agent (.*)$", text, re.MULTILINE):
        words = shlex.split(line.split(" #")[0].replace("…", "x"), comments=True)
        command: click.Command = main
        while isinstance(command, click.Group):
            _, found, words = command.resolve_command(click.Context(command), words)
            assert found is not None
            command = found
        flags = {flag for parameter in command.params for flag in parameter.opts}
        used = {word.split("=")[0] for word in words if word.startswith("--")}
        assert set() == used - flags - {"--help"}, line


def test_code_of_the_tutorial(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its Python blocks run as they are, over an index of three chunks."""

    def opened(_: str = "default") -> ResearchAgent:
        return ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, PROMPTS)

    monkeypatch.setattr(ResearchAgent, "open", opened)
    names: dict[str, Any] = {}
    page = Path("docs/tutorial.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)  # noqa: S102 (it is our own documentation)
    assert GOOD in capsys.readouterr().out
