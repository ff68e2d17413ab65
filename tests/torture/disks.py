"""Kills at every change of the disk while indexing, bad disks, and two writers beside readers."""

import errno
import time
from functools import partial
from pathlib import Path
from random import Random

from tests.torture.child import failed
from tests.torture.comparing import glimpse
from tests.torture.harness import Child, Killed, Part, holds
from tests.torture.scenarios import Scenario
from tests.torture.shim import CHANGES, KILL_AFTER, KILL_BEFORE, KILL_HALF, OPEN, arm

KINDS = [(kind, chroma) for chroma in (False, True) for kind in ("first", "update", "rebuild")]
AGAIN = 0.1
"""So often the run after a killed one is killed as well."""
BESIDE = (("update", False), ("rebuild", False), ("update", True))
"""What two writers do at once."""
WAYS = {KILL_BEFORE: "before", KILL_HALF: "half", KILL_AFTER: "after"}
FAULTS = {
    "disk full": (errno.ENOSPC, CHANGES, True),
    "disk full once": (errno.ENOSPC, CHANGES, False),
    "I/O error": (errno.EIO, CHANGES, True),
    "I/O error once": (errno.EIO, CHANGES, False),
    "read-only": (errno.EROFS, CHANGES | OPEN, True),
}


def prepared(folder: Path) -> list[Scenario]:
    return [Scenario(folder / f"{kind}-{chroma}", chroma, kind) for kind, chroma in KINDS]


def killed(shared: list[Scenario], number: int, random: Random, folder: Path) -> str:
    """Kill a run at a change: at each one of a ledger, at every fourth of one with Chroma."""
    places = [
        (scenario, at)
        for scenario in shared
        for at in range(1, scenario.changes(CHANGES) + 1, 4 if scenario.chroma else 1)
    ]
    scenario, at = places[number] if number < len(places) else random.choice(places)
    way = random.choice(sorted(WAYS))
    location = scenario.fresh(folder / "index")
    said = scenario.faulty(location, at, way)
    holds(isinstance(said, Killed) or said == "", f"it said {said}")
    if random.random() < AGAIN:
        scenario.faulty(location, random.randint(1, at), way)
    scenario.check(location)
    return f"killed {WAYS[way]}" if isinstance(said, Killed) else "ended before"


def failing(shared: list[Scenario], number: int, random: Random, folder: Path) -> str:
    """Let a change fail, or all from it on: an error with a hint, and nothing is lost."""
    scenario, name = shared[number % len(shared)], list(FAULTS)[number // len(shared) % len(FAULTS)]
    fault, kinds, lasting = FAULTS[name]
    at = random.randint(1, scenario.changes(kinds))
    location = scenario.fresh(folder / "index")
    said = scenario.faulty(location, at, fault, kinds=kinds, lasting=lasting)
    holds(isinstance(said, str), f"it ended by {said}", "traceback")
    if said:
        kind, _, rest = said.partition(": ")
        told = kind in ("IndexingError", "IndexDamagedError", "PathError", "IndexMissingError")
        holds(told and "\nhint: " in rest, f"{name}: {said}", "traceback")
    scenario.check(location)
    return f"{name}: {'told' if said else 'done'}"


def two_writers(shared: list[Scenario], number: int, random: Random, folder: Path) -> str:
    """Two runs at once, mostly killed, and a reader that looks on."""
    beside = [one for one in shared if (one.kind, one.chroma) in BESIDE]
    scenario = beside[number % len(beside)]
    changes = scenario.changes(CHANGES)
    location = scenario.fresh(folder / "index")
    places = [random.randint(1, changes * 5 // 4) for _ in range(2)]

    def write(at: int, way: int) -> str:
        arm(location, at, way)
        for _ in range(3):
            if not (said := failed(lambda: scenario.undisturbed_run(location))):
                break
            time.sleep(0.02)
        return said

    def read() -> int:
        for count in range(1000):
            for query, hits in glimpse(location, chroma=scenario.chroma).items():
                known = [whole[query] for whole in (scenario.seen_before, scenario.seen_after)]
                holds(hits in known, f"a reader sees half an update: {query}: {hits}", "lost")
            if (folder / "done").exists():
                return count + 1
            time.sleep(0.01)  # (two processors for three processes)
        return 1000

    ways = [random.choice([*WAYS]) for _ in range(2)]
    reader = Child(read)
    writers = [Child(partial(write, at, way)) for at, way in zip(places, ways, strict=True)]
    ended = [writer.wait() for writer in writers]
    (folder / "done").touch()
    reads = reader.wait()
    others = [one for one in ended if not isinstance(one, Killed) and one]
    told = all(one.startswith("IndexLockedError: ") for one in others)
    holds(told, f"a writer said {others}", "traceback")
    holds(reads, "nobody read")
    scenario.check(location)
    return f"{sum(isinstance(one, Killed) for one in ended)} of 2 killed"


PARTS = (
    Part(
        "kills",
        "`index` killed at every write, sync, rename, deletion (before, half way, after)",
        1560,
        8,
        prepared,
        killed,
        by="preloaded shim",
    ),
    Part(
        "disk",
        "disk full, I/O errors, read-only, once and lasting, at a random change",
        510,
        4,
        prepared,
        failing,
        by="preloaded shim",
    ),
    Part(
        "writers",
        "two writers and a reader, with kills",
        200,
        4,
        prepared,
        two_writers,
        by="preloaded shim",
    ),
)
