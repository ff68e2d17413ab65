"""What blending did, as lines of JSON in a file of the user's: one a query, then the sums."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from threading import Lock

from research_agent.closeable import Closing
from research_agent.errors import ConfigError
from research_agent.types.retrieval import BlendDiagnostics

Row = Mapping[str, object]


class BlendLines(Closing):
    """Appends one line a query to a file, and the sums over the whole file when it is closed.

    Implements BlendLog; threads may share it. Where the disk fails, `on_problem` is called once.
    """

    def __init__(self, path: str, *, on_problem: Callable[[str], None]) -> None:
        """Make the file where there is none; raises ConfigError where it cannot be written."""
        self._on_problem, self._lock, self._count, self._broken = on_problem, Lock(), 0, False
        try:
            self._path = Path(path).expanduser().absolute()
            self._write("")
        except (OSError, RuntimeError) as error:  # (there is no user of the name behind ~)
            raise ConfigError(
                f"the file that blend.diagnostics names cannot be written: {error}",
                hint="Name a file in a folder that there is, or leave blend.diagnostics empty.",
            ) from error

    def put(self, query: str, diagnostics: BlendDiagnostics) -> None:
        """Append the line of one query."""
        with self._lock:
            self._append(lambda: {"query": query, **asdict(diagnostics)})
            self._count += 1

    def close(self) -> None:
        """Append the sums, where there is anything new; calling it again does nothing."""
        with self._lock:
            if self._count:
                self._append(lambda: summary(rows_of(self._read())))
            self._count = 0

    def _append(self, row: Callable[[], dict[str, object]]) -> None:
        if self._broken:
            return
        try:
            self._write(json.dumps(row(), ensure_ascii=False) + "\n")
        except OSError as error:
            self._broken = True
            what = "the file that blend.diagnostics names cannot be written"
            self._on_problem(f"{what}: {error}; the lines of this run end there")

    def _read(self) -> str:
        return self._path.read_text(encoding="utf-8", errors="replace")

    def _write(self, text: str) -> None:
        """Append `text`; a half character in a query is written as its escape."""
        with self._path.open("ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))


def rows_of(text: str) -> list[Row]:
    """Return the lines of queries in a file; others, and broken ones, are left out."""
    rows: list[Row] = []
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and "query" in row:
            rows.append(row)
    return rows


def summary(rows: Sequence[Row]) -> dict[str, object]:
    """Return the sums over the lines of queries; `changed_share` is of the first `top_k` ranks."""
    values = (row.get("spearman") for row in rows)
    known = [float(value) for value in values if isinstance(value, int | float)]
    counts = (row.get("changed") for row in rows)
    changed = [value if isinstance(value, int) else 0 for value in counts]
    firsts = (row.get("before") for row in rows)
    ranks = sum(len(value) for value in firsts if isinstance(value, list))
    return {
        "summary": True,
        "queries": len(rows),
        "changed_queries": sum(value > 0 for value in changed),
        "changed_share": sum(changed) / ranks if ranks else 0.0,
        "first_off": sum(bool(row.get("first")) for row in rows),
        "second_off": sum(bool(row.get("second")) for row in rows),
        "unknown": sum(row.get("known") == 0 for row in rows),
        "spearman_queries": len(known),
        "spearman_mean": sum(known) / len(known) if known else None,
        "spearman_min": min(known, default=None),
        "spearman_max": max(known, default=None),
    }
