"""Ctrl-C, a full disk, closed files: a program ends in order, and says what was wrong."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import click
import pytest

from research_agent.interfaces.cli.main import main
from research_agent.interfaces.cli.process import ended_by_ctrl_c, exits
from research_agent.stopping import Stop
from tests.interfaces.commands import BAKED, Waiting, served

STUCK = """
import time
from research_agent.interfaces.cli.process import ended_by_ctrl_c
from research_agent.stopping import Stop

with ended_by_ctrl_c(Stop()):
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.usefixtures("indexed")
def test_once_ends_the_question(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The model call is dropped, usage is told, and the status is 130."""
    model = Waiting()

    def press() -> None:
        assert model.reached.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    with served(model, tmp_path) as config:
        pressing = Thread(target=press)
        pressing.start()
        with pytest.raises(SystemExit, match="130"):
            main(["ask", BAKED, "--events", "--config", config])
        pressing.join()

    out, shown = capfd.readouterr()
    assert model.left.is_set()
    assert "stopping; Ctrl-C again ends at once" in shown
    assert "0 model calls, 0 tokens read" in shown
    assert '"event": "stopped"' in out.splitlines()[-1]
    assert '"reason": "cancelled"' in out.splitlines()[-1]


def test_leaving_at_a_prompt_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C and Ctrl-D, where a command asks for a question."""

    def asking() -> int:
        raise click.Abort

    with pytest.raises(SystemExit, match="130"):
        exits(asking)()
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


def program(*arguments: str, **options: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "research_agent", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)  # type: ignore[call-overload, no-any-return]


def full_disk(_: Path) -> "subprocess.CompletedProcess[str]":
    with open("/dev/full", "w") as full:  # noqa: PTH123 (a device)
        return program("index", "--list", stdout=full)


def gone_folder(folder: Path) -> "subprocess.CompletedProcess[str]":
    place = folder / "gone"
    place.mkdir()
    return program("index", ".", cwd=place, preexec_fn=place.rmdir)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full and folders that can go")
@pytest.mark.parametrize(
    ("place", "told"),
    [
        (full_disk, "error: No space left on device"),
        (gone_folder, "error: No such file or directory"),
    ],
)
def test_the_machine_is_at_fault(
    place: Callable[[Path], "subprocess.CompletedProcess[str]"], told: str, tmp_path: Path
) -> None:
    """Of a process: a full disk behind stdout, a folder that was deleted."""
    result = place(tmp_path)

    assert 1 == result.returncode
    assert told in result.stderr
    assert "unexpected" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="its processes begin otherwise")
def test_closed_standard_files_are_no_files_of_ours() -> None:
    """With stderr closed its number goes to nothing that is opened later."""
    code = (
        "import os; os.close(2); os.close(1); "
        "import research_agent.interfaces.cli.main as m; "
        "m.main = lambda: os._exit(0 if os.readlink('/proc/self/fd/2') == os.devnull else 9); "
        "from research_agent.interfaces.cli.entry import run; run()"
    )

    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


HOLD = """
import sys

class Telling:
    def find_spec(self, name, *_):
        if name == "research_agent.interfaces.cli.main":
            print(1, flush=True)

sys.meta_path.insert(0, Telling())
from research_agent.interfaces.cli.entry import run
run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_ctrl_c_at_once_is_no_traceback() -> None:
    """While our modules are imported, which takes longer than a person does."""
    for delay in (0.0, 0.05, 0.1):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, "--help"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        process.stdout.read(1)
        time.sleep(delay)
        os.kill(process.pid, signal.SIGINT)
        assert "Traceback" not in process.communicate(timeout=20)[1]
