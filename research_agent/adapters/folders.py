"""Where indexes live on disk, and who may write to one."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from research_agent.errors import IndexingError, IndexLockedError, IndexMissingError, PathError

DEFAULT = "default"
"""The index of those who name none."""
_MARKER = "research-agent-index.json"
_LEDGER, _WORDS, _VECTORS = "ledger.sqlite3", "words.sqlite3", "vectors"
_LOCK, _HOLDER = "writer.lock", "writer.json"
_NAME = re.compile(r"\w[\w .-]{0,99}")


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """One index on disk: a ledger, and two caches made from it."""

    path: Path
    label: str
    """What users call it: its name, or its path."""

    @property
    def ledger(self) -> Path:
        """The SQLite file that holds everything."""
        return self.path / _LEDGER

    @property
    def words(self) -> Path:
        """The cache for word search, an SQLite file."""
        return self.path / _WORDS

    @property
    def vectors(self) -> Path:
        """The cache for dense search, a folder of Chroma's."""
        return self.path / _VECTORS

    def exists(self) -> bool:
        """Return whether the folder is an index of ours, whole or not."""
        return (self.path / _MARKER).is_file()

    def bytes_on_disk(self) -> int:
        """Return how much room the index takes."""
        total = 0
        for path in self.path.rglob("*"):
            with suppress(OSError):  # (a writer may delete files meanwhile)
                total += path.stat().st_size if path.is_file() else 0
        return total

    def create(self) -> None:
        """Make the folder and mark it as an index; raises PathError where it is used otherwise."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not self.exists():
                self._refuse_other_files()
                (self.path / _MARKER).write_text('{"format": 1}\n', encoding="utf-8")
        except OSError as error:
            raise PathError(
                f"The index {self.label} cannot be made: {error}.",
                hint="Name another place: --index PATH, or the variable RESEARCH_AGENT_HOME.",
            ) from error

    def clear(self) -> None:
        """Delete what the index holds; it is an empty index afterwards."""
        shutil.rmtree(self.vectors, ignore_errors=True)
        for name in (_LEDGER, _WORDS):
            for ending in ("-shm", "-wal", ""):
                (self.path / f"{name}{ending}").unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the index, and its folder unless it holds anything else.

        Raises IndexMissingError where there is none, IndexLockedError.
        """
        if not self.exists():
            raise IndexMissingError(
                f"There is no index {self.label} at {self.path}; nothing was removed.",
                hint="See which there are: research-agent index --list",
            )
        with self.locked():
            self.clear()
            (self.path / _MARKER).unlink(missing_ok=True)
        (self.path / _LOCK).unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Be the one writer; raises IndexLockedError, which names the present one, at once.

        Raises IndexingError where the folder cannot be written to.
        """
        from filelock import FileLock, Timeout

        lock, holder = FileLock(self.path / _LOCK, timeout=0), self.path / _HOLDER
        try:
            lock.acquire()
            me = {"pid": os.getpid(), "command": " ".join(sys.argv)}
            holder.write_text(json.dumps(me), encoding="utf-8")
        except Timeout as error:
            raise IndexLockedError(
                f"The index {self.label} is being written by {_described(holder)}.",
                hint="Wait for it, or end it, and give the command again.",
            ) from error
        except (OSError, NotImplementedError) as error:  # (the latter: a disk without locks)
            lock.release()
            raise IndexingError(
                f"The index {self.label} cannot be written to: {error}.",
                hint=f"May you write to {self.path}? If not: research-agent index --index PATH",
            ) from error
        try:
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

    def _refuse_other_files(self) -> None:
        """Raise PathError where the folder holds anything that is not ours."""
        ours = {_LOCK, _HOLDER}
        if other := sorted(path.name for path in self.path.iterdir() if path.name not in ours):
            raise PathError(
                f"{self.path} is no index, and holds other files, such as {other[0]}.",
                hint="Name an empty or a new folder after --index.",
            )


def home() -> Path:
    """Return the folder of all data: RESEARCH_AGENT_HOME, or the place the system has for it."""
    if named := os.environ.get("RESEARCH_AGENT_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("research-agent", appauthor=False)


def locate(location: str) -> IndexFolder:
    """Return where the index `location` is: a name, or a path, which has a separator or a dot.

    Raises PathError for what is neither.
    """
    name = location or DEFAULT
    is_path = name.startswith(".") or "/" in name or os.sep in name
    if is_path and "\0" not in name:
        with suppress(RuntimeError):  # (a home folder of nobody: the path is taken as it stands)
            return IndexFolder(Path(name).expanduser().absolute(), name)
        return IndexFolder(Path(name).absolute(), name)
    if not _NAME.fullmatch(name):
        raise PathError(
            f"{name!r} is no name of an index.",
            hint="Use letters, digits, spaces, dots and hyphens, or a path such as ./my-index.",
        )
    return IndexFolder(home() / "indexes" / name, name)


def named_indexes() -> list[IndexFolder]:
    """Return the indexes below the data folder, by name."""
    try:
        names = sorted(path.name for path in (home() / "indexes").iterdir())
    except OSError:
        return []
    folders = (IndexFolder(home() / "indexes" / name, name) for name in names)
    return [folder for folder in folders if folder.exists()]


def _described(holder: Path) -> str:
    """Return who wrote the file beside the lock."""
    try:
        noted = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {noted['pid']} ({noted['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
