"""Files for their owner alone, never through a symbolic link; and reading those of strangers."""

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

FOLDER, FILE = 0o700, 0o600
"""The modes of what is ours."""
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)  # (Windows has none, and no such modes either)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, and close it to others; raises OSError."""
    path.mkdir(mode=FOLDER, parents=True, exist_ok=True)
    close_to_others(path.resolve())


def touch(path: Path) -> None:
    """Make an empty file where there is none, and close it to others; raises OSError for a link.

    A file that is there is not opened: to close it again would end the locks that SQLite has.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
    close_to_others(path)


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole, in UTF-8, and see it on the disk; raises OSError for a link.

    Who reads meanwhile may see a part of it.
    """
    number = os.open(path, os.O_WRONLY | os.O_CREAT | _NOFOLLOW, FILE)
    with os.fdopen(number, "wb") as stream:
        close_to_others(path)
        stream.truncate()
        stream.write(text.encode())
        stream.flush()
        os.fsync(stream.fileno())


def replace_text(path: Path, text: str) -> None:
    """Put a file in the place of `path` at once: nobody reads half of it; raises OSError."""
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_regular(path: Path, most: int) -> bytes:
    """Return a file that a stranger may have made; raises OSError for pipes, devices, more bytes.

    A pipe would be waited for without end, and a device may have none.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return content


def close_to_others(path: Path) -> None:
    """Take every right from others to a file or a folder; raises OSError for a symbolic link.

    What belongs to somebody else, or is on a disk that cannot be written to, stays as it is.
    """
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, "it is a symbolic link", str(path))
    mode = stat.S_IMODE(found.st_mode)
    wanted = mode & (FOLDER if stat.S_ISDIR(found.st_mode) else FILE)
    if mode != wanted:
        with suppress(OSError):
            path.chmod(wanted)
