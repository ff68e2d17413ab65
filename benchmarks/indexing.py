"""Time and peak memory of indexing a folder, in a process of its own."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import folder
from benchmarks.datasets import documents


def run(name: str, cache: str) -> Mapping[str, object]:
    """Index into an empty folder, then once more, and return seconds, memory and counts."""
    with folder(cache) as place, TemporaryDirectory() as empty:
        [path] = documents(name, place)
        first, report = _index(Path(empty), path)
        size = sum(file.stat().st_size for file in (Path(empty) / "index").rglob("*"))
        again, unchanged = _index(Path(empty), path)
    return {
        **{key: report[key] for key in ("documents", "chunks", "embedded")},
        "seconds": round(first, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
        "index_mb": round(size / 1e6, 1),
        "second_run_seconds": round(again, 1),
        "second_run_embedded": unchanged["embedded"],
    }


def _index(place: Path, path: Path) -> tuple[float, Mapping[str, object]]:
    """Return the seconds of one run and its report; no vectors of other runs are known."""
    command = [sys.executable, "-m", "research_agent.interfaces.cli.main", "index", str(path)]
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 (our own command on a fixed folder)
        [*command, "--index", str(place / "index"), "--json"],
        check=True,
        capture_output=True,
        env={**os.environ, "RESEARCH_AGENT_HOME": str(place)},
    )
    return time.perf_counter() - started, json.loads(done.stdout)
