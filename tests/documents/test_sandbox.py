"""A reader that survives whatever a parser does."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.documents.adapters.sandbox import SandboxedReader
from research_agent.errors import DocumentError

TARGET = "tests.documents.sandbox_targets:read"


@pytest.fixture(scope="module")
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
    """The time limit is kept, and the next file gets a new child."""
    with SandboxedReader(TARGET, seconds=0.5, memory_mb=1024) as slow:
        start = time.perf_counter()
        with pytest.raises(DocumentError, match=r"took more than 0\.5 s"):
            slow.read("sleep")

        assert time.perf_counter() - start < 10
        assert "after" == slow.read("after").blocks[0].text


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
