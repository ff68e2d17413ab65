"""Where documents are kept that come in through the browser: a folder of its own for each index."""

from hashlib import sha256
from pathlib import Path

from research_agent.errors import PathError
from research_agent.index.adapters.folders import home, locate
from research_agent.private_files import make_folder

LONGEST = 200
"""Bytes of a file's name."""


def upload_folder(location: str) -> Path:
    """Return the folder for the documents of an index, which is made where there is none."""
    path = str(locate(location).path.absolute())
    folder = home() / "uploads" / sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        make_folder(folder)
    except OSError as error:
        raise PathError(f"{folder} cannot be made: {error.strerror}") from error
    return folder


def check_upload_name(name: str) -> str:
    """Return a file's name; raises PathError for what leads elsewhere, is hidden or unprintable.

    >>> check_upload_name("guide 2.pdf")
    'guide 2.pdf'
    """
    plain = name.isprintable() and not set(name) & set("/\\:")
    if not plain or name.startswith(".") or not 0 < len(name.encode()) <= LONGEST:
        raise PathError(
            f"{name[:LONGEST]!r} is no name for an uploaded file",
            hint="Rename it: printable characters, no slash or colon, no dot in front.",
        )
    return name
