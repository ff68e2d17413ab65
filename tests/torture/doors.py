"""The command line in a fork of a process that has loaded everything already."""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graphs.research import recursion_limit
from research_agent.config import configured
from research_agent.interfaces.cli.main import COMMANDS, Commands, main
from research_agent.models.adapters import minilm
from tests.torture.harness import Child, Killed, fail, holds, import_all

DONE = frozenset({0, 1, 2, 3, 4})
_real = minilm._loaded  # noqa: SLF001 (loaded once, for all forks)


@dataclass(frozen=True)
class Told:
    """What a command said."""

    command: str
    status: int
    out: str
    errors: str

    @property
    def text(self) -> str:
        return f"{self.command}: status {self.status}: {self.errors[-700:]}"


@cache
def warm() -> None:
    """Load commands, presets and the embedding model, on one thread: no fork waits for another."""
    import chromadb  # noqa: F401

    minilm._loaded = _on_one_thread  # noqa: SLF001
    minilm.MiniLM().embed(["warm"])
    recursion_limit(configured(None, {}).settings)
    for name in COMMANDS:
        Commands.get_command(main, None, name)  # type: ignore[arg-type]  # (it reads the name alone)


def _on_one_thread(files: minilm.Packaged, threads: int) -> minilm.Loaded:  # noqa: ARG001 (as it is called)
    return _real(files, 1)


def command(
    *arguments: str,
    folder: Path,
    said: str = "",
    environment: Mapping[str, str] | None = None,
    seconds: float = 60.0,
) -> Told:
    """Give a command in `folder`; raises Failure where it hangs, dies or ends in a traceback."""
    out, errors = folder / ".out", folder / ".errors"

    def work() -> tuple[int, list[str]]:
        os.chdir(folder)
        os.environ |= environment or {}
        _redirect(out, errors, said)
        try:
            main(list(arguments), prog_name="research-agent")
        except SystemExit as ended:
            sys.stdout.flush()
            sys.stderr.flush()
            return int(ended.code or 0), [*sys.modules]
        return 0, [*sys.modules]

    came = Child(work).wait(seconds)
    told = [file.read_text(encoding="utf-8", errors="replace") for file in (out, errors)]
    out.unlink()
    errors.unlink()
    if isinstance(came, Killed):
        fail("traceback", f"{arguments}: ended by signal {came.signal}")
    status, names = came
    import_all(names)
    found = Told(" ".join(arguments)[:100], status, *told)
    is_sound(found)
    return found


def is_sound(told: Told) -> None:
    """Check that errors are told in words, and say what to do."""
    for word in ("Traceback (most recent", "error: unexpected"):
        holds(word not in told.out + told.errors, told.text, "traceback")
    holds(told.status in DONE, told.text, "traceback")
    if told.status == 1 and told.command.startswith(("doctor", "models")):
        holds("cure" in told.out or "hint: " in told.out, f"no cure: {told.out}")
    elif told.status in (1, 2):
        holds("rror: " in told.errors, f"no error is told: {told.text}")
        holds("hint: " in told.errors or "Usage: " in told.errors, f"no hint: {told.text}")


def _redirect(out: Path, errors: Path, said: str) -> None:
    files: Sequence[tuple[Path, int]] = ((out, 1), (errors, 2))
    for path, number in files:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, number)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (until the child ends)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    read, write = os.pipe()
    os.write(write, said.encode())
    os.close(write)
    os.dup2(read, 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
