"""A full disk and I/O errors, injected into one system call: told in words, nothing is lost."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest

from tests.crash.scenarios import Scenario
from tests.crash.stopping import chosen, injected
from tests.needed import missing

RUNS = max(1, int(os.environ.get("RESEARCH_AGENT_KILLS", "20")) // 20)
"""Of each of the four kinds."""
WRITES = {"pwrite64", "fdatasync", "fsync", "ftruncate", "rename", "unlink"}


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("chroma", [False, True])
def test_a_failing_disk_is_told_and_loses_nothing(
    tmp_path: Path,
    error: str,
    chroma: bool,  # noqa: FBT001 (a parameter of the test)
) -> None:
    """From a random call on all of its kind fail: an error with a hint, and the index answers."""
    if shutil.which("strace") is None:
        missing("strace is not installed")
    scenario = Scenario(tmp_path / "scenario", chroma, "update")
    for call in list(scenario.calls):
        if call not in WRITES:
            del scenario.calls[call]
    for number in range(RUNS):
        seed = f"{error}-{chroma}-{number}"
        call, when = chosen(scenario.calls, Random(seed))  # noqa: S311 (to be repeated)
        location = scenario.fresh(seed)
        ended = injected(scenario.arguments(location), call, f"error={error}:when={when}+")
        print(f"seed {seed}: {call} {when}, status {ended.status}: {ended.errors[:300]}")  # noqa: T201 (shown where it fails)
        assert ended.status in (0, 1), ended.errors
        if ended.status:
            first, second = ended.errors.splitlines()
            assert first.startswith(("IndexingError: ", "IndexDamagedError: ", "PathError: "))
            assert len(second) > len("hint: ")
        scenario.check(location)
