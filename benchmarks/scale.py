"""The product's hybrid search over many chunks: time of a query, memory, recall of the graph.

Real texts are embedded up to `REAL` chunks; the others are mixtures: half of the sentences of a
chunk and of one of its nearest neighbours, and the mean of both vectors with a little noise. An
index is built and searched in processes of their own:
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.common import DATA, RESULTS, ROOT, Row, folder, markdown, read
from benchmarks.datasets import data_set
from benchmarks.figures import percentile
from benchmarks.overhead import TimedEmbedder
from benchmarks.peers.embedding import KeptVectors
from research_agent.assembly.connection import connect
from research_agent.assembly.index_search import sync_caches
from research_agent.documents.chunking import linked_chunks
from research_agent.index.adapters.folders import locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.index.adapters.ledger.writing import LedgerWriter
from research_agent.index.adapters.vectors.search import ExactVectors
from research_agent.models.adapters.minilm import MiniLM
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import IndexSettings, Settings
from research_agent.text.sentences import sentence_spans
from research_agent.types import Chunk, chunk_header
from research_agent.types.documents import Block, ParsedDocument
from research_agent.types.records import DocumentRecord, IndexedChunk, Window, text_digest

CORPORA = ("ir/scifact", "ir/cranfield", "multihop/hotpotqa", "multihop/musique")
ASKED = {"nist": 21, "scifact": 40, "cranfield": 39, "nist-extra": 36}
"""How many questions of each data set are asked, its first ones."""
REAL = 5000
"""Chunks that are embedded."""
NEIGHBOURS, NOISE, SEED = 10, 0.01, 4
CHUNK_CHARS, OF_DOCUMENT, COMPARED = 1000, 1000, 10
MANY = 50_000
"""From so many chunks on, the other way of searching is measured as well."""
PARTS = ("planner_on", "planner_off", "dense", "words")
Figures = dict[str, Any]


def run(counts: Sequence[int], *, cache: str) -> Iterator[str]:
    """Build an index of each size, search it in processes of their own, and yield the tables.

    Vectors of real chunks and the indexes stay in `cache`.
    """
    configured = IndexSettings().exact_below
    kept: list[Figures] = []
    with folder(cache) as place:
        for count in counts:
            built = _child("build", place, {"chunks": count})
            other = 1_000_000 if count > configured else 0
            for below in (configured, other) if count >= MANY else (configured,):
                given = {"exact_below": below, "chunks": count, "location": built["location"]}
                kept.append(_child("search", place, given))
            yield table([line for line in kept if line["chunks"] == count], built)
            lines = "".join(f"{json.dumps(line)}\n" for line in kept)
            (RESULTS / "scale.jsonl").write_text(lines, encoding="utf-8")


def _child(what: str, cache: Path, told: Figures) -> Figures:
    given, figures = cache / f"scale-{what}.json", cache / f"scale-{what}-figures.json"
    given.write_text(json.dumps({"cache": str(cache), **told}), encoding="utf-8")
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
    heads += ["planner_on without embedding", "recall@10", "opening, ms", "memory, MB"]
    rows = [
        [
            f"{line['chunks']:,}, {line['exact_below']:,}",
            *(f"{line[part]['p50']} / {line[part]['p95']}" for part in PARTS),
            f"{line['without_embedding']['p50']} / {line['without_embedding']['p95']}",
            *(str(line[name]) for name in ("recall", "open_ms", "peak_mb")),
        ]
        for line in lines
    ]
    told = ", ".join(f"{name} {value}" for name, value in built.items() if name != "location")
    return f"{markdown(heads, rows)}\n\nBuilt: {told}."


def real_chunks() -> list[Chunk]:
    """Return the chunks of all texts, as the product cuts them, in an order mixed by their text.

    Each document is one block without pages; a chunk of the same text comes once.
    """
    found: dict[str, Chunk] = {}
    for corpus in CORPORA:
        for row in read(DATA / corpus / "corpus.jsonl"):
            for chunk in _cut(corpus, row):
                found.setdefault(chunk.text, chunk)
    return sorted(found.values(), key=lambda chunk: text_digest(chunk.text))


def _cut(corpus: str, row: Row) -> list[Chunk]:
    name = str(row.get("_id") or row.get("id"))
    document = ParsedDocument((Block(str(row["text"])),), title=str(row["title"]))
    linked = linked_chunks(
        f"{corpus}/{name}", name, document, source=corpus, chunk_chars=CHUNK_CHARS
    )
    return [chunk for chunk, _ in linked]


def nearest(vectors: Any, count: int) -> Any:  # noqa: ANN401 (arrays)
    """Return the places of the `count` nearest others of each vector of length one.

    >>> import numpy as np
    >>> nearest(np.array([[1, 0], [0.8, 0.6], [0, 1]], dtype=np.float32), 1).tolist()
    [[1], [0], [1]]
    """
    import numpy as np

    found = []
    for start in range(0, len(vectors), 500):
        part = vectors[start : start + 500] @ vectors.T
        part[np.arange(len(part)), start + np.arange(len(part))] = -2.0
        found.append(np.argpartition(-part, count - 1, axis=1)[:, :count])
    return np.concatenate(found)


def mixed(
    real: Sequence[Chunk],
    vectors: Any,  # noqa: ANN401 (an array)
    count: int,
) -> Iterator[tuple[Chunk, Sequence[float]]]:
    """Yield `count` chunks with vectors: the real ones, then mixtures of neighbours."""
    import numpy as np

    chance, dice = random.Random(SEED), np.random.default_rng(SEED)  # noqa: S311 (no secret)
    known = [
        [chunk.text[start:end].strip() for start, end in sentence_spans(chunk.text)]
        for chunk in real
    ]
    near = nearest(vectors, NEIGHBOURS) if count > len(real) else []
    for number in range(count):
        name = text_digest(str(number))[:16]
        if number < len(real):
            yield replace(real[number], chunk_id=name), vectors[number].tolist()
            continue
        one = chance.randrange(len(real))
        other = int(near[one][chance.randrange(NEIGHBOURS)])
        text = " ".join(
            sentences[at]
            for sentences in (known[one], known[other])
            for at in sorted(chance.sample(range(len(sentences)), (len(sentences) + 1) // 2))
        )
        vector = (vectors[one] + vectors[other]) / 2 + dice.normal(0, NOISE, vectors.shape[1])
        yield (
            replace(real[one], chunk_id=name, text=text),
            (vector / np.linalg.norm(vector)).tolist(),
        )


def build(given: Figures) -> Figures:
    """Write ledger and caches as indexing does, and return what that took; once for each size."""
    import numpy as np

    cache, count = Path(given["cache"]), int(given["chunks"])
    real = real_chunks()[: min(REAL, count)]
    digest = text_digest("\n".join(chunk.text for chunk in real))[:8]
    place = locate(str(cache / f"scale-{count}-{digest}"))
    figures = place.path.with_suffix(".json")
    if figures.exists():
        kept: Figures = json.loads(figures.read_text(encoding="utf-8"))
        return kept
    model = MiniLM()
    texts = [model.windows(chunk.text, header=chunk_header(chunk))[0] for chunk in real]
    vectors = np.asarray(KeptVectors(str(cache / "vectors.sqlite3")).texts(texts), np.float32)
    started = time.perf_counter()
    place.create()
    with place.locked():
        chunks = mixed(real, vectors, count)
        with LedgerWriter(place.current().ledger, place.label, model=model.name) as writer:
            for number, part in enumerate(iter(lambda: list(islice(chunks, OF_DOCUMENT)), [])):
                writer.put(_record(number), [_indexed(*item) for item in part])
            writer.publish({}, ())
        written = time.perf_counter()
        with LedgerReader(place.current().ledger, place.label) as ledger:
            sync_caches(place.current(), ledger, exact_below=0)
    told = {
        "location": str(place.path),
        "ledger_seconds": round(written - started, 1),
        "caches_seconds": round(time.perf_counter() - written, 1),
        "mb_on_disk": round(place.bytes_on_disk() / 1e6),
        "peak_mb": _peak_mb(),
    }
    figures.write_text(json.dumps(told), encoding="utf-8")
    return told


def _record(number: int) -> DocumentRecord:
    name = f"/mixed/{number:04}.txt"
    return DocumentRecord(
        key=name, path=name, digest=text_digest(name), size=1, mtime_ns=1, recipe="mixed"
    )


def _indexed(chunk: Chunk, vector: Sequence[float]) -> IndexedChunk:
    digest = text_digest(f"{chunk.chunk_id}\n{chunk.text}")
    return IndexedChunk(chunk, digest, (Window(digest, vector),))


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
        embedder = TimedEmbedder(connection.ports.embedder)
        ports = replace(connection.ports, embedder=embedder)
        hybrid_search(asked[0], ports=ports, settings=settings.retrieval)
        times = _times(asked, embedder, ports, settings)
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


def _times(
    asked: Sequence[str], embedder: TimedEmbedder, ports: Ports, settings: Settings
) -> dict[str, list[float]]:
    """Return the milliseconds of each question: the whole search, and its parts."""
    k, own = settings.retrieval.top_k, settings.retrieval
    times: defaultdict[str, list[float]] = defaultdict(list)
    for text in asked:
        vector = ports.embedder.embed([text])[0]
        acts: dict[str, Callable[[], object]] = {
            "dense": lambda v=vector: ports.vectors.search(v, k=k),  # type: ignore[misc]  # (bound)
            "words": lambda t=text: ports.lexical.search(t, k=k),  # type: ignore[misc]  # (bound)
            "planner_off": lambda t=text: hybrid_search(  # type: ignore[misc]  # (bound)
                t, ports=ports, settings=replace(own, question_kinds="off")
            ),
            "planner_on": lambda t=text: hybrid_search(  # type: ignore[misc]  # (bound)
                t, ports=ports, settings=replace(own, question_kinds="on")
            ),
        }
        for name, act in acts.items():
            embedding, began = embedder.seconds, time.perf_counter()
            act()
            spent = time.perf_counter() - began
            times[name].append(1000 * spent)
        times["without_embedding"].append(1000 * (spent - embedder.seconds + embedding))
    return times


def _recall(asked: Sequence[str], ports: Ports, location: str, settings: Settings) -> float:
    """Return the mean share of the exact first ten that are among the product's first ten."""
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
    done = {"build": build, "search": search}[sys.argv[1]](task)
    Path(sys.argv[3]).write_text(json.dumps(done), encoding="utf-8")
