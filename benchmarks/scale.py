"""The product's hybrid search over many chunks: time of a query, memory, recall of the graph.

The chunks are those of four corpora, and from then on the same again with half of their sentences
and a little noise in their vectors. An index is built and searched in processes of their own:
`python -m benchmarks.scale build|search GIVEN FIGURES`.
"""

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, ROOT, folder, markdown, percentile
from benchmarks.datasets import data_set
from benchmarks.retrieval import index_of
from research_agent.assembly.connection import connect
from research_agent.assembly.index_search import sync_caches
from research_agent.assembly.shared import link, storage_of
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.adapters.shared.reading import SharedReader
from research_agent.index.adapters.shared.tables import Exported, Linked
from research_agent.index.adapters.shared.writing import SharedWriter
from research_agent.index.exact_vectors import ExactVectors
from research_agent.models.adapters.minilm import MiniLM
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import IndexSettings, Settings
from research_agent.text.paths import is_shared
from research_agent.text.sentences import sentence_spans
from research_agent.types import Chunk, chunk_header
from research_agent.types.records import DocumentRecord, IndexedChunk, Window, text_digest

CORPORA = ("scifact", "cranfield", "hotpotqa", "musique")
ASKED = {"nist": 21, "scifact": 40, "cranfield": 39, "nist-extra": 36}
"""How many questions of each data set are asked, its first ones."""
NOISE, SEED = 0.01, 4
"""Standard deviation of what is added to each number of a vector; some 0.2 in all."""
OF_DOCUMENT, COMPARED = 1000, 10
MANY, MOST = 50_000, 200_000
"""Between so many chunks the other way of searching is measured as well."""
PARTS = ("whole", "dense", "words")
Figures = dict[str, Any]


def run(counts: Sequence[int], *, cache: str, shared: bool = False) -> Iterator[str]:
    """Build an index of each size, search it in processes of their own, and yield the tables.

    Vectors of real chunks and the indexes stay in `cache`; `shared` indexes are Lance tables.
    """
    kind = "-shared" if shared else ""
    configured = IndexSettings().exact_below
    kept: list[Figures] = []
    with folder(cache) as place:
        for count in counts:
            figures = place / f"scale{kind}-{count}.json"
            if not figures.exists():
                measured = _child(f"build{kind}", place, {"chunks": count})
                figures.write_text(json.dumps(measured), encoding="utf-8")
            built: Figures = json.loads(figures.read_text(encoding="utf-8"))
            other = 1_000_000 if count > configured else 0
            for below in (configured, other) if MANY <= count <= MOST else (configured,):
                given = {"exact_below": below, "chunks": count, "location": built["location"]}
                kept.append(_child("search", place, given))
            yield table([line for line in kept if line["chunks"] == count], built)
            lines = "".join(f"{json.dumps(line)}\n" for line in kept)
            (RESULTS / f"scale{kind}.jsonl").write_text(lines, encoding="utf-8")


def _child(what: str, cache: Path, task: Figures) -> Figures:
    given, figures = cache / f"scale-{what}.json", cache / f"scale-{what}-figures.json"
    given.write_text(json.dumps({"cache": str(cache), **task}), encoding="utf-8")
    subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "benchmarks.scale", what, str(given), str(figures)],
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    found: Figures = json.loads(figures.read_text(encoding="utf-8"))
    return found


def table(lines: Sequence[Figures], built: Mapping[str, Any]) -> str:
    """Return a table of one line a way of opening, and a sentence about building the index."""
    heads = ["chunks, exact below", *(f"{part}, ms p50 / p95" for part in PARTS)]
    heads += ["recall@10", "opening, ms", "memory, MB"]
    rows = [
        [
            f"{line['chunks']:,}, {line['exact_below']:,}",
            *(f"{line[part]['p50']} / {line[part]['p95']}" for part in PARTS),
            *(str(line[name]) for name in ("recall", "open_ms", "peak_mb")),
        ]
        for line in lines
    ]
    sentence = ", ".join(f"{name} {value}" for name, value in built.items() if name != "location")
    return f"{markdown(heads, rows)}\n\nBuilt: {sentence}."


def real(cache: Path) -> tuple[list[Chunk], Any]:
    """Return the chunks of the corpora as the product cuts them, and their vectors."""
    import numpy as np

    chunks: list[Chunk] = []
    vectors = []
    for name in CORPORA:
        folder = locate(index_of(name, cache, Settings())[0])
        with LedgerReader(folder.current().ledger, folder.label) as ledger:
            ids, found = ledger.matrix()
            first = [at for at, name in enumerate(ids) if name.endswith("#0")]
            chunks += ledger.chunks([ids[at].removesuffix("#0") for at in first])
            vectors.append(found[first])
    return chunks, np.concatenate(vectors)


