"""What keeps Chroma from harm: notes of whole files, and no `.env` file of some folder."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

VERSION = 2
"""Of what is written into a collection; files of another one are made anew."""
_NOTE = "current.json"
_IDS = "index_metadata.pickle"
_PIECE = 1 << 20  # bytes read at a time


def write_note(folder: Path) -> None:
    """Note what `folder` holds now."""
    (folder / _NOTE).write_text(json.dumps(_described(folder)), encoding="utf-8")


def drop_note(folder: Path) -> None:
    """Take the note away; raises OSError where that is not possible."""
    (folder / _NOTE).unlink(missing_ok=True)


def is_as_noted(folder: Path) -> bool:
    """Return whether a folder has a note and what it says still holds.

    Chroma's database is not part of it: Chroma writes to it while it reads, and damage to it is
    an error of SQLite's, not the end of the process.
    """
    try:
        return bool(json.loads((folder / _NOTE).read_text(encoding="utf-8")) == _described(folder))
    except (OSError, ValueError):
        return False


def _described(folder: Path) -> dict[str, object]:
    """Return size and checksum of the files that Chroma loads into memory.

    A graph without a list of its ids was never written out: Chroma does not read it, but writes to
    it when a folder is opened.
    """
    graphs = [path.parent for path in sorted(folder.glob(f"*/{_IDS}"))]
    files = [path for graph in graphs for path in sorted(graph.iterdir())]
    names = {path.relative_to(folder).as_posix(): _sum(path) for path in files}
    return {"version": VERSION, "files": names}


def _sum(path: Path) -> list[int]:
    size = checksum = 0
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            size, checksum = size + len(piece), crc32(piece, checksum)
    return [size, checksum]


@contextmanager
def without_dot_env(package: str) -> Iterator[None]:
    """Let the settings of `package` that are made inside read no `.env` file.

    Chroma makes some while it is imported, where nobody can give it an argument, and one line of
    such a file could name a server to send everything to. Settings of other packages are not
    touched.
    """
    from pydantic_settings import DotEnvSettingsSource

    reading = DotEnvSettingsSource._read_env_files  # noqa: SLF001 (there is no public way)

    def read(self: DotEnvSettingsSource) -> Mapping[str, str | None]:
        theirs = self.settings_cls.__module__.partition(".")[0] == package
        return {} if theirs else reading(self)

    DotEnvSettingsSource._read_env_files = read  # type: ignore[method-assign]  # noqa: SLF001 (as above)
    try:
        yield
    finally:
        DotEnvSettingsSource._read_env_files = reading  # type: ignore[method-assign]  # noqa: SLF001 (as above)
