"""Time and memory of one call of the search tool that wants as many chunks as may be asked for.

Run as a module it measures an index in its own process: `python -m benchmarks.large_search INDEX`.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping

from graphs.tool_inputs import LARGEST
from graphs.tools import ResearchTools
from research_agent.assembly.connection import connect
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.settings import Settings

QUERY = "Which fields does a request to create something need?"


def run(index: str) -> Mapping[str, float]:
    """Return what a process of its own tells about the index."""
    command = [sys.executable, "-m", "benchmarks.large_search", index]
    done = subprocess.run(command, check=True, capture_output=True)  # noqa: S603 (our own command)
    told: Mapping[str, float] = json.loads(done.stdout)
    return told


def measured(index: str) -> Mapping[str, float]:
    """Search for a few chunks, then for `LARGEST`, and return chunks, seconds and memory."""
    with connect(index, Settings(), {}) as connection:
        tools = ResearchTools(RunContext(connection.ports, Settings(), load_prompts()))
        tools.search(QUERY, max_chunks=10)
        before, started = _peak_mb(), time.perf_counter()
        found = tools.search(QUERY, max_chunks=LARGEST, include_references=True)
        return {
            "chunks": len(found.hits),
            "seconds": round(time.perf_counter() - started, 2),
            "peak_mb_before": round(before),
            "peak_mb": round(_peak_mb()),
        }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