def mixed(chunks: Sequence[Chunk], vectors: Any, count: int) -> Iterator[IndexedChunk]:  # noqa: ANN401 (an array)
    """Yield `count` chunks: the real ones, then again and again with half of their sentences."""
    import numpy as np

    chance, dice = random.Random(SEED), np.random.default_rng(SEED)  # noqa: S311 (no secret)
    for number in range(count):
        chunk, vector = chunks[number % len(chunks)], vectors[number % len(chunks)]
        name = text_digest(str(number))[:16]
        if number >= len(chunks):
            spans = sentence_spans(chunk.text)
            some = sorted(chance.sample(range(len(spans)), (len(spans) + 1) // 2))
            text = " ".join(chunk.text[slice(*spans[at])].strip() for at in some)
            chunk = replace(chunk, text=text)
            vector = vector + dice.normal(0, NOISE, len(vector))
            vector = vector / np.linalg.norm(vector)
        chunk = replace(chunk, chunk_id=name, title="")  # (as its document has none)
        digest = text_digest(f"{chunk_header(chunk)}\n{chunk.text}")
        yield IndexedChunk(chunk, digest, (Window(digest, vector.tolist()),))


def build(given: Figures) -> Figures:
    """Write ledger and caches as indexing does, and return what that took."""
    cache, count = Path(given["cache"]), int(given["chunks"])
    place = locate(str(cache / f"scale-{count}"))
    chunks = mixed(*real(cache), count)
    started = time.perf_counter()
    place.create()
    with place.locked():
        with LedgerWriter(place.current().ledger, place.label, model=MiniLM().name) as writer:
            for number, part in enumerate(iter(lambda: list(islice(chunks, OF_DOCUMENT)), [])):
                writer.put(_record(number), part)
            writer.publish({}, ())
        written = time.perf_counter()
        with LedgerReader(place.current().ledger, place.label) as ledger:
            sync_caches(place.current(), ledger, IndexSettings(exact_below=0))
    return {
        "location": str(place.path),
        "ledger_seconds": round(written - started, 1),
        "caches_seconds": round(time.perf_counter() - written, 1),
        "mb_on_disk": round(place.bytes_on_disk() / 1e6),
        "peak_mb": _peak_mb(),
    }


def build_shared(given: Figures) -> Figures:
    """Write a shared index in batches of documents, publish it, and return what that took."""
    cache, count = Path(given["cache"]), int(given["chunks"])
    place = cache / f"scale-shared-{count}"
    chunks, storage, linking = mixed(*real(cache), count), storage_of(f"lance:{place}"), 0.0

    def timed(documents: Iterable[Exported]) -> Linked:
        nonlocal linking
        began = time.perf_counter()
        linked = link(documents)
        linking = time.perf_counter() - began
        return linked

    started = time.perf_counter()
    with SharedWriter(storage, model=MiniLM().name, linker=timed) as writer:
        parts = iter(lambda: list(islice(chunks, OF_DOCUMENT)), [])
        for number, part in enumerate(parts):
            writer.put(_record(number), part)
        writer.flush()
        written = time.perf_counter()
        writer.publish({}, ())
    return {
        "location": f"lance:{place}",
        "put_seconds": round(written - started, 1),
        "linking_seconds": round(linking, 1),
        "publishing_seconds": round(time.perf_counter() - written - linking, 1),
        "mb_on_disk": round(storage.bytes_on_disk() / 1e6),
        "peak_mb": _peak_mb(),
    }


def _record(number: int) -> DocumentRecord:
    name = f"/mixed/{number:04}.txt"
    return DocumentRecord(
        key=name, path=name, digest=text_digest(name), size=1, mtime_ns=1, recipe="mixed"
    )


def _peak_mb() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def search(given: Figures) -> Figures:
    """Open the index as the product does, ask every question, and return times and recall."""
    location, below = str(given["location"]), int(given["exact_below"])
    settings = replace(Settings(), index=IndexSettings(exact_below=below))
    asked = [q.text for name, n in ASKED.items() for q in data_set(name).questions[:n]]
    started = time.perf_counter()
    with connect(location, settings, {}) as connection:
        opened = time.perf_counter() - started
        ports = connection.ports
        rank(asked[0], ports=ports, settings=settings.retrieval)
        times = _times(asked, ports, settings)
        memory = _peak_mb()
        return {
            "chunks": given["chunks"],
            "exact_below": below,
            "open_ms": round(1000 * opened),
            "peak_mb": memory,
            "recall": round(_recall(asked, ports, location, settings), 3),
            **{
                name: {
                    "p50": round(percentile(of, 0.5), 1),
                    "p95": round(percentile(of, 0.95), 1),
                }
                for name, of in times.items()
            },
        }


def _times(asked: Sequence[str], ports: Ports, settings: Settings) -> dict[str, list[float]]:
    """Return the milliseconds of each question: the whole search, and its parts."""
    k, own = settings.retrieval.top_k, settings.retrieval
    times: defaultdict[str, list[float]] = defaultdict(list)
    for text in asked:
        vector = ports.embedder.embed([text])[0]
        acts: dict[str, Callable[[], object]] = {
            "dense": partial(ports.vectors.search, vector, k=k),
            "words": partial(ports.lexical.search, text, k=k),
            "whole": partial(rank, text, ports=ports, settings=own),
        }
        for name, act in acts.items():
            began = time.perf_counter()
            act()
            times[name].append(1000 * (time.perf_counter() - began))
    return times


def _recall(asked: Sequence[str], ports: Ports, location: str, settings: Settings) -> float:
    """Return the mean share of the exact first ten that are among the product's first ten."""
    if is_shared(location):
        exact = ExactVectors(*SharedReader(storage_of(location)).matrix())
    else:
        place = locate(location)
        with LedgerReader(place.current().ledger, place.label) as ledger:
            exact = ExactVectors(*ledger.matrix())
    shares = []
    for vector in ports.embedder.embed(asked):
        best = {hit.chunk_id for hit in exact.search(vector, k=COMPARED)}
        found = ports.vectors.search(vector, k=settings.retrieval.top_k)[:COMPARED]
        shares.append(len(best & {hit.chunk_id for hit in found}) / len(best))
    return sum(shares) / len(shares)


if __name__ == "__main__":
    task = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    done = {"build": build, "build-shared": build_shared, "search": search}[sys.argv[1]](task)
    Path(sys.argv[3]).write_text(json.dumps(done), encoding="utf-8")
