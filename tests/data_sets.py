"""Where the real documents and questions are that some tests read."""

import os
from pathlib import Path

from tests.needed import missing


def data_set(*parts: str) -> Path:
    """Return a path in the data folder; skips the test without it, but fails it on CI."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("RESEARCH_AGENT_DATA", beside)).joinpath(*parts)
    if path.exists():
        return path
    return missing(f"{'/'.join(parts)} is not there: RESEARCH_AGENT_DATA names the folder")
