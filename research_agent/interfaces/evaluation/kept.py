"""A folder with the rows of an evaluation: written as they come, read when it goes on."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from research_agent.errors import EvaluationError
from research_agent.evaluation.rows import EvalRow
from research_agent.private_files import replace_text, touch

ABOUT, ROWS, LOCK = "about.json", "rows.jsonl", "lock"
ROW: TypeAdapter[EvalRow] = TypeAdapter(EvalRow)
AGAIN = "Name another folder with --out, or begin anew with --restart."


@contextmanager
def kept_run(folder: Path, about: Mapping[str, str]) -> Iterator[Callable[[EvalRow], None]]:
    """Open the folder of an evaluation of `about`, and give what keeps a row on the disk.

    Raises EvaluationError where it holds an evaluation of something else, or another process
    writes to it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        _check(folder, about)
        if not (folder / ABOUT).exists():
            replace_text(folder / ABOUT, json.dumps(dict(about), indent=1))
        path = folder / ROWS
        touch(path)
        whole = path.read_bytes().rfind(b"\n") + 1
        with path.open("ab") as file:
            file.truncate(whole)  # (a row may have been cut off while it was written)

            def add(row: EvalRow) -> None:
                file.write(ROW.dump_json(row) + b"\n")
                file.flush()
                os.fsync(file.fileno())

            yield add


def _locked(folder: Path) -> AbstractContextManager[object]:
    try:
        return FileLock(folder / LOCK, timeout=0).acquire()
    except Timeout as error:
        wait = "Wait for it, or name another folder with --out."
        raise EvaluationError(f"another evaluation writes to {folder}", hint=wait) from error


def _check(folder: Path, about: Mapping[str, str]) -> None:
    path = folder / ABOUT
    if not path.exists():
        return
    try:
        before = dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise EvaluationError(f"{path} cannot be read: {error}", hint=AGAIN) from error
    changed = [
        f"{name} was {before.get(name, 'not there')}, and is {about.get(name, 'not there')}"
        for name in dict.fromkeys([*before, *about])
        if before.get(name) != about.get(name)
    ]
    if changed:
        said = f"{folder} has an evaluation of something else: {'; '.join(changed)}"
        raise EvaluationError(said, hint=AGAIN)


def restarted(folder: Path) -> None:
    """Forget the rows of a folder; raises EvaluationError where another process writes to it."""
    if not folder.exists():
        return
    with _locked(folder):
        for name in (ABOUT, ROWS):
            (folder / name).unlink(missing_ok=True)


def begun_rows(folder: Path, about: Mapping[str, str]) -> tuple[EvalRow, ...]:
    """Return the rows that an evaluation of `about` goes on from; raises EvaluationError."""
    _check(folder, about)
    return read_rows(folder) if (folder / ROWS).exists() else ()


def read_rows(folder: Path) -> tuple[EvalRow, ...]:
    """Return the last row of each question; raises EvaluationError."""
    path = folder / ROWS
    if not path.exists():
        raise EvaluationError(f"no evaluation is in {folder}", hint="Name the folder of one.")
    rows: dict[str, EvalRow] = {}
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            row = ROW.validate_json(line)
        except ValidationError as error:
            why = error.errors()[0]["msg"]
            raise EvaluationError(f"{path}, line {number}: no row ({why})", hint=AGAIN) from error
        rows[row.qid] = row
    return tuple(rows.values())
