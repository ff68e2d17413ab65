"""A folder with the rows of an evaluation: written as they come, read when it goes on."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from research_agent.errors import EvaluationError
from research_agent.evaluation.rows import EvalRow

ABOUT, ROWS, LOCK = "about.json", "rows.jsonl", "lock"
ROW: TypeAdapter[EvalRow] = TypeAdapter(EvalRow)
AGAIN = "Name another folder with --out, or begin anew with --restart."


class KeptRun:
    """The folder of one evaluation, while it is written to."""

    def __init__(self, folder: Path, about: Mapping[str, str]) -> None:
        """Name the folder, and what its rows depend on."""
        self._folder, self._about = folder, dict(about)
        self._lock = FileLock(folder / LOCK, timeout=0)

    def __enter__(self) -> Self:
        """Make the folder, or see that it goes on as it was begun; raises EvaluationError."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
            self._check()
            whole = _whole_lines(self._folder / ROWS)
            self._file = (self._folder / ROWS).open("r+b" if whole else "w+b")
            self._file.truncate(whole)
            self._file.seek(whole)
        except Timeout as error:
            raise EvaluationError(
                f"another evaluation is writing to {self._folder}",
                hint="Wait for it, or name another folder with --out.",
            ) from error
        except OSError as error:
            self._lock.release()
            raise EvaluationError(
                f"{self._folder} cannot be written to: {error.strerror}", hint="Give another --out."
            ) from error
        except EvaluationError:
            self._lock.release()
            raise
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close the file, and let others write."""
        self._file.close()
        self._lock.release()

    def rows(self) -> tuple[EvalRow, ...]:
        """Return the rows so far; raises EvaluationError."""
        return read_rows(self._folder)

    def add(self, row: EvalRow) -> None:
        """Keep a row: it is on the disk when this returns."""
        self._file.write(ROW.dump_json(row) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _check(self) -> None:
        path = self._folder / ABOUT
        if not path.exists():
            path.write_text(json.dumps(self._about, indent=1), encoding="utf-8")
            return
        before = read_about(self._folder)
        changed = [
            f"{name} was {before.get(name, 'not there')}, and is {self._about.get(name, 'not')}"
            for name in dict.fromkeys([*before, *self._about])
            if before.get(name) != self._about.get(name)
        ]
        if changed:
            raise EvaluationError(
                f"{self._folder} has an evaluation of something else: {'; '.join(changed)}",
                hint=AGAIN,
            )


def read_about(folder: Path) -> dict[str, str]:
    """Return what a run was done with; raises EvaluationError."""
    try:
        found = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"{folder / ABOUT} cannot be read: {error}", hint=AGAIN) from error
    return {str(name): str(value) for name, value in dict(found).items()}


def begun_rows(folder: Path) -> tuple[EvalRow, ...]:
    """Return the rows that a folder has already; none where it has none."""
    return read_rows(folder) if (folder / ROWS).exists() else ()


def restarted(folder: Path) -> None:
    """Forget the rows of a folder, and what they were done with."""
    for name in (ABOUT, ROWS):
        (folder / name).unlink(missing_ok=True)


def read_rows(folder: Path) -> tuple[EvalRow, ...]:
    """Return the rows of a folder, of each question the last one; raises EvaluationError."""
    path = folder if folder.is_file() else folder / ROWS
    rows: dict[str, EvalRow] = {}
    try:
        for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):  # noqa: B007 (told below)
            if line.endswith(b"\n"):  # (else it was cut off while it was written)
                row = ROW.validate_json(line)
                rows[row.qid] = row
    except OSError as error:
        raise EvaluationError(
            f"{path}: {error.strerror}", hint="Name the folder of an evaluation."
        ) from error
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise EvaluationError(f"{path}, line {number}: no row ({why})", hint=AGAIN) from error
    return tuple(rows.values())


def _whole_lines(path: Path) -> int:
    """Return how many bytes of a file are whole lines; 0 without a file."""
    return path.read_bytes().rfind(b"\n") + 1 if path.exists() else 0
