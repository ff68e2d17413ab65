"""Where indexes live on disk: names, editions, who may write to one; nobody else may read it."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from research_agent import errors
from research_agent.private_files import FILE, close_to_others, make_folder, touch, write_text
from research_agent.text.paths import INDEX_MARK

DEFAULT = "default"  # the index of those who name none
_NAME = re.compile(r"\w[\w .-]{0,99}")
LOCK, HOLDER = "writer.lock", "writer.json"
"""What the one writer locks, and its name for those who come second."""
_NEW_MARKER = f"{INDEX_MARK}.new"
_CALIBRATION = "calibration.json"
_LEDGER, _WORDS, _VECTORS = "ledger.sqlite3", "words.sqlite3", "vectors"
_EDITION = "edition-"
_EDITIONS = re.compile(rf"{_EDITION}([1-9]\d*)")
_OURS = re.compile(
    r"(?:ledger|words)\.sqlite3(?:-wal|-shm|-journal)?|vectors|edition-\d+|calibration\.json"
    r"|research-agent-index\.json(?:\.new)?|writer\.(?:json|lock)"
)  # our files and folders at the top of an index's folder; others there are left alone


@dataclass(frozen=True, slots=True)
class Edition:
    """The files of an index: an update changes them, `--rebuild` makes others beside them."""

    folder: Path
    number: int  # counts rebuilds; the first edition is in the index's own folder

    @property
    def path(self) -> Path:
        """Where its files are."""
        return self.folder / f"{_EDITION}{self.number}" if self.number else self.folder

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

    def delete(self) -> None:
        """Delete the files, and the folder if it is the edition's own."""
        if self.number:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        shutil.rmtree(self.vectors, ignore_errors=True)
        for name in (_LEDGER, _WORDS):
            for ending in ("-shm", "-wal", ""):
                file = self.path / f"{name}{ending}"
                if file.is_dir() and not file.is_symlink():
                    shutil.rmtree(file)
                file.unlink(missing_ok=True)


