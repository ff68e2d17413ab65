"""What a user should never see: "unexpected" errors, tracebacks, claims that are not true."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interfaces.commands import run


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


def test_a_refresh_reads_what_is_indexed_and_no_more(docs: Path) -> None:
    """The doctor's cures use it: a file that came since, in the same folder, is left alone."""
    run("index", str(docs))
    (docs / "private.md").write_text("A diary.")
    (docs / "guide.md").write_text("Bread is baked at 240 degrees.")

    for options in ((), ("--rebuild",)):
        told = run("index", "--refresh", *options)
        assert "1 indexed; the index holds 1 documents" in told.stdout, told.output
    assert 2 == run("index", "--refresh", str(docs)).exit_code
