"""Conversations that go wrong: broken sessions, errors, killed processes and Ctrl-C."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, StateGraph

from graphs.chat import build_chat_graph
from graphs.chat_state import ChatInput, ChatState
from graphs.checkpoints import sqlite_saver
from research_agent.errors import ModelUnavailableError
from tests.fakes import BYPASSING, PROMPTS, ScriptedChat, ports
from tests.interfaces.commands import Model, chat, guide_folder, served
from tests.interfaces.test_chat import ANSWER, QUESTION
from tests.loopback import Json, Raw, server, text_reply

pytestmark = pytest.mark.usefixtures("data_home")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return guide_folder(tmp_path)


def test_newer_and_unreadable_sessions_are_refused_untouched(docs: Path, tmp_path: Path) -> None:
    """A newer format and a thread that cannot be read are told; nothing of them changes."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, docs=docs)
        file = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions" / "sessions.sqlite3"
        with closing(sqlite3.connect(file)) as database:
            database.execute("update research_agent_sessions set format = 2")
            database.commit()
        newer = chat(config, QUESTION, docs=docs)
        with closing(sqlite3.connect(file)) as database:
            database.execute("update research_agent_sessions set format = 1")
            database.execute("update checkpoints set checkpoint = x'c1c1', type = 'msgpack'")
            database.commit()
        broken = chat(config, QUESTION, docs=docs)
        with closing(sqlite3.connect(file)) as database:
            left = database.execute("select checkpoint from checkpoints").fetchall()

    assert 1 == newer.exit_code
    assert "was written by a newer version (format 2, this one reads up to 1)" in newer.stderr
    assert 1 == broken.exit_code
    assert "error: the session default holds what this version cannot read" in broken.stderr
    assert "hint: Begin another one: research-agent chat --session NAME" in broken.stderr
    assert [(b"\xc1\xc1",)] == left


@dataclass(frozen=True)
class Foreign:
    """What another program may have put into a session."""

    text: str = "x"


def test_unknown_type_is_told_and_nothing_is_lost(docs: Path, tmp_path: Path) -> None:
    """A value of a class that nobody knows here is no turn; the others are still in the file."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, docs=docs)
        file = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions" / "sessions.sqlite3"
        with closing(sqlite3.connect(file)) as database:
            (thread,) = database.execute("select thread from research_agent_sessions").fetchone()
        with sqlite_saver(file) as saver:
            graph = build_chat_graph(ports(ScriptedChat()), BYPASSING, PROMPTS, checkpointer=saver)
            given: Any = {"turns": [Foreign()]}
            graph.update_state({"configurable": {"thread_id": thread}}, given, as_node="ask")
        result = chat(config, QUESTION, docs=docs)
        with closing(sqlite3.connect(file)) as database:
            kept = database.execute("select checkpoint from checkpoints").fetchall()

    assert 1 == result.exit_code
    assert "error: the session default holds what this version cannot read" in result.stderr
    assert 2 == len(kept)
    assert all(ANSWER.encode() in blob for (blob,) in kept)


def test_errors_leave_the_session_usable(docs: Path, tmp_path: Path) -> None:
    """A model that fails, a wrong command and a too long question are told; the next works."""
    model = Model(error=Raw(500))
    with server(model.reply) as url:
        config = tmp_path / "c.yaml"
        chosen = {"provider": "openai", "model": "scripted", "base_url": url}
        models = {"chat": chosen}
        config.write_text(json.dumps({"models": models}), encoding="utf-8")
        failed = chat(str(config), QUESTION, "/nothing", "x" * 5000, "/evidence", docs=docs)
        model.error = None
        again = chat(str(config), "/retry", docs=docs)

    assert 0 == failed.exit_code
    assert 4 == failed.stderr.count("error: ")
    assert "error: there is no command /nothing" in failed.stderr
    assert "error: the question has 5,000 characters" in failed.stderr
    assert f"note: this question has no answer yet, /retry asks it again: {QUESTION}" not in (
        again.stderr
    )


def test_turn_that_an_older_version_left_begins_anew(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its graph had other nodes; the question is kept, and asked again."""

    def older(*_: object, checkpointer: Any, **__: object) -> Any:  # noqa: ANN401 (a graph)
        def understand(state: ChatState) -> dict[str, object]:
            raise ModelUnavailableError(f"down for {state.said}")

        graph = StateGraph(ChatState, input_schema=ChatInput)
        graph.add_node("understand", understand)
        graph.add_edge(START, "understand")
        return graph.compile(checkpointer=checkpointer)

    with served(Model(), tmp_path) as config:
        with monkeypatch.context() as patch:
            patch.setattr("graphs.chat.build_chat_graph", older)
            failed = chat(config, QUESTION, docs=docs)
        again = chat(config, "/retry", "/history", docs=docs)

    assert "error: down" in failed.stderr
    assert f"note: this question has no answer yet, /retry asks it again: {QUESTION}" in (
        again.stderr
    )
    assert again.stdout.startswith(ANSWER)
    assert 1 == again.stdout.count(f"1. {QUESTION}")


