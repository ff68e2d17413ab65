"""Where one run of indexing can tell that a file is gone, and where it only cannot see it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from research_agent.text.paths import is_below
from research_agent.types.documents import FileReport, SourceFile


@dataclass(frozen=True, slots=True)
class Sight:
    """What was looked at: below a drive that is not connected, no file is known to be gone."""

    absent: tuple[FileReport, ...]
    """Named paths that are not there."""
    roots: tuple[str, ...]
    """Named paths that are."""
    folders: frozenset[str]
    """Those that a file was found in."""

    @classmethod
    def of(
        cls, paths: Sequence[str], files: Collection[SourceFile], absent: Sequence[FileReport]
    ) -> Self:
        """Return what is seen where `files` were found below `paths`."""
        missing = {report.path for report in absent}
        roots = tuple(path for path in paths if path not in missing)
        return cls(tuple(absent), roots, frozenset(_folder(file.path) for file in files))

    def hidden_by(self, path: str) -> FileReport | None:
        """Return the absent path because of which nothing is known of the file at `path`.

        None where its folder was seen, or where it is below no absent path.

        >>> usb = FileReport("/usb/notes", "failed", "not there")
        >>> found = [SourceFile("/docs/a.md", "/docs", 1, 1)]
        >>> sight = Sight.of(["/docs", "/usb/notes", "/docs/old.md"], found, [usb])
        >>> sight.hidden_by("/usb/notes/b.md") == usb, sight.hidden_by("/docs/old.md")
        (True, None)
        """
        if is_below(path, self.roots) or _folder(path) in self.folders:
            return None
        return next((report for report in self.absent if is_below(path, [report.path])), None)


def _folder(path: str) -> str:
    r"""Return the folder that a file is in.

    >>> _folder("/docs/a.md"), _folder("C:\\docs\\a.md")
    ('/docs', 'C:\\docs')
    """
    return path[: max(path.rfind("/"), path.rfind("\\"), 0)]
