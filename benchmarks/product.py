"""The product's own search over a data set, stage by stage, with the time of each query."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.datasets import DataSet, documents
from benchmarks.metrics import Span
from benchmarks.misses import Stages
from benchmarks.rankings import Arm, Found, Ranking
from research_agent.assembly.connection import connect
from research_agent.interfaces.cli.index import update
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import Settings
from research_agent.types import Hit, ScoredId

Search = Callable[[str, Ports, Settings], Sequence[Hit]]


def dense(query: str, ports: Ports, settings: Settings) -> Sequence[Hit]:
    """Search by the embedding alone."""
    vector = ports.embedder.embed([query])[0]
    return _hits(ports.vectors.search(vector, k=settings.retrieval.top_k), ports)


def lexical(query: str, ports: Ports, settings: Settings) -> Sequence[Hit]:
    """Search by words alone."""
    return _hits(ports.lexical.search(query, k=settings.retrieval.top_k), ports)


def hybrid(query: str, ports: Ports, settings: Settings) -> Sequence[Hit]:
    """Search as the product does, before its filter."""
    return hybrid_search(query, ports=ports, settings=settings.retrieval)


def filtered(query: str, ports: Ports, settings: Settings) -> Sequence[Hit]:
    """Search as the product does, with the filter by similarity."""
    least = settings.filter.min_similarity
    hits = hybrid(query, ports, settings)
    return tuple(hit for hit in hits if hit.similarity is None or hit.similarity >= least)


STAGES: Mapping[str, Search] = {
    "dense only": dense,
    "lexical only": lexical,
    "hybrid": hybrid,
    "hybrid + filter": filtered,
}
"""What is compared; the last one is what an answer is written from."""
PRODUCT = "hybrid + filter"


def indexed(folder: Path, location: Path, settings: Settings) -> int:
    """Bring the index at `location` up to date with `folder` and return how many chunks it has.

    An index that also holds other documents, of an earlier run elsewhere, is made anew.
    """
    report = update(str(location), [str(folder)], settings)
    if report.documents > sum(path.is_file() for path in folder.iterdir()):
        report = update(str(location), [str(folder)], settings, rebuild=True)
    return report.chunks


@dataclass(frozen=True, slots=True)
class MadeIndex:
    """An index of a benchmark's documents."""

    location: str
    chunks: int


def index_of(data: DataSet, cache: Path, settings: Settings) -> MadeIndex:
    """Bring the index of a data set below `cache` up to date."""
    return index_at(place_of(data, cache), documents(data, cache), settings)


def place_of(data: DataSet, cache: Path) -> Path:
    """Return where the index of a data set is below `cache`; sets of the NIST PDFs share one."""
    return cache / "indexes" / (data.name if data.by_document else "nist")


def index_at(location: Path, folder: Path, settings: Settings) -> MadeIndex:
    """Bring the index at `location` up to date with `folder`."""
    location.parent.mkdir(parents=True, exist_ok=True)
    return MadeIndex(str(location), indexed(folder, location, settings))


def measure(data: DataSet, index: MadeIndex, settings: Settings) -> list[Arm]:
    """Return one arm a stage, each over all questions of `data`."""
    with connect(index.location, settings, {}) as connection:
        ports = connection.ports
        hybrid(data.questions[0].text, ports, settings)  # the models are loaded
        return [
            Arm(
                name=name,
                chunks=index.chunks,
                rankings={q.qid: timed(search, q.text, ports, settings) for q in data.questions},
            )
            for name, search in STAGES.items()
        ]


def stages(arms: Sequence[Arm], qid: str) -> Stages:
    """Return the rankings of one question, stage by stage."""
    spans: dict[str, tuple[Span, ...]] = {arm.name: arm.rankings[qid].spans for arm in arms}
    return Stages((spans["dense only"], spans["lexical only"]), spans["hybrid"], spans[PRODUCT])


def timed(search: Search, query: str, ports: Ports, settings: Settings) -> Ranking:
    """Return what `search` finds, and how long it takes."""
    started = time.perf_counter()
    hits = search(query, ports, settings)
    spent = 1000 * (time.perf_counter() - started)
    return Ranking(tuple(_found(hit) for hit in hits), spent)


def _found(hit: Hit) -> Found:
    chunk = hit.chunk
    return Found(Span(chunk.doc_id, chunk.start_page, chunk.end_page), len(chunk.text))


def _hits(found: Sequence[ScoredId], ports: Ports) -> list[Hit]:
    return [Hit(chunk) for chunk in ports.chunks.chunks([item.chunk_id for item in found])]