class Slow:
    """A model whose first answer comes late."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.answers = seconds, 0

    def reply(self, request: Json) -> Json | Raw:
        if "response_format" in request or request["max_tokens"] == 1:
            return Model().reply(request)
        self.answers += 1
        if self.answers == 1:
            time.sleep(self.seconds)
        return text_reply(ANSWER)


def started(config: Path, docs: Path) -> subprocess.Popen[str]:
    """Start `chat` in a process of its own, asked and about to be answered."""
    command = [
        sys.executable,
        "-m",
        "research_agent.interfaces.cli.main",
        "chat",
        "--docs",
        str(docs),
    ]
    process = subprocess.Popen(
        [*command, "--config", str(config)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stderr
    process.stdin.write(f"{QUESTION}\n")
    process.stdin.flush()
    told = []
    for line in process.stderr:
        told.append(line)
        if line.startswith("select_evidence"):
            return process
    raise AssertionError("".join(told))


def slow_config(url: str, folder: Path) -> Path:
    config = folder / "slow.yaml"
    chosen = {"provider": "openai", "model": "scripted", "base_url": url}
    config.write_text(json.dumps({"preset": "local", "models": {"chat": chosen}}), encoding="utf-8")
    return config


def test_killed_in_a_turn_and_resumed(docs: Path, tmp_path: Path) -> None:
    """After SIGKILL the question is still known, the lock is free, and /retry answers it."""
    model = Slow(3.0)
    with server(model.reply) as url:
        config = slow_config(url, tmp_path)
        with started(config, docs) as process:
            second = chat(str(config), docs=docs)
            process.kill()
        resumed = chat(str(config), "/retry", "/history", docs=docs)

    assert 1 == second.exit_code
    assert f"error: the session default is open in process {process.pid} on " in second.stderr
    assert f"note: this question has no answer yet, /retry asks it again: {QUESTION}" in (
        resumed.stderr
    )
    assert resumed.stdout.startswith(ANSWER)
    assert 1 == resumed.stdout.count(f"1. {QUESTION}")


def test_ctrl_c_stops_the_turn_and_twice_leaves(docs: Path, tmp_path: Path) -> None:
    """Once: the answer is stopped, its usage told, the next question answered. Twice: 130."""
    model = Slow(3.0)
    with server(model.reply) as url:
        config = slow_config(url, tmp_path)
        with started(config, docs) as process:
            process.send_signal(signal.SIGINT)
            out, told = process.communicate(f"{QUESTION}\n/quit\n", timeout=60)
        once = process.returncode
        model.answers = 0
        with started(config, docs) as process:
            process.send_signal(signal.SIGINT)
            assert process.stderr
            assert any(line.startswith("stopping") for line in process.stderr)
            process.send_signal(signal.SIGINT)  # (two that are not yet handled would be one)
            process.communicate(timeout=60)

    assert 0 == once
    assert "stopped after" in told
    assert "model calls" in told
    assert out.startswith(ANSWER)
    assert 130 == process.returncode
