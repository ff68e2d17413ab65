"""Time and peak memory of indexing a folder, in a process of its own."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks import large_search
from benchmarks.places import PDFS


def run(documents: Path = PDFS) -> Mapping[str, object]:
    """Index into an empty folder, then once more, and return seconds, memory and counts.

    At the end the index is searched once for as many chunks as a search may ask for.
    """
    with tempfile.TemporaryDirectory() as folder:
        first, report, parts = _index(Path(folder), documents)
        size = sum(file.stat().st_size for file in (Path(folder) / "index").rglob("*"))
        again, unchanged, _ = _index(Path(folder), documents)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        largest = large_search.run(str(Path(folder) / "index"))
    return {
        "documents": report["documents"],
        "chunks": report["chunks"],
        "embedded": report["embedded"],
        "seconds": round(first, 1),
        **{f"{name}_seconds": round(seconds, 1) for name, seconds in parts.items()},
        "embedding_share": round((parts["loading"] + parts["embedding"]) / first, 3),
        "peak_mb": round(peak),
        "index_mb": round(size / 1e6, 1),
        "second_run_seconds": round(again, 1),
        "second_run_embedded": unchanged["embedded"],
        **{f"largest_search_{name}": value for name, value in largest.items()},
    }


def _index(
    folder: Path, documents: Path
) -> tuple[float, Mapping[str, object], Mapping[str, float]]:
    """Return the seconds of one run, its report, and seconds by part."""
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 (our own command on a fixed folder)
        [
            sys.executable,
            "-m",
            "benchmarks.indexing_child",
            "index",
            str(documents),
            "--index",
            str(folder / "index"),
            "--json",
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "RESEARCH_AGENT_HOME": str(folder)},  # (no vectors kept by other runs)
    )
    seconds = time.perf_counter() - started
    return seconds, json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])
