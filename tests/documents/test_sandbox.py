"""A reader that survives whatever a parser does, and one that begins with the next file."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.documents.adapters.sandbox import EagerReader, SandboxedReader
from research_agent.errors import DocumentError

TARGET = "tests.documents.sandbox_targets:read"


@pytest.fixture
def reader() -> Iterator[SandboxedReader]:
    with SandboxedReader(TARGET, seconds=20, memory_mb=1024) as found:
        yield found


def child(reader: SandboxedReader) -> int:
    return reader.read("ok").blocks[0].page


def test_documents_come_over_whole(reader: SandboxedReader) -> None:
    """Every field arrives, whatever the characters; printing does no harm."""
    document = reader.read("caf\udce9 \U0001d465\n")

    assert "caf\udce9 \U0001d465\n" == document.blocks[0].text
    assert (("A",), "\ud800", ("w",), ("i",)) == (
        document.blocks[0].section, document.title, document.warnings, document.page_labels,
    )  # fmt: skip
    assert "" == reader.read("input").blocks[0].text


def test_one_child_reads_many_files(reader: SandboxedReader) -> None:
    """The child is kept over files and over errors, and is not this process."""
    first = child(reader)
    with pytest.raises(DocumentError, match="password") as caught:
        reader.read("refuse")

    assert "ask its author" == caught.value.hint
    assert first == child(reader)
    assert first != os.getpid()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("crash", r"the parser crashed \((SIGSEGV|exit status \d+)\)"),
        ("exit", r"the parser crashed \(exit status 3\)"),
        ("memory", "reading it takes more than 1024 MB of memory"),
        ("bug", "the parser failed: RecursionError: too deep"),
        ("missing", "cannot be read: No such file or directory"),
    ],
)
def test_failures_become_reasons(reader: SandboxedReader, path: str, reason: str) -> None:
    """A crash, too much memory and any exception cost one file only."""
    with pytest.raises(DocumentError, match=reason):
        reader.read(path)

    assert "after" == reader.read("after").blocks[0].text


def test_slow_files_are_given_up() -> None:
    """The time limit counts from the beginning, awaited or not; the next file gets a new child."""
    with EagerReader(SandboxedReader(TARGET, seconds=1, memory_mb=1024)) as eager:
        eager.begin("ok")
        time.sleep(2.5)
        assert "ok" == text(eager, "ok")
        start = time.perf_counter()
        eager.begin("sleep")
        with pytest.raises(DocumentError, match="took more than 1 s"):
            eager.read("sleep")

        assert time.perf_counter() - start < 10
        assert "after" == text(eager, "after")


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_child_ends_with_its_parent(tmp_path: Path) -> None:
    """A parent that is killed while its child reads leaves nothing behind."""
    program = tmp_path / "parent.py"
    program.write_text(
        "from research_agent.documents.adapters.sandbox import SandboxedReader\n"
        f"reader = SandboxedReader({TARGET!r}, seconds=60, memory_mb=1024)\n"
        "print(reader.read('ok').blocks[0].page, flush=True)\n"
        "reader.read('sleep')\n"
    )
    search = os.pathsep.join(entry for entry in sys.path if entry)
    with subprocess.Popen(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": search},
    ) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        assert is_running(process)
        parent.kill()
    deadline = time.perf_counter() + 10
    while is_running(process) and time.perf_counter() < deadline:
        time.sleep(0.05)

    assert not is_running(process)


@pytest.fixture
def eager() -> Iterator[EagerReader]:
    with EagerReader(SandboxedReader(TARGET, seconds=20, memory_mb=1024)) as found:
        yield found
    assert "reading ahead" not in {thread.name for thread in threading.enumerate()}


def text(eager: EagerReader, path: str) -> str:
    return eager.read(path).blocks[0].text


def test_what_was_begun_is_what_is_read(eager: EagerReader) -> None:
    """One file is begun at a time; it is given up at once where another one is asked for."""
    for number in range(3):
        eager.begin(f"file {number}")
        assert f"file {number}" == text(eager, f"file {number}")
    assert "not begun" == text(eager, "not begun")
    eager.begin("sleep")
    eager.begin("second")
    assert "other" == text(eager, "other")


@pytest.mark.parametrize(
    ("path", "reason"), [("crash", "the parser crashed"), ("refuse", "a password is needed")]
)
def test_errors_belong_to_their_file(eager: EagerReader, path: str, reason: str) -> None:
    """They are raised where the file is asked for, and the next file is read."""
    eager.begin(path)
    with pytest.raises(DocumentError, match=reason):
        eager.read(path)
    eager.begin("after")

    assert "after" == text(eager, "after")


def test_closing_ends_what_was_begun() -> None:
    """Nobody waits for a file that is not wanted any more; closing twice does nothing."""
    eager = EagerReader(SandboxedReader(TARGET, seconds=60, memory_mb=1024))
    eager.begin("sleep")
    start = time.perf_counter()
    eager.close()
    eager.close()

    assert time.perf_counter() - start < 15
    assert "again" == text(eager, "again")
    eager.close()
