"""The file of one run: a line is there whole or not at all, whenever the run ends."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from research_agent.closeable import Closing
from research_agent.errors import PathError
from research_agent.private_files import read_regular

FORMAT = 1
"""The version of the format of traces."""
UNFINISHED = ".part"
"""The ending of a file whose run has not ended, or has crashed."""
MAX_BYTES = 2**30


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

    @property
    def is_whole(self) -> bool:
        """Whether every line so far could be written."""
        return self._file is not None

    def write(self, line: Mapping[str, object]) -> None:
        """Append one line; after a fault of the disk or the end of the run, do nothing."""
        data = f"{json.dumps(line)}\n".encode()
        with self._lock:
            if self._file is None:
                return
            try:
                while data:
                    data = data[os.write(self._file, data) :]
            except OSError as error:
                os.close(self._file)
                self._file = None
                self._on_problem(f"the trace {self._part} ends here: {error.strerror or error}")

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


def read_lines(path: str) -> list[Mapping[str, Any]]:
    """Return the lines of a trace, the header first; raises PathError for what is none.

    A last line that was cut off, as a crash may leave it, is passed over.
    """
    try:
        texts = read_regular(Path(path).expanduser(), MAX_BYTES).split(b"\n")
    except OSError as error:
        raise _no_trace(path, error.strerror or str(error)) from error
    lines: list[Mapping[str, Any]] = []
    for number, text in enumerate(texts[:-1], 1):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _no_trace(path, f"line {number} is not JSON") from error
        if not isinstance(line, dict):
            raise _no_trace(path, f"line {number} is no JSON object")
        lines.append(line)
    if not lines or lines[0].get("line") != "header":
        raise _no_trace(path, "it does not begin with a header")
    if lines[0].get("format") != FORMAT:
        raise _no_trace(path, f"its format is {lines[0].get('format')!r}, not {FORMAT}")
    return lines


def _no_trace(path: str, why: str) -> PathError:
    return PathError(
        f"{path} is no trace that can be replayed: {why}",
        hint="Name a file that `research-agent ask --trace FOLDER` has written.",
    )
