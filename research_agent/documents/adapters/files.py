"""The user's files: which of them are read, and what has changed in them."""

import hashlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from itertools import zip_longest
from pathlib import PurePath

import pathspec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from research_agent.errors import DocumentError, PathError
from research_agent.settings import DocumentSettings
from research_agent.text.paths import INDEX_MARK
from research_agent.types.documents import FileReport, FoundFiles, SourceFile

PIECE = 1 << 20  # bytes read at a time
IGNORE_BYTES = 1 << 17  # of a .gitignore so much is read
_STAR, _FOLDERS, _ANYWHERE = "[^/]*", "(?:/.+)?", "^(?:.+/)?"  # as pathspec writes them
_CLASS = re.compile(r"(?<!\\)\[\^(?!/)")  # [!a], which git lets take no slash
LONGEST_PATTERN = 4096  # characters, as a path; a longer one is no pattern


class LocalFiles:
    """Files and folders of this machine; symbolic links inside a folder are not followed."""

    def __init__(
        self,
        settings: DocumentSettings,
        endings: Collection[str],
        *,
        needed: Mapping[str, str] | None = None,
    ) -> None:
        """Take files with `endings` (".pdf", lower case); `needed` says what others need."""
        self._settings = settings
        self._endings = frozenset(endings)
        self._needed = needed or {}

    def find(self, paths: Collection[str]) -> FoundFiles:
        """Return the files below `paths`, sorted by path, and what is left alone.

        A file that is named itself is taken whatever the globs and .gitignore say. Only .gitignore
        files at or below a named folder count. A path that cannot be looked at is reported as
        failed. Raises PathError for a path that does not exist.
        """
        files: dict[str, SourceFile] = {}
        skipped: dict[str, FileReport] = {}
        roots = {os.path.abspath(path) for path in paths}  # noqa: PTH100 (resolve follows links)
        for root in sorted(roots):
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
        if stat.S_ISDIR(status.st_mode):
            yield from self._folder(path)
        else:
            yield _found(path, path, status, self._reason(path, status))

    def _folder(self, root: str) -> Iterator[SourceFile | FileReport]:
        """Walk a folder without recursion: folders may be nested deeper than Python calls."""
        include = _Globs(root, self._settings.include)
        exclude = _Globs(root, self._settings.exclude)
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
            if any(entry.name == INDEX_MARK for entry in listed):
                yield FileReport(folder, "skipped", "an index of research_agent")
                continue
            if self._settings.gitignore:
                ignores = (*ignores, *_ignores(folder))
            for entry in listed:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError as error:
                    reason = f"cannot be read: {error.strerror or error}"
                    yield FileReport(entry.path, "failed", reason)
                    continue
                reason = self._passed_over(entry, status, include, exclude, ignores)
                if not reason and stat.S_ISDIR(status.st_mode):
                    pending.append((entry.path, ignores))
                else:
                    reason = reason or self._reason(entry.path, status)
                    yield _found(entry.path, root, status, reason)

    @staticmethod
    def _passed_over(
        entry: os.DirEntry[str],
        status: os.stat_result,
        include: "_Globs",
        exclude: "_Globs",
        ignores: tuple["_Globs", ...],
    ) -> str:
        """Return why an entry is left alone although it may be readable; "" if it is not."""
        folder = stat.S_ISDIR(status.st_mode)
        verdicts = (globs.verdict(entry.path, folder=folder) for globs in reversed(ignores))
        if entry.name.startswith((".", "~$")):  # as LibreOffice and Word name what they lock
            return "hidden"
        if stat.S_ISLNK(status.st_mode):
            return "symbolic link"
        if next((verdict for verdict in verdicts if verdict is not None), False):
            return "named in .gitignore"
        if exclude.verdict(entry.path, folder=folder):
            return "excluded"
        if not folder and include.patterns and not include.verdict(entry.path):
            return "not included"
        return ""

    def _reason(self, path: str, status: os.stat_result) -> str:
        is_file = stat.S_ISREG(status.st_mode)
        return self.reason(path, status.st_size) if is_file else "not a regular file"

    def reason(self, path: str, size: int) -> str:
        """Return why a file of so many bytes is left alone; "" if it is not."""
        ending = PurePath(path).suffix.lower()
        if ending in self._needed:
            return self._needed[ending]
        if ending not in self._endings:
            return f"no reader for {ending}" if ending else "no reader for names without an ending"
        megabytes = size / 1e6
        if megabytes > self._settings.max_file_mb:
            limit = self._settings.max_file_mb
            return f"{megabytes:.1f} MB; documents.max_file_mb is {limit:g}"
        return ""

    def excluded(self, path: str, root: str) -> str:
        """Return why settings leave a file below a root alone that is in no folder; "" if not."""
        if _Globs(root, self._settings.exclude).verdict(path):
            return "excluded"
        include = _Globs(root, self._settings.include)
        left = include.patterns and path != root and not include.verdict(path)
        return "not included" if left else ""


class _Globs:
    def __init__(self, folder: str, patterns: Collection[str]) -> None:
        """Keep the patterns that can be understood; git, too, takes no notice of others."""
        self._folder = folder
        self.patterns = [made for written in patterns if (made := _pattern(written))]
        self.spec = pathspec.GitIgnoreSpec(self.patterns, backend="simple")

    def verdict(self, path: str, *, folder: bool = False) -> bool | None:
        """Return True where the last pattern that fits takes `path`, False where it frees it."""
        relative = os.path.relpath(path, self._folder).replace(os.sep, "/")
        return self.spec.check_file(relative + "/" if folder else relative).include


class _Pattern(GitIgnoreSpecPattern):
    """A pattern whose comparison takes time in proportion to the path, not to a power of it."""

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]  # (text alone)
        """Return the library's expression, without its ways back, and whether it takes or frees."""
        regex, include = super().pattern_to_regex(pattern)
        return (regex and _without_backtracking(regex)), include


def _pattern(written: str) -> _Pattern | None:
    if len(written) > LONGEST_PATTERN:
        return None
    try:
        return _Pattern(written)
    except (ValueError, re.error):
        return None


def _without_backtracking(regex: str) -> str:
    """Let each star but the last of its name, and each `**` but the last, take the first that fits.

    >>> _without_backtracking("^[^/]*a[^/]*b")
    '^(?>[^/]*?a)[^/]*b'
    """
    first, *others = _CLASS.sub("[^/", regex).split(_STAR)
    for piece, following in zip_longest(others, others[1:]):
        in_name = following is not None and "/" not in piece.replace("[^/]", "")
        first += f"(?>[^/]*?{piece})" if in_name else f"{_STAR}{piece}"
    begin, *parts = first.split(_FOLDERS)
    if parts and begin.startswith(_ANYWHERE):
        begin = f"^(?>(?:.+?/)??{begin.removeprefix(_ANYWHERE)}(?=/))"
    middle = "".join(f"(?>(?:/.+?)??{part}(?=/))" for part in parts[:-1])
    return begin + middle + "".join(f"{_FOLDERS}{part}" for part in parts[-1:])


def _found(path: str, root: str, status: os.stat_result, reason: str) -> SourceFile | FileReport:
    if reason:
        return FileReport(path, "skipped", reason)
    return SourceFile(path, root, status.st_size, status.st_mtime_ns)


def _ignores(folder: str) -> tuple[_Globs, ...]:
    path = f"{folder}{os.sep}.gitignore"
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ()
        with open(path, "rb") as stream:  # noqa: PTH123 (a name that is no UTF-8 stays as it is)
            text = stream.read(IGNORE_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ()
    return (_Globs(folder, text.splitlines()),)
