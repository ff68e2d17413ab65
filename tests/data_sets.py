"""Where the real documents and questions are that some tests read."""

import os
from pathlib import Path

import pytest


def data_set(*parts: str) -> Path:
    """Return a path in the data folder; skips the test without it, but fails it on CI."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("RESEARCH_AGENT_DATA", beside)).joinpath(*parts)
    if path.exists():
        return path
    missing = f"{'/'.join(parts)} is not there: RESEARCH_AGENT_DATA names the folder"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)
