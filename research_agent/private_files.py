"""Files for their owner alone, whatever the umask says, and never through a symbolic link."""

import os
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
"""The modes of what is ours."""
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # (Windows has none, and no modes either)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, or close one that is there to others.

    Raises OSError where it cannot be made; a folder of somebody else stays as it is.
    """
    path.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o777 != FOLDER:
        with suppress(PermissionError):
            path.chmod(FOLDER)


def touch(path: Path) -> None:
    """Make an empty file, or close one that is there to others; raises OSError for a link."""
    os.close(_opened(path, os.O_RDWR | os.O_CREAT))


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole, in UTF-8, and see it on the disk; raises OSError for a link.

    Who reads meanwhile may see a part of it.
    """
    with os.fdopen(_opened(path, os.O_WRONLY | os.O_CREAT), "wb") as stream:
        stream.truncate()
        stream.write(text.encode())
        stream.flush()
        os.fsync(stream.fileno())


def _opened(path: Path, flags: int) -> int:
    """Open a file that is no link, closed to others; who may not change its mode leaves it."""
    found = os.open(path, flags | _NOFOLLOW, FILE)
    try:
        if os.fstat(found).st_mode & 0o777 != FILE:
            with suppress(PermissionError):
                os.fchmod(found, FILE)
    except BaseException:
        os.close(found)
        raise
    return found
