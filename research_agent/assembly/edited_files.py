"""Which files are no longer as they were when they were indexed, by size and time of change."""

from collections.abc import Iterable
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


def edited_files(files: Iterable[IndexedFile]) -> tuple[str, ...]:
    """Return the paths of files that are not as they were read; web pages are not asked."""
    return tuple(file[0] for file in files if not is_web(file[0]) and file_state(*file))
