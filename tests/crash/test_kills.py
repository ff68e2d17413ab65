"""Killed at any moment, the next run ends with the index of an undisturbed one."""

import os
import shutil
import signal
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.crash.scenarios import Scenario
from tests.needed import missing

KILLS = int(os.environ.get("RESEARCH_AGENT_KILLS", "20"))
SEED = int(os.environ.get("RESEARCH_AGENT_KILL_SEED", "1"))
AGAIN = 0.25
"""So often the run after a killed one is killed as well."""
SHARES = {
    ("first", False): 4,
    ("update", False): 6,
    ("rebuild", False): 4,
    ("update", True): 4,
    ("rebuild", True): 2,
}
"""Of twenty runs: a first one, an update and a rebuild; searched exactly, and by Chroma."""


@pytest.mark.parametrize(("kind", "chroma"), SHARES)
def test_a_killed_run_is_mended_by_the_next(tmp_path: Path, kind: str, chroma: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """Readers see the old index or the new one; the next run's index is the undisturbed one's."""
    if shutil.which("strace") is None:
        missing("strace is not installed")
    scenario = Scenario(tmp_path / "scenario", chroma, kind)
    outcomes: Counter[str] = Counter()
    for number in range(max(1, KILLS * SHARES[kind, chroma] // 20)):
        seed = f"{SEED}-{kind}-{chroma}-{number}"
        random, location = Random(seed), scenario.fresh(f"run-{number}")  # noqa: S311 (to be repeated)
        for _ in range(2 if random.random() < AGAIN else 1):
            moment, ended = scenario.kill(location, random)
            print(f"seed {seed}: {moment}, status {ended.status}")  # noqa: T201 (shown where it fails)
            killed = ended.status in (-signal.SIGKILL, 128 + signal.SIGKILL)
            assert killed or not ended.status, ended.errors
            outcomes["killed" if killed else "ended before"] += 1
        scenario.check(location)
    print(kind, "chroma" if chroma else "exact", dict(outcomes))  # noqa: T201 (as above)
    assert outcomes["killed"]
