"""Runs the cases of a part, each with its seed, and keeps a line of each in a file."""

import gc
import json
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from research_agent.text.language import languages_of

KINDS = ("lost", "leaked", "hung", "traceback", "broken")
"""What may come of a case that does not hold; `broken`: any other promise."""
KEPT = Path(__file__).with_name("kept.json")
"""Cases that failed once, by part; the quick run has them too."""


class Failure(Exception):  # noqa: N818 (what was found)
    """A promise is broken; `kind` is one of KINDS."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(kind, what)
        self.kind, self.what = kind, what


@dataclass(frozen=True)
class Part:
    """One row of the table."""

    name: str
    about: str
    total: int
    """Cases of the whole run."""
    quick: int
    """Cases of the run in CI, spread over all."""
    prepare: Callable[[Path], Any]
    """Make what the cases share, once a process, in a folder; parts of a module may share it."""
    case: Callable[[Any, int, Random, Path], str]
    """Run a case in an empty folder and say in a word what came of it; raises Failure."""
    by: str = ""
    """What makes the faults."""
    seconds: float = 60.0
    """A case may take; longer is hung."""

    def numbers(self, *, quick: bool) -> list[int]:
        """Return the cases of a run."""
        if not quick:
            return list(range(self.total))
        spread = {i * self.total // self.quick for i in range(self.quick)}
        return sorted(spread | set(json.loads(KEPT.read_text()).get(self.name, ())))

    def seed(self, number: int) -> str:
        """Return what the random choices of a case begin with."""
        return f"{self.name}-{number}"


@dataclass(frozen=True)
class Killed:
    """What a child came to that did not end by itself."""

    signal: int


def fail(kind: str, what: str) -> NoReturn:
    """Break the case off."""
    raise Failure(kind, what)


def holds(condition: object, what: str, kind: str = "broken") -> None:
    """Go on only where the condition holds."""
    if not condition:
        fail(kind, what)


def forked(work: Callable[[], Any], *, seconds: float = 60.0) -> Any:  # noqa: ANN401 (what it returns)
    """Return what `work` returns in a child process, or Killed; raises what it raises.

    The child and all that it has started is ended when it is done, or after `seconds`.
    """
    return Child(work).wait(seconds)


def rehearsed(work: Callable[[], Any]) -> Any:  # noqa: ANN401 (what it returns)
    """Return what `work` returns in a child; what it imports there is imported here too."""
    value, names = forked(lambda: (work(), list(sys.modules)))
    import_all(names)
    return value


def import_all(names: Iterable[str]) -> None:
    """Import modules, so that no later child has to."""
    for name in sorted(set(names) - set(sys.modules)):
        with suppress(Exception):  # (a module that cannot be imported by itself)
            import_module(name)


class Child:
    """A fork of this process that does one thing."""

    def __init__(self, work: Callable[[], Any]) -> None:
        """Begin."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it is waited for)
        self.pid = os.fork()
        if not self.pid:
            self._run(work)

    def wait(self, seconds: float = 60.0) -> Any:  # noqa: ANN401 (as above)
        """Return what came of it."""
        until, step = time.monotonic() + seconds, 0.001
        while not (done := os.waitpid(self.pid, os.WNOHANG))[0]:
            if time.monotonic() > until:
                self.kill()
                os.waitpid(self.pid, 0)
                fail("hung", f"nothing after {seconds:g} s")
            time.sleep(step)
            step = min(step * 1.5, 0.05)
        self.kill()  # (what it has left behind)
        with self._file as file:
            if os.WIFSIGNALED(done[1]):
                return Killed(os.WTERMSIG(done[1]))
            file.seek(0)
            data = file.read()
        holds(data, f"it ended with status {os.waitstatus_to_exitcode(done[1])}")
        raised, value = pickle.loads(data)  # noqa: S301 (our own)
        if raised:
            raise value
        return value

    def kill(self) -> None:
        """End it, with all that it has started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def _run(self, work: Callable[[], Any]) -> NoReturn:
        os.setsid()
        signal.alarm(0)
        try:
            said = (False, work())
        except Failure as failure:
            said = (True, failure)
        except BaseException:  # noqa: BLE001 (whatever it is, it is told)
            said = (True, Failure("traceback", traceback.format_exc()[-1500:]))
        self._file.write(pickle.dumps(said))
        self._file.flush()
        os._exit(0)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Let what takes longer be hung."""

    def late(_signal: int, _frame: object) -> None:
        fail("hung", f"nothing after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run(parts: Sequence[Part], results: Path, *, quick: bool) -> None:
    """Run cases that no file in `results` has a line of, and add a line of each."""
    languages_of("loaded here, or by each child for itself")
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder, shared = Path(name).resolve(), dict[Callable[[Path], Any], Any]()
        for part in parts:
            if part.prepare not in shared:
                place = folder / f"shared-{len(shared)}"
                place.mkdir()
                shared[part.prepare] = part.prepare(place)
                gc.freeze()  # (a child would copy each page whose objects it counts)
            file = results / f"{part.name}.jsonl"
            done = {line["case"] for line in lines(file)}
            for number in (one for one in part.numbers(quick=quick) if one not in done):
                line = _line(part, number, shared[part.prepare], folder / f"case-{number}")
                with file.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(line) + "\n")


def _line(part: Part, number: int, shared: object, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    began, what = time.monotonic(), ""
    try:
        with limited(part.seconds):
            outcome = part.case(shared, number, Random(part.seed(number)), folder)  # noqa: S311 (to be repeated)
    except Failure as failure:
        outcome, what = failure.kind, failure.what
    except Exception:  # noqa: BLE001 (whatever it is, it is told)
        outcome, what = "traceback", traceback.format_exc()[-1500:]
    _remove(folder)
    told = {"case": number, "seed": part.seed(number), "outcome": outcome}
    return {
        **told,
        "seconds": round(time.monotonic() - began, 3),
        **({"what": what} if what else {}),
    }


def _remove(folder: Path) -> None:
    import shutil

    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def lines(results: Path) -> list[dict[str, Any]]:
    """Return what is kept of the cases that were run; a line that was cut off is none."""
    found = []
    for line in results.read_text(encoding="utf-8").splitlines() if results.is_file() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
