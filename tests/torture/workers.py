"""Kills of the workers of a Ray cluster, and of the process that commits what they make."""

import json
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from research_agent.assembly.shared import storage_of
from tests.ray_cluster import cluster, index, kill, worker_processes
from tests.torture.harness import Child, Killed, Part, holds, import_all

DOCUMENTS, KILLS = 24, 5
"""Of a case; the first one, which is all of the quick run, has `FIRST` kills."""
FIRST = 2
_OPEN = ExitStack()


@dataclass(frozen=True)
class Prepared:
    """Documents, and what an index of them holds."""

    docs: Path
    wanted: list[object]


def prepared(folder: Path) -> Prepared:
    """Use the cluster that the environment names, or a new one."""
    docs = folder / "docs"
    docs.mkdir()
    for number in range(DOCUMENTS):
        paragraphs = [f"Paragraph {n} of {number} " + "word " * n for n in range(1 + number % 4)]
        (docs / f"{number}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    if "CLUSTER" not in os.environ:
        os.environ |= _OPEN.enter_context(cluster())
    import_all(("lance_namespace", "ray"))  # (a second and a half; they start no threads)
    location = f"lance:{folder / 'alone'}"
    wanted = Child(lambda: (index(docs, location), held(location))[1]).wait()
    return Prepared(docs, wanted)


def held(location: str) -> list[object]:
    """Return all that readers see: documents, texts, vectors, references."""
    from research_agent.index.adapters.shared.reading import SharedReader

    reader = SharedReader(storage_of(location))
    documents = [
        (record.key, record.path, record.digest, record.status, record.unresolved, chunks, pages)
        for record, chunks, pages in reader.exported()
    ]
    edges = sorted(map(repr, reader.edges(reader.chunk_ids())))
    return [documents, edges, len(reader.matrix()[0])]


def committed(location: str) -> list[str]:
    """Return the keys of the documents that the next run finds to be whole."""
    from research_agent.assembly.shared import link
    from research_agent.index.adapters.shared.writing import SharedWriter

    with SharedWriter(storage_of(location), model="words", linker=link) as writer:
        return [record.key for record in writer.documents()]


def killed(shared: Prepared, number: int, random: Random, folder: Path) -> str:
    """Kill the driver or a worker some times; what it has kept is there for the next driver."""
    location, log = f"lance:{folder / 'index'}", folder / "kept"
    kills, came = KILLS if number else FIRST, {"driver": 0, "worker": 0}
    found: object = None
    while sum(came.values()) < kills or isinstance(found, Killed):
        child = Child(lambda: _drive(shared, location, log))
        _kill(child, int(os.environ["CLUSTER"]), random, came, kills)
        found = child.wait(240)
    holds(found == shared.wanted, "the index is another one", "lost")
    return f"{came['driver']} drivers and {came['worker']} workers killed"


def _kill(child: Child, cluster: int, random: Random, came: dict[str, int], kills: int) -> None:
    """Kill workers until it is the driver's turn, or it has ended."""
    while sum(came.values()) < kills:
        wants_driver, wants_work = random.random() < 0.4, random.random() < 0.8
        while not (worker_processes(cluster) or _ended(child)) and (wants_work or not wants_driver):
            time.sleep(0.05)
        time.sleep(random.uniform(0.0, 2.0))
        if _ended(child):
            return
        if wants_driver:
            child.kill()
            came["driver"] += 1
            return
        if workers := worker_processes(cluster):
            kill(random.choice(workers))
            came["worker"] += 1


def _ended(child: Child) -> bool:
    return bool(os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))


def _drive(shared: Prepared, location: str, log: Path) -> list[object]:
    """Index, and note each document that is kept at once; return what the index holds."""
    kept = _looked(location, log)

    def note(keys: Sequence[str]) -> None:
        kept.extend(keys)
        _write(log, kept)

    report = index(shared.docs, location, os.environ["ADDRESS"], on_kept=note)
    failed = [file for file in report.files if file.status == "failed"]
    holds(not failed, f"failed: {failed}")
    _looked(location, log)
    return held(location)


def _looked(location: str, log: Path) -> list[str]:
    """Return the keys of the documents that are whole; those that were noted have to be there."""
    told = json.loads(log.read_text("utf-8")) if log.exists() else []
    known = committed(location)
    holds(len(told) == len(set(told)), f"put twice: {sorted(told)}")
    holds(set(told) <= set(known), f"lost: {set(told) - set(known)}", "lost")
    _write(log, known)
    return known


def _write(log: Path, keys: Sequence[str]) -> None:
    new = log.with_suffix(".new")
    new.write_text(json.dumps(keys), encoding="utf-8")
    new.replace(log)


PARTS = (
    Part(
        "workers",
        f"workers on Ray, and the process that commits: {KILLS} kills a case, each at any time",
        40,
        1,
        prepared,
        killed,
        by="SIGKILL",
        seconds=600.0,
    ),
)
