"""Conversations that go wrong: broken sessions, errors, killed processes and Ctrl-C."""

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, StateGraph

from graphs.chat import ChatInput, ChatState, build_chat_graph
from graphs.checkpoints import sqlite_saver
from research_agent.errors import ModelUnavailableError
from tests.fakes import BYPASSING, PROMPTS, ScriptedChat, ports
from tests.interfaces.commands import (
    ANSWER,
    BAKED,
    SHOWN,
    Model,
    Waiting,
    begun,
    chat,
    in_sessions,
    served,
)
from tests.loopback import Raw

pytestmark = pytest.mark.usefixtures("indexed")
UNREADABLE = "error: the session default holds what this version cannot read"
OPEN = f"note: this question has no answer yet, /retry asks it again: {BAKED}"


@dataclass(frozen=True)
class Foreign:
    """What another program may have put into a session."""

    text: str = "x"


def test_sessions_that_cannot_be_read_are_refused_untouched(config: str, data_home: Path) -> None:
    """A newer format, a class that nobody knows here, and bytes that are no checkpoint."""
    chat(config, BAKED)
    in_sessions("update research_agent_sessions set format = 2")
    newer = chat(config, BAKED)
    in_sessions("update research_agent_sessions set format = 1")
    ((thread,),) = in_sessions("select thread from research_agent_sessions")
    with sqlite_saver(data_home / "sessions" / "sessions.sqlite3") as saver:
        graph = build_chat_graph(ports(ScriptedChat()), BYPASSING, PROMPTS, checkpointer=saver)
        given: Any = {"turns": [Foreign()]}
        graph.update_state({"configurable": {"thread_id": thread}}, given, as_node="ask")
    foreign = chat(config, BAKED)
    kept = in_sessions("select checkpoint from checkpoints")
    in_sessions("update checkpoints set checkpoint = x'c1c1', type = 'msgpack'")
    broken = chat(config, BAKED)

    assert [1, 1, 1] == [result.exit_code for result in (newer, foreign, broken)]
    assert "was written by a newer version (format 2, this one reads up to 1)" in newer.stderr
    assert UNREADABLE in foreign.stderr
    assert UNREADABLE in broken.stderr
    assert "hint: Begin another one: research-agent chat --session NAME" in broken.stderr
    assert 2 == len(kept)
    assert all(ANSWER.encode() in blob for (blob,) in kept)
    assert {(b"\xc1\xc1",)} == set(in_sessions("select checkpoint from checkpoints"))


def test_errors_leave_the_session_usable(config: str, model: Model) -> None:
    """A model that fails, a wrong command and a too long question are told; the next works."""
    model.error = Raw(500)
    said = ("/nothing", "x" * 5000, "/evidence", "/why", '/reject "c1', BAKED)
    failed = chat(config, *said)
    model.error = None
    again = chat(config, "/retry", "/evidence 9", "/retry", "/retry How hot?", "/help")

    assert (0, 0) == (failed.exit_code, again.exit_code)
    assert 6 == failed.stderr.count("error: ")
    assert "error: there is no command /nothing" in failed.stderr
    assert "error: the question has 5,000 characters" in failed.stderr
    assert 3 == again.stdout.count(SHOWN)
    assert "error: the last answer has no 9\nhint: It has 1." in again.stderr
    assert "/export FILE" in again.stdout


def test_limits_hold_for_a_question_that_waits(config: str, model: Model) -> None:
    """It stays open where they are set meanwhile, and is asked within them."""
    model.error = Raw(500)
    chat(config, BAKED, "/docs guide")
    model.error = None
    again = chat(config, "/retry", "/why")

    assert OPEN in again.stderr
    assert again.stdout.startswith(SHOWN)
    assert "\nlimited to: documents guide\n" in again.stdout


def test_turn_that_an_older_version_left_begins_anew(
    config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its graph had other nodes; the question is kept, and asked again."""

    def older(*_: object, checkpointer: Any, **__: object) -> Any:  # noqa: ANN401 (a graph)
        def understand(state: ChatState) -> dict[str, object]:
            raise ModelUnavailableError(f"down for {state.said}")

        graph = StateGraph(ChatState, input_schema=ChatInput)
        graph.add_node("understand", understand)
        graph.add_edge(START, "understand")
        return graph.compile(checkpointer=checkpointer)

    with monkeypatch.context() as patch:
        patch.setattr("graphs.chat.build_chat_graph", older)
        failed = chat(config, BAKED)
    again = chat(config, "/retry", "/history")

    assert "error: down" in failed.stderr
    assert OPEN in again.stderr
    assert again.stdout.startswith(SHOWN)
    assert 1 == again.stdout.count(f"1. {BAKED}")


def asked(process: subprocess.Popen[str], model: Waiting) -> None:
    """Ask `chat` in its process, and wait until its model is asked."""
    assert process.stdin
    model.reached.clear()
    model.waits = True
    process.stdin.write(f"{BAKED}\n")
    process.stdin.flush()
    assert model.reached.wait(60)
    model.waits = False


def test_stopped_in_a_turn_killed_in_another_and_resumed(tmp_path: Path) -> None:
    """Ctrl-C stops the answer, its usage is told, and the next question is answered.

    After SIGKILL the question is still known, the lock is free, and /retry answers it.
    """
    model = Waiting()
    with served(model, tmp_path) as config:
        with begun("chat", "--config", config, "-v") as process:
            assert process.stdin
            assert process.stdout
            asked(process, model)
            process.send_signal(signal.SIGINT)
            process.stdin.write(f"{BAKED}\n")
            process.stdin.flush()
            answered = process.stdout.readline()
            asked(process, model)
            second = chat(config)
            process.kill()
            _, told = process.communicate()
        resumed = chat(config, "/retry", "/history")

    assert f"{SHOWN}\n" == answered
    assert "stopped after" in told
    assert "model calls" in told
    assert 1 == second.exit_code
    assert f"error: the session default is open in process {process.pid} on " in second.stderr
    assert OPEN in resumed.stderr
    assert resumed.stdout.startswith(SHOWN)
    assert 2 == resumed.stdout.count(f". {BAKED}")
