"""A project file is a stranger's until it is trusted: it says how to work, not whom to ask."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from research_agent.config import configured
from research_agent.errors import ConfigError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.setting_fields import lines
from research_agent.settings import Settings
from research_agent.trust import GUARDED
from tests.interfaces.commands import BAKED, Model, run
from tests.loopback import Raw, error_reply, rerank_server, server

FILE = "research-agent.yaml"
SECRET = "AWS_SECRET_ACCESS_KEY"  # noqa: S105 (a variable's name)


@pytest.fixture
def folder(indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's folder, entered by somebody with an index of their own and a key."""
    assert indexed.is_dir()
    monkeypatch.setenv(SECRET, "aws-canary")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    (tmp_path / "cloned").mkdir()
    monkeypatch.chdir(tmp_path / "cloned")
    return tmp_path / "cloned"


def write(folder: Path, settings: Mapping[str, object]) -> Path:
    file = folder / FILE
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def test_nothing_is_sent_to_a_strangers_servers(folder: Path) -> None:
    """Neither questions nor chunks nor the variable that the file names, at any door."""
    asked: list[object] = []

    def script(given: object) -> Raw:
        asked.append(given)
        return error_reply(500, "no")

    with server(script) as url, rerank_server(lambda _: {"results": []}) as (ranker, log):
        role = {"provider": "openai", "model": "m", "base_url": url}
        rerank = {"mode": "http", "base_url": ranker, "api_key_env": SECRET}
        file = write(folder, {"models": {"chat": role}, "rerank": rerank})
        commands = (("search", "rye"), ("ask", "At how many degrees?"), ("chat",), ("index", ".."))
        results = [run(*command) for command in commands]
        doctor = run("doctor", "--no-models").stdout
        with pytest.raises(ConfigError, match=r"models\.chat\.base_url"):
            ResearchAgent.open()

    assert [(2, "")] * 4 == [(result.exit_code, result.stdout) for result in results]
    assert ([], []) == (asked, log)
    keys = ("models.chat.base_url", "rerank.base_url", "rerank.api_key_env")
    for named in (str(file), *keys, "research-agent config trust"):
        assert named in results[0].stderr
        assert named.removeprefix(f"{folder}/") in doctor


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"blend": {"mode": "words", "diagnostics": "../.bashrc"}}, "blend.diagnostics"),
        ({"models": {"local": {"path": "evil.gguf"}}}, "models.local.path"),
        ({"models": {"chat": {"provider": "openai"}}}, "models.chat.provider"),
        ({"models": {"planner": {"api_key_env": SECRET}}}, "models.planner.api_key_env"),
        ({"models": {"embedding": {"base_url": "http://[::1]/"}}}, "models.embedding.base_url"),
        ({"models": {"chat": {"model": "arn:aws:bedrock:x"}}}, "models.chat.model"),
        ({"sessions": {"path": "/srv/shared"}}, "sessions.path"),
        ({"sessions": {"postgres_env": SECRET}}, "sessions.postgres_env"),
        ({"sessions": {"retention_days": 0.001}}, "sessions.retention_days"),
    ],
)
def test_what_a_stranger_may_not_set(
    folder: Path, settings: Mapping[str, object], key: str
) -> None:
    """Addresses, models, variables of keys, paths, PostgreSQL, and how soon sessions go."""
    file = write(folder, settings)
    with pytest.raises(ConfigError) as caught:
        configured(None, os.environ)

    assert key in str(caught.value)
    assert str(file) in str(caught.value)
    assert "research-agent config trust" in caught.value.hint


def test_every_setting_of_free_text_is_guarded() -> None:
    """A setting that is added later is thought of: free text names files, hosts or variables."""
    free = {key for key, value in lines(Settings()) if value == ""}
    free |= {f"models.{role}.{key}" for role in ("chat", "embedding") for key in ("provider",)}

    assert free <= GUARDED
    assert GUARDED <= {key for key, _ in lines(Settings())}


def test_harmless_settings_need_no_trust(folder: Path) -> None:
    """How to search and how to answer, a preset; guarded keys too where they change nothing."""
    rerank, models = {"mode": "promote", "base_url": ""}, {"chat": {"provider": "local"}}
    models |= {"offline": True}  # type: ignore[dict-item]  # (JSON)
    sessions = {"retention_days": 0}  # (as earlier versions wrote null)
    given = {"retrieval": {"top_k": 31}, "rerank": rerank, "models": models, "sessions": sessions}
    write(folder, {"preset": "full", **given})
    found = configured(None, os.environ).settings

    assert (31, "promote", "full") == (found.retrieval.top_k, found.rerank.mode, found.laid.name)
    assert found.models.offline
    assert 0 == run("search", "rye bread").exit_code


