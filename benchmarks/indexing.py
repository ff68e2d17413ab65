"""Time and peak memory of indexing a folder, in a process of its own.

That is `research-agent index`, which says on stderr how long it was inside the embedding model:
`python -m benchmarks.indexing index PATH --index INDEX --json`.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ParamSpec, TypeVar

from benchmarks.common import folder
from benchmarks.datasets import documents

P = ParamSpec("P")
T = TypeVar("T")
SECONDS = {"loading": 0.0, "embedding": 0.0, "waiting_for_files": 0.0, "linking": 0.0}


def run(name: str, cache: str) -> Mapping[str, object]:
    """Index into an empty folder, then once more, and return seconds, memory and counts."""
    with folder(cache) as place, TemporaryDirectory() as empty:
        [path] = documents(name, place)
        first, report, parts = _index(Path(empty), path)
        size = sum(file.stat().st_size for file in (Path(empty) / "index").rglob("*"))
        again, unchanged, _ = _index(Path(empty), path)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
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
    }


def _index(place: Path, path: Path) -> tuple[float, Mapping[str, object], Mapping[str, float]]:
    """Return the seconds of one run, its report, and seconds by part."""
    command = [sys.executable, "-m", "benchmarks.indexing", "index", str(path)]
    started = time.perf_counter()
    done = subprocess.run(  # noqa: S603 (our own command on a fixed folder)
        [*command, "--index", str(place / "index"), "--json"],
        check=True,
        capture_output=True,
        env={**os.environ, "RESEARCH_AGENT_HOME": str(place)},  # (no vectors kept by other runs)
    )
    seconds = time.perf_counter() - started
    return seconds, json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])


def timed(name: str, function: Callable[P, T]) -> Callable[P, T]:
    """Add the time of each call to SECONDS."""

    @wraps(function)
    def act(*args: P.args, **kwargs: P.kwargs) -> T:
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            SECONDS[name] += time.perf_counter() - started

    return act


if __name__ == "__main__":
    from research_agent.documents.adapters.sandbox import EagerReader
    from research_agent.index.adapters.ledger import writing
    from research_agent.interfaces.cli.main import main
    from research_agent.models.adapters.minilm import Loaded

    Loaded.__init__ = timed("loading", Loaded.__init__)  # type: ignore[method-assign] # (what is measured)
    Loaded.run = timed("embedding", Loaded.run)  # type: ignore[method-assign] # (as above)
    writing.link = timed("linking", writing.link)  # type: ignore[attr-defined] # (as above)
    EagerReader.read = timed("waiting_for_files", EagerReader.read)  # type: ignore[method-assign] # (as above)
    try:
        main()
    finally:
        sys.stderr.write(json.dumps(SECONDS))
