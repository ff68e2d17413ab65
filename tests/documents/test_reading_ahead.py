"""A reader that begins with the next file: same documents, same errors, nothing left behind."""

import threading
import time
from collections.abc import Iterator

import pytest

from research_agent.documents.adapters.sandbox import EagerReader, SandboxedReader
from research_agent.errors import DocumentError

TARGET = "tests.types.sandbox_targets:read"


@pytest.fixture
def reader() -> Iterator[EagerReader]:
    with EagerReader(SandboxedReader(TARGET, seconds=20, memory_mb=1024)) as found:
        yield found
    assert "reading ahead" not in {thread.name for thread in threading.enumerate()}


def text(reader: EagerReader, path: str) -> str:
    return reader.read(path).blocks[0].text


def test_what_was_begun_is_what_is_read(reader: EagerReader) -> None:
    """Document after document comes in the order they are asked for."""
    for number in range(3):
        reader.begin(f"file {number}")
        assert f"file {number}" == text(reader, f"file {number}")
    assert "not begun" == text(reader, "not begun")


def test_one_file_is_begun_at_a_time(reader: EagerReader) -> None:
    """A second one waits until it is asked for: only one document is held."""
    reader.begin("first")
    before = threading.active_count()
    reader.begin("second")

    assert before >= threading.active_count()
    assert ["first", "second"] == [text(reader, "first"), text(reader, "second")]


def test_another_file_than_begun(reader: EagerReader) -> None:
    """What was begun is given up at once, even while it hangs."""
    reader.begin("sleep")
    start = time.perf_counter()

    assert "other" == text(reader, "other")
    assert time.perf_counter() - start < 15


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("crash", "the parser crashed"),
        ("memory", "more than 1024 MB of memory"),
        ("refuse", "a password is needed"),
        ("bug", "RecursionError: too deep"),
    ],
)
def test_errors_belong_to_their_file(reader: EagerReader, path: str, reason: str) -> None:
    """They are raised where the file is asked for, and the next file is read."""
    reader.begin(path)
    with pytest.raises(DocumentError, match=reason):
        reader.read(path)
    reader.begin("after")

    assert "after" == text(reader, "after")


def test_time_counts_from_the_beginning() -> None:
    """A slow file is given up although nobody waits for it yet; a whole one waits as long."""
    with EagerReader(SandboxedReader(TARGET, seconds=1, memory_mb=1024)) as reader:
        reader.begin("ok")
        time.sleep(2.5)
        assert "ok" == text(reader, "ok")
        reader.begin("sleep")
        with pytest.raises(DocumentError, match="took more than 1 s"):
            reader.read("sleep")


def test_closing_ends_what_was_begun() -> None:
    """Nobody waits for a file that is not wanted any more; closing twice does nothing."""
    reader = EagerReader(SandboxedReader(TARGET, seconds=60, memory_mb=1024))
    reader.begin("sleep")
    start = time.perf_counter()
    reader.close()
    reader.close()

    assert time.perf_counter() - start < 15
    assert "again" == text(reader, "again")
    reader.close()
