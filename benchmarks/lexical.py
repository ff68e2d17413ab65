"""Engines for word search on the same words: time, memory, size, agreement and steadiness."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from benchmarks.datasets import data_set
from benchmarks.engines.measuring import Phase, Query, rows_in
from benchmarks.engines.running import CANDIDATES, Candidate, Job, phase
from benchmarks.exact_bm25 import Counted, overlap, ranked
from benchmarks.lexical_table import Line, Steadiness, steadiness_table, table
from benchmarks.metrics import percentile
from benchmarks.mixed_chunks import digest_of, real_chunks
from benchmarks.peers.running import PeerError
from benchmarks.places import RESULTS
from benchmarks.word_rows import queries, write_rows
from research_agent.types import Chunk

COMPARED = 10
ASKED = {"nist": 21, "scifact": 40, "cranfield": 39}
"""How many questions of each data set are asked, its first ones."""
STEADY = 1000
"""Chunks for looking at updates and equal scores."""
EXACT_UP_TO = 100_000
PHASES: tuple[Phase, ...] = ("build", "search", "update")


def run(counts: Sequence[int], *, cache: str) -> Iterator[str]:
    """Measure every engine with each number of chunks, one process at a time.

    Yields a table after each number of chunks, and keeps the rows. Environments and the chunks'
    words stay in `cache`; without it they are made in a temporary folder.
    """
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        place.mkdir(parents=True, exist_ok=True)
        real, asked = real_chunks(), queries(questions())
        few = rows_file(real, STEADY, place)
        steady = [_steadiness(candidate, few, asked, place) for candidate in CANDIDATES]
        yield steadiness_table(steady)
        lines: list[Line] = []
        for count in counts:
            lines += measured(real, count, asked, place)
            _keep([*steady, *lines])
            yield table([line for line in lines if line.chunks == count])


def questions() -> list[str]:
    """Return the questions that are asked of every engine."""
    return [q.text for name, count in ASKED.items() for q in data_set(name).questions[:count]]


def rows_file(real: Sequence[Chunk], count: int, cache: Path) -> Path:
    """Return a file of `count` rows, written where there is none yet."""
    path = cache / f"rows-{count}-{digest_of(real)}.tsv"
    write_rows(real, count, path)
    return path


def measured(real: Sequence[Chunk], count: int, asked: Sequence[Query], cache: Path) -> list[Line]:
    """Return one line an engine."""
    rows = rows_file(real, count, cache)
    exact: list[list[str]] = []
    if count <= EXACT_UP_TO:
        counted = (_counted(row.chunk_id, row.words.split()) for row in rows_in(str(rows)))
        exact = ranked([query.words for query in asked], counted, k=COMPARED)
    lines = []
    for candidate in CANDIDATES:
        if count <= candidate.up_to:
            with TemporaryDirectory(dir=cache) as folder:
                lines.append(_line(candidate, count, Job(rows, asked, folder, cache), exact))
    return lines


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return median, 95th percentile and maximum, with three decimals.

    >>> spread([5.0, 1.0, 3.0])
    {'p50': 3.0, 'p95': 5.0, 'max': 5.0}
    """
    found = {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95), "max": max(values)}
    return {name: round(value, 3) for name, value in found.items()}


def order_of_ties(orders: Sequence[Sequence[str]]) -> str:
    """Say in which order equal scores came.

    >>> order_of_ties([["1", "2"], ["1", "2"]])
    'by id'
    >>> order_of_ties([["2", "1"], ["1", "2"]])
    'as they were put in'
    """
    if any(list(order) != list(orders[0]) for order in orders):
        return "as they were put in"
    return "by id" if list(orders[0]) == sorted(orders[0]) else "fixed, but not by id"


def summed_up(figures: Mapping[str, object]) -> dict[str, float]:
    """Return the figures of a phase; lists of times as their spread.

    >>> summed_up({"seconds": 0.12345, "cpu_ms": [1.0], "hits": [["a"]]})
    {'seconds': 0.123, 'cpu_ms_p50': 1.0, 'cpu_ms_p95': 1.0, 'cpu_ms_max': 1.0}
    """
    told: dict[str, float] = {}
    for name, value in figures.items():
        if isinstance(value, int | float):
            told[name] = round(value, 3)
        elif isinstance(value, list) and name != "hits":
            told |= {f"{name}_{part}": of for part, of in spread(value).items()}
    return told


def _counted(row_id: str, words: Sequence[str]) -> Counted:
    return Counted(row_id, Counter(words), len(words))


def _line(candidate: Candidate, count: int, job: Job, exact: Sequence[Sequence[str]]) -> Line:
    """Measure one engine; where a phase fails the line says why, and ends there."""
    phases: dict[str, Mapping[str, float]] = {}
    agreement, problem = None, ""
    try:
        for name in PHASES:
            figures = phase(candidate, job, name)
            phases[name] = summed_up(figures)
            if exact and "hits" in figures:
                pairs = zip(figures["hits"], exact, strict=True)
                agreement = fmean(overlap(hits[:COMPARED], best) for hits, best in pairs)
    except PeerError as error:
        problem = str(error)
    return Line(
        engine=candidate.name, chunks=count, phases=phases, agreement=agreement, problem=problem
    )


def _steadiness(
    candidate: Candidate, rows: Path, asked: Sequence[Query], cache: Path
) -> Steadiness:
    """Look at an engine's order of equal scores, and whether its rankings depend on its past."""
    with TemporaryDirectory(dir=cache) as folder:
        job = Job(rows, asked, folder, cache)
        try:
            ties = order_of_ties(phase(candidate, job, "ties")["orders"])
            same = float(phase(candidate, job, "history")["same"])
        except PeerError as error:
            return Steadiness(engine=candidate.name, problem=str(error))
    return Steadiness(engine=candidate.name, ties=ties, same_after_updates=same)


def _keep(lines: Sequence[Line | Steadiness]) -> None:
    RESULTS.mkdir(exist_ok=True)
    text = "".join(f"{json.dumps(asdict(line))}\n" for line in lines)
    (RESULTS / "lexical.jsonl").write_text(text, encoding="utf-8")
