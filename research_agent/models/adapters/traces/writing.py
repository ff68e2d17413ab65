"""The file of one run: a line is there whole or not at all, whenever the run ends."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock

from research_agent.closeable import Closing
from research_agent.errors import PathError

UNFINISHED = ".part"
"""The ending of a file whose run has not ended, or has crashed."""


class TraceFile(Closing):
    """Lines of JSON, for the owner alone (mode 0600). Threads may share it.

    The file has its name without ".part" once it is closed. Where the disk fails, `on_problem` is
    told once and no more is written: a trace never ends a question.
    """

    def __init__(self, folder: str, name: str, *, on_problem: Callable[[str], None]) -> None:
        """Make the file in `folder`, which is made too; raises PathError."""
        self.path = Path(folder).expanduser().absolute() / name
        self._part = self.path.with_name(f"{name}{UNFINISHED}")
        self._on_problem, self._lock = on_problem, Lock()
        try:
            self._part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file: int | None = os.open(self._part, flags, 0o600)
        except OSError as error:
            raise PathError(
                f"no trace can be written to {folder}: {error.strerror or error}",
                hint="Name a folder that you may write to: --trace FOLDER.",
            ) from error

    def write(self, line: Mapping[str, object]) -> None:
        """Append one line; after a fault of the disk or the end of the run, do nothing."""
        text = json.dumps(line)
        with self._lock:
            if self._file is not None:
                try:
                    _write(self._file, f"{text}\n".encode())
                except OSError as error:
                    self._give_up(error)

    def close(self) -> None:
        """Give the file its name."""
        with self._lock:
            if self._file is None:
                return
            try:
                os.fsync(self._file)
                os.close(self._file)
                self._part.replace(self.path)
            except OSError as error:
                self._on_problem(f"the trace is not whole: {error.strerror or error}")
            self._file = None

    def _give_up(self, error: OSError) -> None:
        """Leave the lines that are there."""
        if self._file is not None:
            os.close(self._file)
        self._file = None
        self._on_problem(f"the trace {self._part} ends here: {error.strerror or error}")


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
