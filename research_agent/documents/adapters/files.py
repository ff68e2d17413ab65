"""The user's files: which of them are read, and what has changed in them."""

import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

import pathspec

from research_agent.errors import DocumentError, PathError
from research_agent.settings import DocumentSettings
from research_agent.types.documents import FileReport, FoundFiles, SourceFile

PIECE = 1 << 20
"""Bytes read at a time."""
IGNORE_BYTES = 1 << 20
"""Of a .gitignore so much is read."""


@dataclass(frozen=True, slots=True)
class _Globs:
    """Patterns in the syntax of .gitignore, relative to a folder."""

    folder: str
    patterns: tuple[str, ...]
    spec: pathspec.GitIgnoreSpec

    def verdict(self, path: str, *, folder: bool = False) -> bool | None:
        """Return True where the last pattern that fits takes `path`, False where it frees it."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" if folder else relative).include


def _globs(folder: str, patterns: Collection[str]) -> _Globs:
    """Return the patterns that can be understood; git, too, takes no notice of others."""
    kept = []
    for pattern in patterns:
        try:
            pathspec.GitIgnoreSpec.from_lines([pattern])
        except (ValueError, re.error):
            continue
        kept.append(pattern)
    return _Globs(folder, tuple(kept), pathspec.GitIgnoreSpec.from_lines(kept))


class LocalFiles:
    """Files and folders of this machine; symbolic links inside a folder are not followed."""

    def __init__(
        self,
        settings: DocumentSettings,
        endings: Collection[str],
        *,
        needed: Mapping[str, str] | None = None,
    ) -> None:
        """Take files with one of `endings` (".pdf", in small letters).

        `needed` says for other endings what has to be done before such files can be read.
        """
        self._settings = settings
        self._endings = frozenset(endings)
        self._needed = needed or {}

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the files below `paths`, sorted by path, and what is left alone.

        A file that is named itself is taken whatever the globs and .gitignore say, and so is one
        that is a symbolic link. Only .gitignore files at or below a named folder count. A folder
        that is left alone is reported once, for all it holds. A path that cannot be looked at is
        reported as failed: whether there is something is not known. Raises PathError for a path
        that does not exist.
        """
        files: dict[str, SourceFile] = {}
        skipped: dict[str, FileReport] = {}
        for root in sorted({_absolute(path) for path in paths}):
            for found in self._root(root):
                if isinstance(found, SourceFile):
                    files.setdefault(found.path, found)
                else:
                    skipped.setdefault(found.path, found)
        left = [report for path, report in sorted(skipped.items()) if path not in files]
        return FoundFiles(tuple(file for _, file in sorted(files.items())), tuple(left))

    def digest(self, path: str) -> str:
        """Return the SHA-256 of a file's content, in hexadecimal; raises DocumentError."""
        digest = hashlib.sha256()
        try:
            with open(path, "rb") as stream:  # noqa: PTH123 (a name that is no UTF-8 stays as it is)
                while piece := stream.read(PIECE):
                    digest.update(piece)
        except FileNotFoundError as error:
            raise DocumentError("it has vanished") from error
        except OSError as error:
            raise DocumentError(f"cannot be read: {error.strerror or error}") from error
        return digest.hexdigest()

    def _root(self, path: str) -> Iterator[SourceFile | FileReport]:
        try:
            status = os.stat(path)  # noqa: PTH116 (a name that is no UTF-8 stays as it is)
        except (FileNotFoundError, NotADirectoryError, ValueError) as error:
            reason = f"cannot be read: {error}"
            if isinstance(error, OSError):
                reason = "there is no such file or folder"
            hint = "check the spelling: `research-agent index PATH…` takes files and folders"
            raise PathError(f"{path}: {reason}", hint=hint) from error
        except OSError as error:
            yield FileReport(path, "failed", f"cannot be read: {error.strerror or error}")
            return
        yield from self._folder(path) if stat.S_ISDIR(status.st_mode) else self._named(path, status)

    def _named(self, path: str, status: os.stat_result) -> Iterator[SourceFile | FileReport]:
        reason = self._reason(path, status)
        yield _skipped(path, reason) if reason else _source(path, path, status)

    def _folder(self, root: str) -> Iterator[SourceFile | FileReport]:
        """Walk a folder without recursion: folders may be nested deeper than Python calls."""
        include = _globs(root, self._settings.include)
        exclude = _globs(root, self._settings.exclude)
        pending: list[tuple[str, tuple[_Globs, ...]]] = [(root, ())]
        while pending:
            folder, ignores = pending.pop()
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                reason = f"folder cannot be read: {error.strerror or error}"
                yield FileReport(folder, "failed", reason)
                continue
            if self._settings.gitignore:
                ignores = (*ignores, *_ignores(folder))
            for entry in listed:
                found = self._entry(entry, root, (include, exclude), ignores)
                if found is None:
                    pending.append((entry.path, ignores))
                else:
                    yield found

    def _entry(
        self,
        entry: os.DirEntry[str],
        root: str,
        globs: tuple[_Globs, _Globs],
        ignores: tuple[_Globs, ...],
    ) -> SourceFile | FileReport | None:
        """Return a file, why something is left alone, or None for a folder to walk."""
        include, exclude = globs
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            return FileReport(entry.path, "failed", f"cannot be read: {error.strerror or error}")
        folder = stat.S_ISDIR(status.st_mode)
        reason = ""
        if entry.name.startswith("."):
            reason = "hidden"
        elif stat.S_ISLNK(status.st_mode):
            reason = "symbolic link"
        elif _is_ignored(entry.path, ignores, folder=folder):
            reason = "named in .gitignore"
        elif exclude.verdict(entry.path, folder=folder):
            reason = "excluded"
        elif folder:
            return None
        elif include.patterns and not include.verdict(entry.path):
            reason = "not included"
        reason = reason or self._reason(entry.path, status)
        return _skipped(entry.path, reason) if reason else _source(entry.path, root, status)

    def _reason(self, path: str, status: os.stat_result) -> str:
        """Return why a file cannot be taken at all; "" where it can."""
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"
        ending = PurePath(path).suffix.lower()
        if ending in self._needed:
            return self._needed[ending]
        if ending not in self._endings:
            return f"no reader for {ending}" if ending else "no reader for names without an ending"
        megabytes = status.st_size / 1e6
        if megabytes > self._settings.max_file_mb:
            limit = self._settings.max_file_mb
            return f"{megabytes:.1f} MB; documents.max_file_mb is {limit:g}"
        return ""


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 (Path.resolve would follow links)


def _source(path: str, root: str, status: os.stat_result) -> SourceFile:
    return SourceFile(path, root, status.st_size, status.st_mtime_ns)


def _skipped(path: str, reason: str) -> FileReport:
    return FileReport(path, "skipped", reason)


def _ignores(folder: str) -> tuple[_Globs, ...]:
    """Return the patterns of the folder's own .gitignore, if it has one that can be read."""
    path = f"{folder}{os.sep}.gitignore"
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ()
        with open(path, "rb") as stream:  # noqa: PTH123 (a name that is no UTF-8 stays as it is)
            text = stream.read(IGNORE_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ()
    return (_globs(folder, text.splitlines()),)


def _is_ignored(path: str, ignores: tuple[_Globs, ...], *, folder: bool) -> bool:
    """Say whether .gitignore files leave `path` out; the nearest one that knows it decides."""
    for globs in reversed(ignores):
        verdict = globs.verdict(path, folder=folder)
        if verdict is not None:
            return verdict
    return False
