"""What the process of one engine does: build, search or update, measured from inside.

Run as `python -m benchmarks.engines.with_NAME TASK FIGURES`, with the standard library alone.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, Protocol

Phase = Literal["build", "search", "update", "ties", "history"]
Figures = Mapping[str, object]
TIES = 40
"""Chunks of the same words, to see in which order they come."""
UPDATES = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk: the words for the engines, and the text for the product's own adapter."""

    chunk_id: str
    words: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and its words as the engines get them."""

    text: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is to do."""

    phase: Phase
    rows: str
    """A file of rows, one a line."""
    folder: str
    """Where the engine keeps its index."""
    queries: tuple[Query, ...]
    k: int
    bytes_of_memory: int
    """The process is refused more."""


class Engine(Protocol):
    """An engine that keeps its index in a folder."""

    def build(self, rows: Callable[[], Iterable[Row]]) -> None:
        """Make the index; `rows` may be called more than once."""

    def search(self, query: Query, k: int) -> Sequence[tuple[str, float]]:
        """Return the best chunks with their scores, best first."""

    def replace(self, gone: Sequence[str], rows: Sequence[Row]) -> None:
        """Take some chunks out and others in; searches see it when this returns."""

    def close(self) -> None:
        """Close what is open."""


def row_of(line: str) -> Row:
    r"""Return the row in a line.

    >>> row_of("a1\tthe key\tKeys\tThe keys.\n").title
    'Keys'
    """
    return Row(*line.rstrip("\n").split("\t"))


def line_of(row: Row) -> str:
    r"""Return a row as a line; white space in it becomes single spaces.

    >>> line_of(Row("a1", "the key", "Keys", "The\nkeys."))
    'a1\tthe key\tKeys\tThe keys.\n'
    """
    fields = (row.chunk_id, row.words, row.title, row.text)
    return "\t".join(" ".join(field.split()) for field in fields) + "\n"


def rows_in(path: str) -> Iterator[Row]:
    """Yield the rows of a file."""
    with Path(path).open(encoding="utf-8") as lines:
        yield from map(row_of, lines)


def main(engine: Callable[[Path], Engine]) -> None:
    """Do the task in the first argument and write the figures into the second one."""
    raw = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    queries = tuple(Query(query["text"], tuple(query["words"])) for query in raw.pop("queries"))
    task = Task(**raw, queries=queries)
    resource.setrlimit(resource.RLIMIT_AS, (task.bytes_of_memory, task.bytes_of_memory))
    figures = measured(engine, task)
    Path(sys.argv[2]).write_text(json.dumps(figures), encoding="utf-8")


def write_task(task: Task, path: Path) -> None:
    """Write a task for a process."""
    path.write_text(json.dumps(asdict(task)), encoding="utf-8")


def measured(engine: Callable[[Path], Engine], task: Task) -> Figures:
    """Do a task and return its figures; `peak_mb` is the largest memory of this process."""
    phases = {
        "build": _build,
        "search": _search,
        "update": _update,
        "ties": _ties,
        "history": _history,
    }
    figures = phases[task.phase](engine, task)
    return {**figures, "peak_mb": round(peak_mb())}


def peak_mb() -> float:
    """Return the largest memory of this process so far.

    Linux counts what the process that started this one had into `ru_maxrss`, so it is asked
    otherwise.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _build(engine: Callable[[Path], Engine], task: Task) -> dict[str, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    index = engine(Path(task.folder))
    index.build(lambda: rows_in(task.rows))
    index.close()
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    sizes = (path.stat().st_size for path in Path(task.folder).rglob("*") if path.is_file())
    return {**seconds, "mb_on_disk": sum(sizes) / 1e6}


def _search(engine: Callable[[Path], Engine], task: Task) -> dict[str, object]:
    began = time.perf_counter()
    index = engine(Path(task.folder))
    index.search(task.queries[0], task.k)
    first = 1000 * (time.perf_counter() - began)
    hits, walls, cpus = [], [], []
    for query in task.queries:
        wall, cpu = time.perf_counter(), time.process_time()
        found = index.search(query, task.k)
        cpus.append(1000 * (time.process_time() - cpu))
        walls.append(1000 * (time.perf_counter() - wall))
        hits.append([chunk_id for chunk_id, _ in found])
    index.close()
    return {"first_ms": first, "wall_ms": walls, "cpu_ms": cpus, "hits": hits}


def _update(engine: Callable[[Path], Engine], task: Task) -> dict[str, object]:
    """Replace ten chunks, as one changed file does, some times over."""
    lines = rows_in(task.rows)
    rows = [row for _, row in zip(range(10 * (UPDATES + 1)), lines, strict=False)]
    index = engine(Path(task.folder))
    walls, cpus = [], []
    for number in range(UPDATES):
        gone = [row.chunk_id for row in rows[10 * number :][:10]]
        new = [
            Row(f"new{row.chunk_id}", row.words, row.title, row.text)
            for row in rows[10 * (number + 1) :][:10]
        ]
        wall, cpu = time.perf_counter(), time.process_time()
        index.replace(gone, new)
        cpus.append(1000 * (time.process_time() - cpu))
        walls.append(1000 * (time.perf_counter() - wall))
    index.close()
    return {"wall_ms": walls, "cpu_ms": cpus}


def _ties(engine: Callable[[Path], Engine], task: Task) -> dict[str, object]:
    """Search chunks of the same words, put in forwards, backwards, and with one replaced."""
    names = [f"{number:02}" for number in range(TIES)]
    query = Query("key", ("key",))
    orders = []
    for order in (names, names[::-1]):
        with TemporaryDirectory(dir=task.folder) as folder:
            rows = [Row(name, "key", "", "key") for name in order]
            index = engine(Path(folder))
            index.build(lambda rows=rows: rows)  # type: ignore[misc]  # (mypy knows no default here)
            orders.append([chunk_id for chunk_id, _ in index.search(query, 10)])
            index.replace(["00"], [Row("00", "key", "", "key")])
            orders.append([chunk_id for chunk_id, _ in index.search(query, 10)])
            index.close()
    return {"orders": orders}


def _history(engine: Callable[[Path], Engine], task: Task) -> dict[str, object]:
    """Return the share of queries with the same first ten in an updated index and in a new one.

    Both hold the same chunks: the one after replacing a tenth of others, the other from the start.
    """
    rows = list(rows_in(task.rows))
    tenth = len(rows) // 10
    found = []
    for begun in (rows[tenth:], rows[:-tenth]):
        with TemporaryDirectory(dir=task.folder) as folder:
            index = engine(Path(folder))
            index.build(lambda begun=begun: begun)  # type: ignore[misc]  # (mypy knows no default here)
            if begun[0] is not rows[0]:
                index.replace([row.chunk_id for row in rows[-tenth:]], rows[:tenth])
            hits = [index.search(query, task.k)[:10] for query in task.queries]
            found.append([[chunk_id for chunk_id, _ in best] for best in hits])
            index.close()
    same = sum(one == other for one, other in zip(*found, strict=True))
    return {"same": same / len(task.queries)}
