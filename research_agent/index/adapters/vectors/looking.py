"""Looking at Chroma's files in a process of its own: damaged ones can end the process."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from research_agent.errors import IndexingError
from research_agent.index.adapters.vectors.chroma import latest, opened, pages

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class VectorsSeen:
    """What was seen: the number of vectors, or why there is none."""

    vectors: int = 0
    problem: str = ""
    crashed: bool = False
    """The process ended, or did not end in time."""


def look(folder: Path, *, seconds: float = SECONDS) -> VectorsSeen:
    """Return how many vectors can be read from `folder`; raises nothing, whatever is in it."""
    try:
        child = subprocess.run(  # noqa: S603 (our own program, no shell)
            [sys.executable, "-P", "-m", __name__, str(folder)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=seconds,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except subprocess.TimeoutExpired:
        return VectorsSeen(problem=f"not read within {seconds:.0f} s", crashed=True)
    except OSError as error:
        return VectorsSeen(problem=f"no process to read it in: {error.strerror or error}")
    try:
        found = json.loads(child.stdout.splitlines()[-1])
        return VectorsSeen(int(found["vectors"]), str(found["problem"]))
    except (IndexError, ValueError, KeyError, TypeError):
        why = f"the process that opened it ended with status {child.returncode}"
        return VectorsSeen(problem=why, crashed=True)


def read(folder: Path) -> VectorsSeen:
    """Return how many vectors the latest generation in `folder` has, read in this process."""
    try:
        files = latest(folder)
        if not files:
            return VectorsSeen(problem="no generation of its files is whole")
        with opened(files) as collection:
            return VectorsSeen(sum(len(page["ids"]) for page in pages(collection, "embeddings")))
    except (IndexingError, OSError) as error:
        return VectorsSeen(problem=" ".join(str(error).split()))


def main(folder: str) -> int:
    """Read a folder and print what was seen."""
    seen = read(Path(folder))
    sys.stdout.write(json.dumps({"vectors": seen.vectors, "problem": seen.problem}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
