"""What blending did, as lines of JSON in a file of the user's."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from research_agent.closeable import Closing
from research_agent.errors import ConfigError
from research_agent.retrieval.reorder.blending_report import footer, query_row, read
from research_agent.types.blending import BlendDiagnostics


class BlendLines(Closing):
    """Appends one line a query to a file, and the sums over the whole file when it is closed.

    Implements BlendLog. Nothing is ever taken out of the file; earlier sums in it count for
    nothing. Threads may share it. Where the disk fails, `on_problem` is told once and no more is
    written.
    """

    def __init__(self, path: str, *, on_problem: Callable[[str], None]) -> None:
        """Make the file where there is none; raises ConfigError where it cannot be written."""
        self._path, self._on_problem = Path(path).expanduser().absolute(), on_problem
        self._lock, self._count, self._broken = Lock(), 0, False
        try:
            self._write("")
        except OSError as error:
            raise ConfigError(
                f"the file that blend.diagnostics names cannot be written: {error}",
                hint="Name a file in a folder that there is, or leave blend.diagnostics empty.",
            ) from error

    def put(self, query: str, diagnostics: BlendDiagnostics) -> None:
        """Append the line of one query."""
        with self._lock:
            self._append(lambda: query_row(query, diagnostics))
            self._count += 1

    def close(self) -> None:
        """Append the sums, where there is anything new; calling it again does nothing."""
        with self._lock:
            if self._count:
                self._append(self._sums)
            self._count = 0

    def _sums(self) -> dict[str, object]:
        rows = read(self._path.read_text(encoding="utf-8", errors="replace"))
        return footer([row for row in rows if "query" in row])

    def _append(self, row: Callable[[], dict[str, object]]) -> None:
        if self._broken:
            return
        try:
            self._write(json.dumps(row(), ensure_ascii=False) + "\n")
        except OSError as error:
            self._broken = True
            what = "the file that blend.diagnostics names cannot be written"
            self._on_problem(f"{what}: {error}; the lines of this run end there")

    def _write(self, text: str) -> None:
        """Append `text`; a half character in a query is written as its escape."""
        with self._path.open("ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