def test_trusted_once_it_works_until_it_changes(folder: Path) -> None:
    """By what stands in it: another text is another file; and trust can be taken back."""
    with server(Model().reply) as url:
        role = {"provider": "openai", "model": "scripted", "base_url": url}
        file = write(folder, {"models": {"chat": role}})
        told = run("config", "trust")
        asked = run("ask", BAKED)
        with ResearchAgent.open() as agent:
            assert agent.search("rye").hits
        again = write(folder, {"models": {"chat": role | {"api_key_env": SECRET}}})
        changed = run("ask", BAKED)
    write(folder, {"models": {"chat": role}})
    forgot = run("config", "trust", "--forget")

    assert (0, 0, 2, 0) == tuple(r.exit_code for r in (told, asked, changed, forgot))
    assert f"models.chat.base_url: '{url}'" in told.stdout
    assert asked.stdout.startswith("Bread is baked at 230 degrees")
    assert "changed since it was trusted" in changed.stderr
    assert again == file
    assert 2 == run("search", "rye").exit_code


def test_trust_is_of_one_place(folder: Path, data_home: Path) -> None:
    """A copy of a trusted file, with its relative paths, is another file; the store is private."""
    write(folder, {"blend": {"diagnostics": "lines.jsonl"}})
    assert 0 == run("config", "trust").exit_code
    other = folder / "other"
    other.mkdir()
    write(other, {"blend": {"diagnostics": "lines.jsonl"}})
    os.chdir(other)

    assert 2 == run("search", "rye").exit_code
    assert 0o600 == (data_home / "trusted.json").stat().st_mode & 0o777


def test_own_file_is_below_the_projects(folder: Path, data_home: Path) -> None:
    """The user's own file may set everything; a project cannot turn its addresses."""
    own = {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    write(data_home, {"models": {"chat": own, "offline": True}, "retrieval": {"top_k": 40}})
    write(folder, {"retrieval": {"rrf_k": 9}})
    found = configured(None, os.environ)

    assert (40, 9) == (found.settings.retrieval.top_k, found.settings.retrieval.rrf_k)
    assert "http://127.0.0.1:9/v1" == found.settings.models.chat.base_url
    assert [str(data_home / FILE), str(folder / FILE)] == [str(file) for file in found.files]
    for turned in ({"chat": {"base_url": ""}}, {"offline": False}, {"offline": "no"}):
        write(folder, {"models": turned})
        with pytest.raises(ConfigError, match="is not trusted"):
            configured(None, os.environ)


def test_named_files_are_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever names a file, or sets a variable, has decided; no other file is read then."""
    file = write(folder, {"models": {"local": {"path": "mine.gguf"}}})

    assert "mine.gguf" == configured(str(file), os.environ).settings.models.local.path
    monkeypatch.setenv("RESEARCH_AGENT_CONFIG", str(file))
    assert "mine.gguf" == configured(None, os.environ).settings.models.local.path
    given = {"RESEARCH_AGENT_MODELS__LOCAL__PATH": "other.gguf", "RESEARCH_AGENT_HOME": "h"}
    file.unlink()
    assert "other.gguf" == configured(None, given).settings.models.local.path


def test_files_and_hosts_outside_are_told_once(folder: Path) -> None:
    """On stderr: which file was read, and who outside this machine is asked for what."""
    quiet = run("search", "rye")
    outside = {"model": "n", "base_url": "https://models.example/v1"}
    chat = {"provider": "openai", "model": "m"}
    file = write(folder, {"models": {"chat": chat, "filter": outside}})
    assert 0 == run("config", "trust").exit_code
    told = run("index", "--dry-run", "..")

    assert "settings:" not in quiet.stderr + told.stdout
    assert 1 == told.stderr.count(f"settings: {file}")
    assert "outside this machine: api.openai.com (answer, planner, verifier)" in told.stderr
    assert "models.example (filter)" in told.stderr


NOTICED = """
import os, sys

def watch(event, arguments):
    if event == "open" and os.path.basename(str(arguments[0])) == ".env":
        os._exit(99)

sys.addaudithook(watch)
from pathlib import Path
from research_agent.index.adapters.vectors import chroma
from research_agent.interfaces.cli.main import main

chroma.sync(Path("v"), 1, {"a#0": "d"}, lambda _: [[1.0]])
main(["search", "rye bread"])
"""


def test_dot_env_is_not_read(folder: Path) -> None:
    """Neither by us nor by Chroma, which it would tell to send all vectors to a server."""
    told = {
        "RESEARCH_AGENT_RETRIEVAL__TOP_K": "77",
        "CHROMA_API_IMPL": "chromadb.api.fastapi.FastAPI",
        "CHROMA_SERVER_HOST": "192.0.2.1",
        "CHROMA_SERVER_HTTP_PORT": "no port",
    }
    text = "".join(f"{name}={value}\n" for name, value in told.items())
    (folder / ".env").write_text(text, encoding="utf-8")
    program = [sys.executable, "-c", NOTICED]
    done = subprocess.run(program, cwd=folder, capture_output=True, check=False, text=True)

    assert "\n  top_k: 30\n" in run("config", "show").stdout
    assert 0 == done.returncode, done.stderr
    assert "Rye bread" in done.stdout
