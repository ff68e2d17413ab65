"""Engines in processes of their own, those that are no part of the product in environments too."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.engines.measuring import Phase, Query, Task, write_task
from benchmarks.peers.running import PeerError, run_command
from benchmarks.places import ROOT

K = 30
"""Chunks asked for: what the product takes from each index."""
MEMORY = 8_000_000_000
"""Bytes of address space that one process may have."""
SECONDS = 600
"""Time that one process may take."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An engine, what it needs, and up to how many chunks it is measured."""

    name: str
    module: str
    packages: tuple[str, ...] = ()
    up_to: int = 10_000_000


CANDIDATES = (
    Candidate("our adapter (FTS5, splits words)", "benchmarks.engines.with_adapter", (), 100_000),
    Candidate("SQLite FTS5", "benchmarks.engines.with_fts5"),
    Candidate("tantivy", "benchmarks.engines.with_tantivy", ("tantivy==0.27.0",)),
    Candidate("bm25s", "benchmarks.engines.with_bm25s", ("bm25s==0.3.16", "numpy>=2")),
)


@dataclass(frozen=True, slots=True)
class Job:
    """What an engine is measured on; its index stays in `folder` between the phases."""

    rows: Path
    queries: Sequence[Query]
    folder: str
    cache: Path


def phase(candidate: Candidate, job: Job, name: Phase) -> Mapping[str, Any]:
    """Run one phase in a process of its own and return its figures; raises PeerError."""
    python = interpreter(candidate, job.cache)
    with TemporaryDirectory(dir=job.cache) as folder:
        given, figures = Path(folder) / "task.json", Path(folder) / "figures.json"
        write_task(Task(name, str(job.rows), job.folder, tuple(job.queries), K, MEMORY), given)
        try:
            done = subprocess.run(  # noqa: S603 (our own module)
                [str(python), "-m", candidate.module, str(given), str(figures)],
                capture_output=True,
                text=True,
                check=False,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise PeerError(f"{name}: not ended after {SECONDS} s") from error
        if done.returncode:
            words = done.stderr.strip().splitlines()
            raise PeerError(f"{name}: {words[-1] if words else done.returncode}")
        told: Mapping[str, Any] = json.loads(figures.read_text(encoding="utf-8"))
        return told


def interpreter(candidate: Candidate, cache: Path) -> Path:
    """Return the interpreter of an environment that has the engine, made where there is none.

    Raises PeerError where it cannot be installed.
    """
    if not candidate.packages:
        return Path(sys.executable)
    wanted = "\n".join(candidate.packages)
    folder = cache / "environments" / f"{candidate.name}-{sha256(wanted.encode()).hexdigest()[:8]}"
    python, done = folder / "bin" / "python", folder / "installed.txt"
    if not done.exists():
        rmtree(folder, ignore_errors=True)
        run_command([sys.executable, "-m", "venv", str(folder)], f"{candidate.name}: venv")
        pip = [str(python), "-m", "pip", "install", "--quiet", *candidate.packages]
        run_command(pip, f"{candidate.name}: not installed")
        done.write_text(wanted, encoding="utf-8")
    return python
