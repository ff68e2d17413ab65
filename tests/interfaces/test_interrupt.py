"""Ctrl-C once ends the question and tells what it cost; twice it ends the program."""

import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import click
import pytest

from research_agent.interfaces.cli.process import ended_by_ctrl_c, told
from research_agent.stopping import Stop
from tests.interfaces.commands import BAKED, Waiting, begun, served

STUCK = """
import time
from research_agent.interfaces.cli.process import ended_by_ctrl_c
from research_agent.stopping import Stop

with ended_by_ctrl_c(Stop()):
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.usefixtures("indexed")
def test_once_ends_the_question(tmp_path: Path) -> None:
    """The model call is dropped, usage is told, and the status is 130."""
    model, asked = Waiting(), ("ask", BAKED, "--events")
    with served(model, tmp_path) as config, begun(*asked, "--config", config) as process:
        assert model.reached.wait(60)
        process.send_signal(signal.SIGINT)
        out, shown = process.communicate(timeout=30)

    assert model.left.is_set()
    assert 130 == process.returncode, shown
    assert "stopping; Ctrl-C again ends at once" in shown
    assert "0 model calls, 0 tokens read" in shown
    assert '"event": "stopped"' in out.splitlines()[-1]
    assert '"reason": "cancelled"' in out.splitlines()[-1]


def test_leaving_at_a_prompt_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C and Ctrl-D, where a command asks for a question."""

    def asking() -> int:
        raise click.Abort

    with pytest.raises(SystemExit, match="130"):
        told(asking)()
    assert "interrupted\n" == capsys.readouterr().err


def test_twice_ends_the_program() -> None:
    """Whatever it waits for."""
    with subprocess.Popen(
        [sys.executable, "-c", STUCK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        assert "ready\n" == process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert "\n" == process.stderr.readline()
        assert "stopping; Ctrl-C again ends at once\n" == process.stderr.readline()
        process.send_signal(signal.SIGINT)

        assert 130 == process.wait(10)


def test_the_handler_ends_the_stop_and_is_put_back(capfd: pytest.CaptureFixture[str]) -> None:
    """The question is ended from a thread of its own; after the block Ctrl-C is what it was."""
    before = signal.getsignal(signal.SIGINT)
    stop, woken = Stop(), Event()
    with ended_by_ctrl_c(stop), stop.waking(woken.set):
        assert before is not signal.getsignal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert woken.wait(10)

    assert stop.ended
    assert "stopping" in capfd.readouterr().err
    assert before is signal.getsignal(signal.SIGINT)
