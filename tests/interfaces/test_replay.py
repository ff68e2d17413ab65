"""A run is written down as it was, and can be run again with something changed."""

import json
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from research_agent.interfaces.cli.process import lift
from research_agent.interfaces.events import read_event
from research_agent.types.events import Asked
from tests.interfaces.commands import (
    ANSWER,
    BAKED,
    GUIDE,
    Model,
    Waiting,
    in_a_process,
    made_index,
    printed,
    run,
    served,
)
from tests.loopback import Json, Live, Raw, server

KEY = "a-key-that-nobody-may-read"


@dataclass(frozen=True)
class Recorded:
    """A run that was recorded, and what it ran on."""

    config: str
    model: Waiting
    path: Path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """One run for all tests here: none of them changes its file."""
    folder = made_index(tmp_path_factory.mktemp("recorded"), {"guide.md": GUIDE})
    model = Waiting(waits=False)
    with pytest.MonkeyPatch.context() as patch, served(model, folder) as config:
        patch.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        patch.setenv("OPENAI_API_KEY", KEY)
        asked = run("ask", BAKED, "--config", config, "--trace", str(folder / "runs"))
        (path,) = (folder / "runs").iterdir()
        assert f"trace: {path}" in asked.stderr, asked.output
        yield Recorded(config, model, path)


@pytest.fixture
def model(recorded: Recorded) -> Iterator[Waiting]:
    """The model, which the test may change."""
    recorded.model.asked.clear()
    yield recorded.model
    recorded.model.answer = ANSWER


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_trace_holds_the_whole_run(recorded: Recorded) -> None:
    """Header, states, calls, vectors and events; for the owner alone, and without keys."""
    path = recorded.path
    found = lines(path)
    events = [line for line in found if line["line"] == "event"]
    calls = [line for line in found if line["line"] == "call"]

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert {"header", "event", "step", "call", "vector"} == {line["line"] for line in found}
    assert (1, BAKED, 1) == (
        found[0]["format"],
        found[0]["question"],
        found[0]["fingerprint"]["generation"],
    )
    assert ["answer", "verifier"] == [call["role"] for call in calls]
    assert all(call["messages"][-1][1] and call["reply"]["text"] for call in calls)
    steps = {line["step"]: line["wrote"] for line in found if line["line"] == "step"}
    assert steps["answer"]["answer"]["text"]
    assert "result" == events[-1]["event"]
    assert Asked(question=BAKED) == replace(read_event(events[0]), at=0.0)
    assert KEY not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "start", [(), ("--from", "assess"), ("--from", "search"), ("--from", "report")]
)
def test_nothing_changed_nothing_different(
    recorded: Recorded, model: Model, start: tuple[str, ...]
) -> None:
    """A replay, from any node, asks no model and comes to the same result."""
    again = run("replay", str(recorded.path), *start)

    assert "no difference\n" == again.stdout, again.output
    assert "model calls from the trace, 0 asked" in again.stderr
    assert [] == model.asked


def test_a_replay_warns_of_nothing(recorded: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's word on classes in its checkpoints is none for the user."""
    monkeypatch.delenv("LANGGRAPH_STRICT_MSGPACK")  # (as outside of tests)
    again = in_a_process("replay", str(recorded.path), "--from", "report", folder=Path())

    assert "replayed: 0 model calls from the trace, 0 asked\n" == again.stderr


def test_a_change_that_changes_no_prompt(recorded: Recorded) -> None:
    """No model is asked, and the difference is that of the results."""
    path = recorded.path
    change = ("--set", "answer.min_answerable=0.99")
    told = printed(run("replay", str(path), *change, "--json"))
    text = run("replay", str(path), *change).stdout

    assert (0, 2) == (told["asked_calls"], told["replayed_calls"])
    assert ["answered", "refused"] == told["difference"]["status"]
    assert "status: answered -> refused" in text
    assert "  - Bread is baked at 230 degrees [c1]." in text
    assert "  + not found in provided docs" in text


def test_a_changed_prompt_is_asked(recorded: Recorded, model: Model) -> None:
    """Only what the trace does not hold is asked, with `--live`; else it is an error."""
    model.answer = "It takes an hour [c1]."
    changed = ("replay", str(recorded.path), "--from", "search", "--set", "evidence.max_chunks=1")
    refused = run(*changed)
    text = run(*changed, "--live", "--config", recorded.config).stdout

    assert 1 == refused.exit_code
    assert "--live" in refused.stderr
    assert "a prompt to the answer model is not in the trace" in refused.stderr
    assert 2 == len(model.asked)
    assert "  + It takes an hour [c1]." in text
    assert "evidence:\n  - " in text


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--set", "filter.mode"), 2, "no value is given"),
        (("--set", "filter.moed=off"), 2, "Did you mean filter.mode?"),
        (("--set", "filter.mode=: ["), 2, "--set filter.mode is not YAML"),
        (("--from", "collect"), 2, "no such node"),
        (("--from", "search", "--round", "2"), 1, "did not run in round 2"),
        (("--index", "nowhere"), 1, "nowhere"),
    ],
)
def test_what_cannot_be_replayed(
    recorded: Recorded, options: tuple[str, ...], status: int, said: str
) -> None:
    """Wrong keys, nodes, rounds and indexes are named."""
    result = run("replay", str(recorded.path), *options)

    assert status == result.exit_code, result.output
    assert said in result.stderr


