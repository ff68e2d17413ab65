"""The files of one edition of an index."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

_LEDGER, _WORDS, _VECTORS = "ledger.sqlite3", "words.sqlite3", "vectors"
_EDITION = "edition-"
_EDITIONS = re.compile(rf"{_EDITION}([1-9]\d*)")


@dataclass(frozen=True, slots=True)
class Edition:
    """The files of an index: an update changes them, `--rebuild` makes others beside them."""

    folder: Path
    number: int
    """Counts rebuilds; the first edition stands in the index's own folder."""

    @property
    def path(self) -> Path:
        """Where its files are."""
        return self.folder / f"{_EDITION}{self.number}" if self.number else self.folder

    @property
    def ledger(self) -> Path:
        """The SQLite file that holds everything."""
        return self.path / _LEDGER

    @property
    def words(self) -> Path:
        """The cache for word search, an SQLite file."""
        return self.path / _WORDS

    @property
    def vectors(self) -> Path:
        """The cache for dense search, a folder of Chroma's."""
        return self.path / _VECTORS

    def delete(self) -> None:
        """Delete the files, and the folder if it is the edition's own."""
        if self.number:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        shutil.rmtree(self.vectors, ignore_errors=True)
        for name in (_LEDGER, _WORDS):
            for ending in ("-shm", "-wal", ""):
                (self.path / f"{name}{ending}").unlink(missing_ok=True)


def editions(folder: Path) -> list[Edition]:
    """Return all editions in a folder, whole or not, the oldest first; the first is always one."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        names = []
    found = {int(match[1]) for name in names if (match := _EDITIONS.fullmatch(name))}
    return [Edition(folder, number) for number in sorted({0, *found})]
