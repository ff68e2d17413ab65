"""Where a report may be written: in a new file, or over an older report."""

import os
import stat
from pathlib import Path

from research_agent.errors import PathError

MADE_BY = '<meta name="generator" content="research-agent report">'
"""By this a report is known."""
BEGINNING = 2000
"""Bytes of a file that are read to see whether it is a report."""


def check_target(path: str, *, force: bool = False) -> None:
    """Raise PathError where a report cannot be written to `path`, or must not be."""
    if "\0" in path:
        raise unwritable(ascii(path), ValueError("no file has such a name"))
    target = Path(path)
    try:
        folder = target.absolute().parent
        if not folder.is_dir():
            raise PathError(f"no such folder: {folder}", hint="Make the folder first.")
        if target.is_dir():
            raise PathError(f"{path} is a folder", hint=f"Name a file: {path}/answer.html")
        if target.exists() or target.is_symlink():
            _check_old(target, force=force)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PathError(f"{folder} may not be written to", hint="Name another folder.")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def _check_old(target: Path, *, force: bool) -> None:
    if not stat.S_ISREG(target.lstat().st_mode):
        raise PathError(f"{target} is no ordinary file", hint="Name another file.")
    with target.open("rb") as file:
        ours = MADE_BY.encode("ascii") in file.read(BEGINNING)
    if not (ours or force):
        raise PathError(
            f"{target} is there already, and is no report",
            hint="Name another file, or replace it with --force.",
        )


def unwritable(path: str, error: OSError | ValueError) -> PathError:
    """Return the error of a file that cannot be written."""
    reason = getattr(error, "strerror", None) or str(error)
    return PathError(
        f"{path} cannot be written: {reason}",
        hint="Name a file in a folder that you may write to: research-agent ask … --report FILE",
    )
