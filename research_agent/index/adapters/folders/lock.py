"""The one writer of an index, and its name for those who come second."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from research_agent.errors import IndexingError, IndexLockedError
from research_agent.private_files import FILE, touch

LOCK, HOLDER = "writer.lock", "writer.json"


@contextmanager
def locked(folder: Path, label: str) -> Iterator[None]:
    """Be the one writer; raises IndexLockedError, which names the present one, at once.

    Raises IndexingError where the folder cannot be written to.
    """
    from filelock import FileLock, Timeout

    lock, holder = FileLock(folder / LOCK, timeout=0, mode=FILE), folder / HOLDER
    try:
        lock.acquire()
        me = {"pid": os.getpid(), "command": " ".join(sys.argv)}
        touch(holder)
        holder.write_text(json.dumps(me), encoding="utf-8")
    except Timeout as error:
        raise IndexLockedError(
            f"The index {label} is being written by {_described(holder)}.",
            hint="Wait for it, or end it, and give the command again.",
        ) from error
    except (OSError, NotImplementedError) as error:  # (the latter: a disk without locks)
        lock.release()
        raise IndexingError(
            f"The index {label} cannot be written to: {error}.",
            hint=f"May you write to {folder}? If not: research-agent index --index PATH",
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):  # (the next writer writes it anew)
            holder.unlink(missing_ok=True)
        lock.release()


def writer(folder: Path) -> str:
    """Return who is writing to the index now; empty where nobody is. Changes nothing."""
    from filelock import FileLock, Timeout

    if not (folder / LOCK).exists():
        return ""
    try:
        with FileLock(folder / LOCK, timeout=0, mode=FILE):
            return ""
    except Timeout:
        return _described(folder / HOLDER)
    except (OSError, NotImplementedError):  # (it may not be written to: nobody can)
        return ""


def _described(holder: Path) -> str:
    try:
        noted = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {noted['pid']} ({noted['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