def test_what_cannot_be_read_or_written(recorded: Recorded, model: Model, tmp_path: Path) -> None:
    """A file that is no trace is refused; a folder that cannot be, before anything is asked."""
    path = tmp_path / "x.jsonl"
    for text in ("", "{}\n", "no json\n", "[]\n", '{"line": "header", "format": 99}\n'):
        path.write_text(text, encoding="utf-8")
        result = run("replay", str(path))
        assert 1 == result.exit_code
        assert "is no trace that can be replayed" in result.stderr
    asked = run("ask", BAKED, "--config", recorded.config, "--trace", str(path / "x"))

    assert 1 == asked.exit_code
    assert "no trace can be written" in asked.stderr
    assert [] == model.asked


def test_a_trace_of_another_version_is_refused(recorded: Recorded, tmp_path: Path) -> None:
    """Its result is kept differently: versions before 0.1.0 counted no supported sentences."""
    text = recorded.path.read_text(encoding="utf-8")
    (tmp_path / "old.jsonl").write_text(text.replace('"supported": 1, ', ""), encoding="utf-8")
    told = run("replay", str(tmp_path / "old.jsonl"))

    assert 1 == told.exit_code
    assert "another version recorded this trace" in told.stderr
    assert "ask --trace FOLDER" in told.stderr


def forged(recorded: Recorded, folder: Path, url: str) -> Path:
    """A stranger's trace, without replies: its settings name a server and a variable."""
    first, *rest = lines(recorded.path)
    role = {"provider": "openai", "model": "m", "base_url": url, "api_key_env": "CANARY_KEY"}
    models = first["settings"]["models"]
    models |= {"chat": role, "answer": role, "planner": role}
    first["settings"]["rerank"] |= {"mode": "http", "base_url": url, "api_key_env": "CANARY_KEY"}
    first["settings"]["blend"] |= {"mode": "words", "diagnostics": str(folder / "lines.jsonl")}
    kept = [line for line in rest if line["line"] != "call"]
    text = "".join(json.dumps(line) + "\n" for line in (first, *kept))
    (folder / "forged.jsonl").write_text(text, encoding="utf-8")
    return folder / "forged.jsonl"


@pytest.mark.parametrize("options", [(), ("--offline",), ("--live",)])
def test_a_traces_own_hosts_and_files_are_not_used(
    recorded: Recorded, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked without `--live`, and with it the user's models alone."""
    monkeypatch.setenv("CANARY_KEY", "canary")
    monkeypatch.setenv("RESEARCH_AGENT_MODELS__OFFLINE", "false")
    theirs = Model()
    with server(theirs.reply) as url:
        path = forged(recorded, tmp_path, url)
        config = ("--config", recorded.config) if options else ()
        result = run("replay", str(path), *options, *config)
        lift()

    assert [] == theirs.asked
    assert not (tmp_path / "lines.jsonl").exists()
    assert 0 != result.exit_code, result.output
    assert "the trace" in result.stderr or "rerank.base_url" in result.stderr


def test_a_trace_of_a_killed_run_can_be_read(
    recorded: Recorded, model: Waiting, tmp_path: Path
) -> None:
    """Lines are whole up to the kill, under a name that says that the run did not end.

    What is in the file when the model is asked is what a kill would leave.
    """
    folder, killed = tmp_path / "runs", tmp_path / "killed"

    def reply(request: Json) -> Json | Raw | Live:
        if not killed.exists():
            shutil.copytree(folder, killed)
        return model.reply(request)

    with server(reply) as url:
        models = f"models.chat.base_url={url}"
        run("ask", BAKED, "--config", recorded.config, "--set", models, "--trace", str(folder))
    (path,) = killed.iterdir()
    with path.open("ab") as file:
        file.write(b'{"line": "ev')
    live = ("--live", "--config", recorded.config)
    again = run("replay", str(path), "--from", "select_evidence", *live)

    assert path.name.endswith(".jsonl.part")
    assert 0 == again.exit_code, again.output
    assert "the recorded run had no result" in again.stderr
    assert "Bread is baked at 230 degrees [1]." in again.stdout
