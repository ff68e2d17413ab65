"""Time and peak memory of indexing the six NIST PDFs, in a process of its own."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.places import PDFS


def run() -> Mapping[str, object]:
    """Index into an empty folder, then once more, and return seconds, memory and counts."""
    with tempfile.TemporaryDirectory() as folder:
        first, report = _index(Path(folder))
        again, unchanged = _index(Path(folder))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "documents": report["documents"],
        "chunks": report["chunks"],
        "embedded": report["embedded"],
        "seconds": round(first, 1),
        "peak_mb": round(peak),
        "second_run_seconds": round(again, 1),
        "second_run_embedded": unchanged["embedded"],
    }


def _index(folder: Path) -> tuple[float, Mapping[str, object]]:
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 (our own command on a fixed folder)
        [
            sys.executable,
            "-m",
            "research_agent.app.cli",
            "index",
            str(PDFS),
            "--index",
            str(folder / "index"),
            "--json",
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "RESEARCH_AGENT_HOME": str(folder)},  # (no vectors kept by other runs)
    )
    return time.perf_counter() - started, json.loads(done.stdout)
