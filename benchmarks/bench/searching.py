"""Retrieval alone over the bench: the product and its peers, with the same embedding models."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.bench.sets import Half, documents, questions
from benchmarks.bench.tables import PRODUCT, Systems
from benchmarks.peers.exchange import Task, enough
from benchmarks.peers.running import named, search
from benchmarks.retrieval import filtered, index_at
from research_agent.assembly.connection import connect
from research_agent.assembly.index import index_header
from research_agent.evaluation.questions import Question
from research_agent.evaluation.ranking import Span, scores
from research_agent.evaluation.rows import EvalRow, span_of
from research_agent.models.adapters import multilingual
from research_agent.settings import Settings

KS = (1, 5, 10)
READ = 1500
"""Tokens that an answer is written from, with the product's defaults for the embedded model."""


def index_of(kind: str, cache: Path, settings: Settings) -> str:
    """Bring the index of a kind below `cache` up to date, and return where."""
    return index_at(cache / "indexes" / f"bench-{kind}", documents(kind), settings)[0]


def product_hits(asked: Sequence[Question], location: str) -> Mapping[str, Sequence[Span]]:
    """Return what the product finds for each question, by its id."""
    with connect(location, Settings(), {}) as made:
        found = {one.qid: filtered(one.text, made.ports, made.settings) for one in asked}
    return {qid: [span_of(hit.chunk) for hit in hits] for qid, hits in found.items()}


def task_of(kind: str, location: str, asked: Sequence[Question]) -> Task:
    """Return what a peer is given: documents, questions, and the embedding model of our index."""
    return Task(
        documents=named(documents(kind)),
        questions=tuple((one.qid, one.text) for one in asked),
        first=max(KS),
        multilingual=index_header(location, offline=True).model == multilingual.NAME,
    )


def row_of(question: Question, hits: Sequence[Span]) -> EvalRow:
    """Return what a ranking is worth, also of as many hits as reach the tokens that are read."""
    shown = max(1, enough([hit.text for hit in hits], 0, READ)[0])
    read = scores(hits, question.golds, (shown,))[f"recall@{shown}"]
    found = scores(hits, question.golds, KS) | {f"recall in {READ} tokens": read}
    return EvalRow(qid=question.qid, question="", hits=len(hits), scores=found)


def measured(
    halves: Sequence[Half], kinds: Sequence[str], peers: Sequence[str], cache: Path
) -> dict[Half, Systems]:
    """Return the rows of all systems by half; each indexes the documents of a kind once."""
    told: dict[Half, Systems] = {half: {PRODUCT: {}} for half in halves}
    for kind in kinds:
        of = {half: [one for one in questions(kind, half) if one.golds] for half in halves}
        if not (asked := [one for own in of.values() for one in own]):
            continue
        location = index_of(kind, cache, Settings())
        hits = {PRODUCT: product_hits(asked, location)}
        for peer in peers:
            arms = search(peer, task_of(kind, location, asked), cache)
            hits |= {arm.name: arm.hits for arm in arms}
        for half, own in of.items():
            for name, by_id in hits.items():
                rows = [row_of(one, by_id[one.qid]) for one in own]
                told[half].setdefault(name, {})[kind] = rows
    return told
