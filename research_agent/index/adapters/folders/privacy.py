"""Closing an index to everybody but its owner."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from research_agent.private_files import close_to_others

_OURS = re.compile(
    r"(?:ledger|words)\.sqlite3(?:-wal|-shm|-journal)?|vectors|edition-\d+|calibration\.json"
    r"|research-agent-index\.json(?:\.new)?|writer\.(?:json|lock)"
)
"""What is ours at the top of an index's folder; anything else there is left as it is."""


def close_index(folder: Path) -> None:
    """Close an index's folder (0700) and its files (0600) to others.

    Raises OSError for a symbolic link among them, which nothing of ours makes: what is written
    would go wherever it leads.
    """
    close_to_others(folder.resolve())
    for path in _files(folder):
        try:
            close_to_others(path)
        except FileNotFoundError:  # (a writer may delete files meanwhile)
            continue


def _files(folder: Path) -> Iterator[Path]:
    """Yield all that is ours, links too, none of them followed."""
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name):
            yield path
            for above, folders, files in os.walk(path) if not path.is_symlink() else ():
                yield from (Path(above, name) for name in (*folders, *files))
