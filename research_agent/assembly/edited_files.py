"""Which files are no longer as they were when they were indexed, by size and time of change."""

from collections.abc import Collection, Iterable
from pathlib import Path

from research_agent.text.addresses import is_web

IndexedFile = tuple[str, int, int]
"""Path, size and time of change in nanoseconds, as they were when the file was read."""


def file_state(path: str, size: int, mtime_ns: int) -> str:
    """Return "" for a file as it was read, "changed" or "gone"."""
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return "gone"
    return "" if (found.st_size, found.st_mtime_ns) == (size, mtime_ns) else "changed"


def edited_files(files: Iterable[IndexedFile], paths: Collection[str]) -> tuple[str, ...]:
    """Return those of `paths` whose files are not as they were read; web pages are not asked."""
    wanted = (file for file in files if file[0] in paths and not is_web(file[0]))
    return tuple(path for path, *known in wanted if file_state(path, *known))
