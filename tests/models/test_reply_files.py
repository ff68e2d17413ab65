"""Kept replies on disk: bounded, shared, private, and begun anew where the file is damaged."""

import json
import math
import os
import sqlite3
import stat
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.ports import KeptReply
from research_agent.types import Alternative, Completion, ModelCall, Token, WrittenCall
from tests.indexing import change

KEPT = KeptReply(
    Completion(
        "Größe \ud800 1184",
        ModelCall("answer", 10, 2, model="m", seconds=1.5, price=0.25),
        (WrittenCall("search", '{"q": 1}'),),
        (Token("Gr", -math.inf, (Alternative("Gr", -0.5),)),),
        "length",
    ),
    2.5,
)
WRITER = """
import sys
from pathlib import Path
from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.ports import KeptReply
from research_agent.types import Completion, ModelCall

with SqliteReplies(Path(sys.argv[1]), max_mb=10, max_days=1) as replies:
    for index in range(40):
        kept = KeptReply(Completion(f"{sys.argv[2]} {index}", ModelCall("answer")), float(index))
        replies.put(f"{sys.argv[2]}{index}", kept)
        if replies.get(f"{sys.argv[2]}{index}") != kept:
            sys.exit("a reply was lost")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "replies.sqlite3"


@pytest.fixture
def days(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock, in days."""
    day = [100.0]
    monkeypatch.setattr("time.time", lambda: day[0] * 86_400)
    return day


@pytest.fixture
def replies(path: Path, days: list[float]) -> Iterator[SqliteReplies]:
    _ = days
    with SqliteReplies(path, max_mb=1, max_days=30) as opened:
        yield opened


def random_reply(size: int) -> KeptReply:
    """Return a reply that hardly shrinks when it is compressed."""
    return KeptReply(Completion(os.urandom(size).hex(), ModelCall("answer")), 1.0)


def test_reply_comes_back_as_it_was(replies: SqliteReplies, path: Path) -> None:
    """All of it, also for another process; what was never kept does not."""
    assert replies.get("a") is None
    replies.put("a", KEPT)
    replies.put("b", random_reply(10))

    with SqliteReplies(path, max_mb=1, max_days=30) as other:
        assert KEPT == other.get("a") == replies.get("a")
        assert other.get("c") is None


def test_nothing_is_opened_before_the_first_call(path: Path, replies: SqliteReplies) -> None:
    """Commands that ask no model make no file; a closed one is opened again.

    A file that others may read is closed to them: replies hold what documents say.
    """
    assert not path.parent.exists()
    path.parent.mkdir()
    path.touch(mode=0o644)
    replies.put("a", KEPT)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    replies.close()
    replies.close()

    assert KEPT == replies.get("a")


def test_old_replies_are_not_used(replies: SqliteReplies, path: Path, days: list[float]) -> None:
    """They leave the file when it is opened the next time; using one makes it no younger."""
    replies.put("a", KEPT)
    days[0] += 29.9
    replies.put("b", KEPT)
    assert KEPT == replies.get("a")
    days[0] += 0.2

    assert (None, KEPT) == (replies.get("a"), replies.get("b"))
    replies.close()
    replies.get("b")
    with closing(sqlite3.connect(path)) as file:
        assert [("b",)] == file.execute("SELECT key FROM replies").fetchall()


def test_size_is_bounded_and_the_least_used_go(
    replies: SqliteReplies, path: Path, days: list[float]
) -> None:
    """One that is used again and again stays; the file never grows beyond its limit."""
    replies.put("used", KEPT)
    for number in range(100):
        days[0] += 0.1
        replies.put(f"k{number}", random_reply(20_000))
        assert KEPT == replies.get("used")
        assert 1_000_000 >= path.stat().st_size

    left = [number for number in range(100) if replies.get(f"k{number}")]
    assert len(left) > 30
    assert list(range(100 - len(left), 100)) == left
    replies.put("huge", random_reply(600_000))  # (it would push out half of the others)
    assert replies.get("huge") is None


@pytest.mark.parametrize("content", [b"no database" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_damaged_file_is_begun_anew(content: bytes, path: Path, replies: SqliteReplies) -> None:
    """The call that finds it fails, with the name of no folder; the next one works."""
    path.parent.mkdir()
    path.write_bytes(content)

    with pytest.raises(OSError, match="damaged") as caught:
        replies.get("a")

    assert str(path.parent) not in str(caught.value)
    replies.put("a", KEPT)
    assert KEPT == replies.get("a")


def test_file_of_another_version_is_emptied(path: Path, replies: SqliteReplies) -> None:
    """Replies are never read by rules they were not written by."""
    replies.put("a", KEPT)
    replies.close()
    change(path, "PRAGMA user_version = 99")

    assert replies.get("a") is None


def packed(content: object) -> bytes:
    return zlib.compress(json.dumps(content).encode())


@pytest.mark.parametrize(
    "blob",
    [b"", b"xx", packed("a"), packed([]), packed(["a"]), packed(["a", {}]), packed(["b", {}])],
)
def test_unreadable_reply_is_a_value_error(blob: bytes, path: Path, replies: SqliteReplies) -> None:
    """And the next one kept in its place is read."""
    replies.put("a", KEPT)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE replies SET reply = ?", (blob,))

    with pytest.raises(ValueError):  # noqa: PT011 (the class alone is promised)
        replies.get("a")

    replies.put("a", KEPT)
    assert KEPT == replies.get("a")


def test_busy_file_is_read_but_not_written(
    path: Path, replies: SqliteReplies, days: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that hangs while it writes costs others a moment, not their replies."""
    monkeypatch.setattr(SqliteReplies, "BUSY_SECONDS", 0.05)
    replies.put("a", KEPT)
    days[0] += 1
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        assert KEPT == replies.get("a")
        with pytest.raises(OSError, match="locked"):
            replies.put("b", KEPT)

    replies.put("b", KEPT)
    assert KEPT == replies.get("b")


def test_processes_share_one_file(path: Path) -> None:
    """Two begin at once, with no file there; nothing is lost, nothing is damaged."""
    command = [sys.executable, "-c", WRITER, str(path)]
    running = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in "ab"]
    said = [process.communicate(timeout=60)[1].decode() for process in running]

    assert ["", ""] == said
    with SqliteReplies(path, max_mb=10, max_days=1) as replies:
        found = [replies.get(f"{name}{number}") for name in "ab" for number in range(40)]
    assert None not in found
    assert [path] == list(path.parent.iterdir())
