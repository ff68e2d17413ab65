"""One process of the scale benchmark: it builds an index, or opens and searches one.

Run as `python -m benchmarks.scale_child build|search GIVEN FIGURES`.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.engines.measuring import peak_mb
from benchmarks.exact_bm25 import overlap
from benchmarks.lexical import spread
from benchmarks.mixed_chunks import digest_of, real_chunks
from benchmarks.mixed_vectors import Embedded, embedded_chunks
from benchmarks.overhead import Spent, TimedEmbedder
from benchmarks.peers.embedding import KeptVectors
from research_agent.assembly.connection import connect
from research_agent.assembly.index_search import sync_caches
from research_agent.index.adapters.folders import IndexFolder, locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.adapters.vectors.search import ExactVectors
from research_agent.models.adapters.minilm import MiniLM
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import IndexSettings, Settings
from research_agent.types import chunk_header
from research_agent.types.records import DocumentRecord, IndexedChunk, Window, text_digest

REAL = 5000
"""Chunks that are embedded; the others are mixtures of them."""
OF_DOCUMENT = 1000
COMPARED = 10
Given = Mapping[str, Any]


def build(given: Given) -> dict[str, object]:
    """Write ledger and caches as indexing does, and return what that took; once for each size."""
    cache, count = Path(given["cache"]), int(given["chunks"])
    real = real_chunks()[: min(REAL, count)]
    folder = locate(str(cache / f"scale-{count}-{digest_of(real)}"))
    figures = folder.path.with_suffix(".json")
    if figures.exists():
        kept: dict[str, object] = json.loads(figures.read_text(encoding="utf-8"))
        return kept
    import numpy as np

    vectors = np.asarray(_vectors(real, cache), dtype=np.float32)
    started = time.perf_counter()
    folder.create()
    with folder.locked():
        chunks = embedded_chunks(real, vectors, count)
        with LedgerWriter(folder.ledger, folder.label, model=MiniLM().name) as writer:
            for number, part in enumerate(iter(lambda: list(islice(chunks, OF_DOCUMENT)), [])):
                writer.put(_record(number), [_indexed(item) for item in part])
            writer.publish({}, ())
        written = time.perf_counter()
        _sync(folder)
    told: dict[str, object] = {
        "chunks": count,
        "location": str(folder.path),
        "ledger_seconds": round(written - started, 1),
        "caches_seconds": round(time.perf_counter() - written, 1),
        "mb_on_disk": round(folder.bytes_on_disk() / 1e6),
        "peak_mb": round(peak_mb()),
    }
    figures.write_text(json.dumps(told), encoding="utf-8")
    return told


def search(given: Given) -> dict[str, object]:
    """Open the index as the product does, ask every question, and return times and recall."""
    location = str(given["location"])
    settings = replace(Settings(), index=IndexSettings(exact_below=int(given["exact_below"])))
    asked: list[str] = given["questions"]
    started = time.perf_counter()
    with connect(location, settings, {}) as connection:
        opened = 1000 * (time.perf_counter() - started)
        embedder = TimedEmbedder(connection.ports.embedder)
        ports = replace(connection.ports, embedder=embedder)
        hybrid_search(asked[0], ports=ports, settings=settings.retrieval)
        parts = _parts(asked, embedder, ports, settings)
        memory = round(peak_mb())
        recall = _recall(asked, ports, location, settings)
    return {
        "chunks": given["chunks"],
        "arm": given["arm"],
        "open_ms": round(opened),
        "peak_mb": memory,
        "recall": round(recall, 3),
        **{name: spread(times) for name, times in parts.items()},
    }


def _parts(
    asked: Sequence[str], embedder: TimedEmbedder, ports: Ports, settings: Settings
) -> dict[str, list[float]]:
    """Return the milliseconds of each question, wall and CPU: the whole search, and its parts."""
    k = settings.retrieval.top_k
    times: defaultdict[str, list[float]] = defaultdict(list)

    def timed(name: str, act: Callable[[], object]) -> None:
        embedder.spent = Spent()
        wall, cpu = time.perf_counter(), time.process_time()
        act()
        spent = time.perf_counter() - wall
        times[f"{name}_cpu"].append(1000 * (time.process_time() - cpu))
        times[name].append(1000 * spent)
        times[f"{name}_without_embedding"].append(1000 * (spent - embedder.spent.wall))

    for text in asked:
        vector = ports.embedder.embed([text])[0]
        timed("dense", partial(ports.vectors.search, vector, k=k))
        timed("words", partial(ports.lexical.search, text, k=k))
        off = replace(settings.retrieval, question_kinds="off")
        timed("planner_off", partial(hybrid_search, text, ports=ports, settings=off))
        on = replace(settings.retrieval, question_kinds="on")
        timed("planner_on", partial(hybrid_search, text, ports=ports, settings=on))
    return times


def _recall(asked: Sequence[str], ports: Ports, location: str, settings: Settings) -> float:
    """Return the mean share of the exact first ten that are among the product's first ten."""
    folder = locate(location)
    with LedgerReader(folder.ledger, folder.label) as ledger:
        exact = ExactVectors(*ledger.matrix())
    shares = []
    for vector in ports.embedder.embed(asked):
        best = [hit.chunk_id for hit in exact.search(vector, k=COMPARED)]
        found = ports.vectors.search(vector, k=settings.retrieval.top_k)[:COMPARED]
        shares.append(overlap([hit.chunk_id for hit in found], best))
    return sum(shares) / len(shares)


def _vectors(real: Sequence[Any], cache: Path) -> list[list[float]]:
    """Return the vector of each chunk's first window below its header."""
    model = MiniLM()
    texts = [model.windows(chunk.text, header=chunk_header(chunk))[0] for chunk in real]
    return KeptVectors(str(cache / "vectors.sqlite3")).texts(texts)


def _record(number: int) -> DocumentRecord:
    """Return a document that was read from nowhere."""
    name = f"/mixed/{number:04}.txt"
    return DocumentRecord(
        key=name, path=name, digest=text_digest(name), size=1, mtime_ns=1, recipe="mixed"
    )


def _indexed(item: Embedded) -> IndexedChunk:
    chunk = item.chunk
    digest = text_digest(f"{chunk.chunk_id}\n{chunk.text}")
    return IndexedChunk(chunk, digest, (Window(digest, item.vector),))


def _sync(folder: IndexFolder) -> None:
    """Make the caches for searching, Chroma's graph among them whether it is needed or not."""
    with LedgerReader(folder.ledger, folder.label) as ledger:
        sync_caches(folder.current(), ledger, exact_below=0)


if __name__ == "__main__":
    acts = {"build": build, "search": search}
    task = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    Path(sys.argv[3]).write_text(json.dumps(acts[sys.argv[1]](task)), encoding="utf-8")