def editions(folder: Path) -> list[Edition]:
    """Return all editions in a folder, whole or not, the oldest first; the first is always one."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        names = []
    found = {int(match[1]) for name in names if (match := _EDITIONS.fullmatch(name))}
    return [Edition(folder, number) for number in sorted({0, *found})]


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """One index on disk: a ledger, and two caches made from it."""

    path: Path
    label: str  # what users call it: its name, or its path

    def current(self) -> Edition:
        """Return the edition that readers see; the oldest one where the mark cannot be read."""
        try:
            mark = json.loads((self.path / INDEX_MARK).read_text(encoding="utf-8"))
            return Edition(self.path, int(mark.get("edition", 0)))
        except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
            whole = (edition for edition in editions(self.path) if edition.ledger.is_file())
            return next(whole, Edition(self.path, 0))

    def next_edition(self) -> Edition:
        """Make room for a new edition, which nobody sees before `show`; for the one writer."""
        self.sweep()
        with self.writing():
            edition = Edition(self.path, editions(self.path)[-1].number + 1)
            make_folder(edition.path)
        return edition

    def show(self, edition: Edition) -> None:
        """Let readers see an edition from now on, and delete the others."""
        with self.writing():
            self._mark(edition.number)
        self.sweep()

    def sweep(self) -> None:
        """Delete all editions but the current one: what an interrupted rebuild has left."""
        current = self.current()
        for edition in editions(self.path):
            if edition != current:
                with suppress(OSError):
                    edition.delete()

    @property
    def calibration(self) -> Path:
        """The file of the thresholds that were fitted to the index, whatever its edition."""
        return self.path / _CALIBRATION

    def exists(self) -> bool:
        """Return whether the folder is an index of ours, whole or not."""
        return (self.path / INDEX_MARK).is_file()

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
                make_folder(self.path)  # (not before: it may be anybody's)
                self._mark(0)
            close_index(self.path)
        except OSError as error:
            raise errors.PathError(
                f"The index {self.label} cannot be made: {error}.",
                hint="Name another place: --index PATH, or the variable RESEARCH_AGENT_HOME.",
            ) from error

    def close_to_others(self) -> None:
        """Let nobody but its owner read the index; raises IndexDamagedError for a symbolic link."""
        if not self.exists():
            return
        try:
            close_index(self.path)
        except OSError as error:
            raise errors.IndexDamagedError(
                f"The index {self.label} is not used: {error.filename}: {error.strerror}.",
                hint="Nothing of ours makes links there: look who has, and take it away.",
            ) from error

    def remove(self) -> None:
        """Delete the index, and its folder if empty; raises IndexMissingError, IndexLockedError."""
        if not self.exists():
            raise errors.IndexMissingError(
                f"There is no index {self.label} at {self.path}; nothing was removed.",
                hint="See which there are: research-agent index --list",
            )
        with self.locked():
            for edition in editions(self.path):
                edition.delete()
            self.calibration.unlink(missing_ok=True)
            (self.path / INDEX_MARK).unlink(missing_ok=True)
        (self.path / LOCK).unlink(missing_ok=True)
        if not any(self.path.iterdir()):
            self.path.rmdir()

    @contextmanager
    def locked(self, *, wait: float = 0.0) -> Iterator[None]:
        """Be the one writer, after `wait` seconds at most.

        Raises IndexLockedError with the present one's name, IndexingError.
        """
        from filelock import FileLock, Timeout

        lock, holder = FileLock(self.path / LOCK, timeout=wait, mode=FILE), self.path / HOLDER
        try:
            lock.acquire()
            me = {"pid": os.getpid(), "command": " ".join(sys.argv)}
            touch(holder)
            holder.write_text(json.dumps(me), encoding="utf-8")
        except Timeout as error:
            raise errors.IndexLockedError(
                f"The index {self.label} is being written by {self._holder()}.",
                hint="Wait for it, or end it, and give the command again.",
            ) from error
        except (OSError, NotImplementedError) as error:  # (the latter: a disk without locks)
            lock.release()
            raise errors.IndexingError(
                f"The index {self.label} cannot be written to: {error}.",
                hint=f"May you write to {self.path}? If not: research-agent index --index PATH",
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):  # (the next writer writes it anew)
                holder.unlink(missing_ok=True)
            lock.release()

    def writer(self) -> str:
        """Return who is writing to the index now; empty where nobody is. Changes nothing."""
        from filelock import FileLock, Timeout

        if not (self.path / LOCK).exists():
            return ""
        try:
            with FileLock(self.path / LOCK, timeout=0, mode=FILE):
                return ""
        except Timeout:
            return self._holder()
        except (OSError, NotImplementedError):  # (it may not be written to: nobody can)
            return ""

    def _holder(self) -> str:
        try:
            noted = json.loads((self.path / HOLDER).read_text(encoding="utf-8"))
            return f"process {noted['pid']} ({noted['command']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

    def leftovers(self) -> tuple[str, ...]:
        """Return the files that only a run leaves behind which did not end by itself."""
        current = self.current()
        others = [
            edition.path
            for edition in editions(self.path)
            if edition.number not in (0, current.number)
        ]
        left = (self.path / HOLDER, *current.vectors.glob("*.new"), *others)
        return tuple(str(path.relative_to(self.path)) for path in left if path.exists())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn the disk's errors inside into IndexingError."""
        try:
            yield
        except OSError as error:
            raise errors.IndexingError(
                f"The index {self.label} cannot be written to: {error}.",
                hint="Look at the free space of the disk; what was in the index still is.",
            ) from error

    def _mark(self, number: int) -> None:
        new = self.path / _NEW_MARKER
        write_text(new, json.dumps({"format": 1, "edition": number}) + "\n")
        new.replace(self.path / INDEX_MARK)

    def _refuse_other_files(self) -> None:
        ours = {LOCK, HOLDER, _NEW_MARKER}
        if other := sorted(path.name for path in self.path.iterdir() if path.name not in ours):
            raise errors.PathError(
                f"{self.path} is no index, and holds other files, such as {other[0]}.",
                hint="Name an empty or a new folder after --index.",
            )


def close_index(folder: Path) -> None:
    """Close an index's folder (0700) and files (0600); raises OSError for a symbolic link there."""
    close_to_others(folder.resolve())
    for path in _files(folder):
        try:
            close_to_others(path)
        except FileNotFoundError:  # (a writer may delete files meanwhile)
            continue


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name):
            yield path
            for above, folders, files in os.walk(path) if not path.is_symlink() else ():
                yield from (Path(above, name) for name in (*folders, *files))


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
        raise errors.PathError(
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
