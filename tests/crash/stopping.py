"""Ways to end the child at a chosen moment, or to let its disk fail."""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "rename", "unlink", "unlinkat")
"""What a program changes files with."""


@dataclass(frozen=True)
class Ended:
    """How the child ended."""

    status: int
    """Negative: the number of the signal."""
    errors: str
    seconds: float
    """From the end of its imports on."""


def watched(arguments: Sequence[str]) -> tuple[Ended, Counter[str]]:
    """Let the child run to its end, and count its system calls."""
    with tempfile.NamedTemporaryFile("r") as log:
        command = ["strace", "-f", "-qq", "-o", log.name, "-e", f"trace={','.join(CALLS)}"]
        ended = _ended([*command, *_child(arguments)])
        names = (line.split(maxsplit=1)[1].partition("(")[0] for line in log)
        return ended, Counter(name for name in names if name in CALLS)


def killed_after(arguments: Sequence[str], seconds: float) -> Ended:
    """Kill the child so long after it has begun to work."""
    return _ended(_child(arguments), kill_after=seconds)


def injected(arguments: Sequence[str], call: str, fault: str) -> Ended:
    """Run the child with a fault of strace's, such as "signal=KILL:when=3", in one call."""
    with tempfile.TemporaryDirectory() as folder:
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}"]
        log = str(Path(folder) / "log")
        return _ended(["strace", "-f", "-qq", "-o", log, *inject, *_child(arguments)])


def chosen(calls: Counter[str], random: Random) -> tuple[str, int]:
    """Return a system call of a run, each kind as often, and which one of its kind."""
    call = random.choice(sorted(calls))
    return call, random.randint(1, calls[call])


def _child(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "tests.crash.child", *arguments]


def _ended(command: Sequence[str], kill_after: float | None = None) -> Ended:
    """Run a command to its end."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as child:
        assert child.stdout
        child.stdout.readline()
        began = time.monotonic()
        try:
            _, errors = child.communicate(timeout=kill_after or 60)
        except subprocess.TimeoutExpired:
            child.kill()
            _, errors = child.communicate()
            assert kill_after, "the child hangs"
        return Ended(child.returncode, errors, time.monotonic() - began)
