"""Retrieval alone: our stages and other systems on the same questions and embedding model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.datasets import DataSet, Question, data_set, documents
from benchmarks.metrics import first_ranks, scores
from benchmarks.peers.running import PEERS, PeerError, run_peer
from benchmarks.places import RESULTS
from benchmarks.product import index_of, measure
from benchmarks.rankings import Arm
from benchmarks.summary import miss_causes, ranked, summary
from benchmarks.tables import tables
from research_agent.settings import Settings

KEPT = 10
"""Hits of a question that are kept in the rows."""
COMPACT = (",", ":")


@dataclass(frozen=True, slots=True)
class Report:
    """What a run over one data set gave."""

    summary: Mapping[str, object]
    table: str


def run(names: Sequence[str], *, peers: bool, cache: str) -> Iterator[Report]:
    """Measure each data set, keep rows and summary, and yield the report.

    Documents, indexes and peers' environments stay in `cache`, so that a second run embeds
    nothing; without a `cache` they are made in a temporary folder.
    """
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            yield report(data_set(name), place, peers=peers)


def report(data: DataSet, cache: Path, *, peers: bool) -> Report:
    """Measure one data set, and keep rows and summary."""
    settings = Settings()
    own = measure(data, index_of(data, cache, settings), settings)
    others, failures = _peers(data, documents(data, cache), cache) if peers else ([], [])
    told = summary(data, own, others) | {"failed_peers": failures}
    table = tables(told, failures)
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / f"retrieval-{data.name}"
    with stem.with_suffix(".jsonl").open("w", encoding="utf-8") as file:
        file.writelines(
            f"{json.dumps(row, ensure_ascii=False, separators=COMPACT)}\n"
            for row in rows(data, own, others)
        )
    text = json.dumps(told, indent=1, ensure_ascii=False)
    stem.with_suffix(".json").write_text(f"{text}\n", encoding="utf-8")
    stem.with_suffix(".md").write_text(f"{table}\n", encoding="utf-8")
    return Report(told, table)


def rows(data: DataSet, own: Sequence[Arm], peers: Sequence[Arm]) -> Iterator[dict[str, object]]:
    """Yield one row a question: what each arm found, and why ours did not.

    `ranks` are those of the golds, in their order, and `misses` the stages that lost them.
    """
    for question in data.questions:
        row: dict[str, object] = {"qid": question.qid, "question": question.text}
        if question.kind:
            row["kind"] = question.kind
        if not data.by_document:
            row["misses"] = miss_causes(data, own, question.qid)
        yield row | {"arms": {arm.name: found(data, question, arm) for arm in (*own, *peers)}}


def found(data: DataSet, question: Question, arm: Arm) -> dict[str, object]:
    """Return what an arm found for a question, as JSON values."""
    ranking = arm.rankings[question.qid]
    spans = ranked(data, ranking)
    metrics = scores(spans, question.golds, data.ks)
    kept: dict[str, object] = {
        "ms": round(ranking.milliseconds, 1),
        "scores": {name: round(value, 4) for name, value in metrics.items()},
    }
    if data.by_document:
        return kept | {"hits": [span.doc_id for span in spans[:KEPT]]}
    places = [f"{span.doc_id}:{span.start}-{span.end}" for span in spans[:KEPT]]
    return kept | {"ranks": first_ranks(spans, question.golds), "hits": places}


def _peers(data: DataSet, folder: Path, cache: Path) -> tuple[list[Arm], list[str]]:
    """Return the arms of all peers, and what is to be said of those that do not run."""
    arms: list[Arm] = []
    failures: list[str] = []
    for peer in PEERS:
        try:
            arms += run_peer(peer, data, folder, cache)
        except PeerError as error:
            failures.append(str(error))
    return arms, failures
