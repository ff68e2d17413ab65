"""Kills at every change of the disk while indexing, and disks that are full, broken or closed."""

import errno
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.torture.harness import Killed, Part, holds
from tests.torture.scenarios import Scenario
from tests.torture.shim import CHANGES, KILL_AFTER, KILL_BEFORE, KILL_HALF, OPEN

KINDS = [(kind, chroma) for chroma in (False, True) for kind in ("first", "update", "rebuild")]
AGAIN = 0.1
"""So often the run after a killed one is killed as well."""
WAYS = {KILL_BEFORE: "before", KILL_HALF: "half", KILL_AFTER: "after"}
FAULTS = {
    "disk full": (errno.ENOSPC, CHANGES, True),
    "disk full once": (errno.ENOSPC, CHANGES, False),
    "I/O error": (errno.EIO, CHANGES, True),
    "I/O error once": (errno.EIO, CHANGES, False),
    "read-only": (errno.EROFS, CHANGES | OPEN, True),
}


class Runs(NamedTuple):
    """A scenario, and how many changes of the disk it makes."""

    scenario: Scenario
    counts: Mapping[int, int]


def prepared(folder: Path) -> list[Runs]:
    made = [Scenario(folder / f"{kind}-{chroma}", chroma, kind) for kind, chroma in KINDS]
    return [Runs(one, {k: one.changes(k) for k in (CHANGES, CHANGES | OPEN)}) for one in made]


def killed(shared: list[Runs], number: int, random: Random, folder: Path) -> str:
    """Kill a run at a change: at each one of a ledger, at every fourth of one with Chroma."""
    places = [
        (runs, at)
        for runs in shared
        for at in range(1, runs.counts[CHANGES] + 1, 4 if runs.scenario.chroma else 1)
    ]
    runs, at = places[number] if number < len(places) else random.choice(places)
    way = random.choice(sorted(WAYS))
    location = runs.scenario.fresh(folder / "index")
    said = runs.scenario.faulty(location, at, way)
    holds(isinstance(said, Killed) or said == "", f"it said {said}")
    if random.random() < AGAIN:
        runs.scenario.faulty(location, random.randint(1, at), way)
    runs.scenario.check(location)
    return f"killed {WAYS[way]}" if isinstance(said, Killed) else "ended before"


def failing(shared: list[Runs], number: int, random: Random, folder: Path) -> str:
    """Let a change fail, or all from it on: an error with a hint, and nothing is lost."""
    runs, name = shared[number % len(shared)], list(FAULTS)[number // len(shared) % len(FAULTS)]
    fault, kinds, lasting = FAULTS[name]
    at = random.randint(1, runs.counts[kinds])
    location = runs.scenario.fresh(folder / "index")
    said = runs.scenario.faulty(location, at, fault, kinds=kinds, lasting=lasting)
    holds(isinstance(said, str), f"it ended by {said}", "traceback")
    if said:
        kind, _, rest = said.partition(": ")
        told = kind in ("IndexingError", "IndexDamagedError", "PathError", "IndexMissingError")
        holds(told and "\nhint: " in rest, f"{name}: {said}", "traceback")
    runs.scenario.check(location)
    return f"{name}: {'told' if said else 'done'}"


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
)
