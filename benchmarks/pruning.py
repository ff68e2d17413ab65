"""Questions with gold chunks and noise among them, pruned by the product's own step.

Noise is near (the best hits of the question's own search that are no gold) or far (gold of the
questions that follow in the file). Replies are recorded; `replay-all` asks them again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.common import Row, changed, nist_keys, read
from benchmarks.datasets import MULTIHOP
from research_agent.answering.select_evidence.step import EarlierEvidence, select_evidence
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Chunk, Hit
from research_agent.types.budget import Allowance
from research_agent.types.pruning import PruneStats

MOST: Mapping[str, int] = {"hotpotqa": 20, "nist": 8}
"""Questions of each set that are recorded."""
PLENTY = Allowance(1000, 1000, 10_000_000, 36_000.0)
BASE = changed(Settings(), evidence={"max_chunks": 6, "max_tokens": 6000, "max_chars": 60_000})
"""Everything fits, and no call is left out for want of time: what is kept is the mode's doing."""
WAYS = {
    "threshold": changed(BASE, prune={"mode": "threshold"}),
    "ratio, by similarity": changed(BASE, prune={"mode": "ratio", "by": "similarity"}),
}
SEARCH = changed(Settings(), retrieval={"top_k": 100}).retrieval
"""Ranks are known further down than an answer needs them."""
EACH = 2
"""Chunks of each kind, at most."""
UNFOUND = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with chunks that answer it and others."""

    qid: str
    question: str
    hits: tuple[Hit, ...]
    """In the order of the search; what it did not find comes last."""


def pruned(case: Case, settings: Settings, ports: Ports) -> PruneStats:
    """Return what the product's step makes of a case; raises MissingRecordingError."""
    context = RunContext(ports, settings, load_prompts()).within(PLENTY)
    return select_evidence(case.question, case.hits, EarlierEvidence(), context).value.pruned.stats


def cases(source: str, ports: Ports) -> Iterator[Case]:
    """Yield the answerable questions of a set whose gold chunks are in the index, with chunks."""
    keys = nist_keys() if source == "nist" else read(MULTIHOP / source / "questions.jsonl")
    keys = [key for key in keys if key.get("answerable", True) and key.get("counted", True)]
    golds = [(_on_pages if source == "nist" else _supporting)(key, ports) for key in keys]
    for at, key in enumerate(keys):
        if golds[at]:
            others = [golds[(at + step) % len(keys)] for step in range(1, len(keys))]
            yield _case(key, golds[at], others, ports)


def _case(
    key: Row, golds: Sequence[Chunk], others: Sequence[Sequence[Chunk]], ports: Ports
) -> Case:
    """Return a question with its best gold chunks, and noise of both kinds."""
    found = rank(key["question"], ports=ports, settings=SEARCH).hits
    ranks = {hit.chunk.chunk_id: at for at, hit in enumerate(found, 1)}
    own = {chunk.chunk_id for chunk in golds}
    best = sorted(golds, key=lambda chunk: ranks.get(chunk.chunk_id, UNFOUND))[:EACH]
    documents = set() if "accepted_pages" in key else {chunk.doc_id for chunk in golds}
    near = [
        hit.chunk
        for hit in found
        if hit.chunk.chunk_id not in own and hit.chunk.doc_id not in documents
    ][:EACH]
    taken = own | {chunk.chunk_id for chunk in near}
    far = dict.fromkeys(of[0] for of in others if of and of[0].chunk_id not in taken)
    chunks = [*best, *near, *list(far)[:EACH]]
    vector = ports.embedder.embed([key["question"]])[0]
    cosines = ports.vectors.similarities(vector, [chunk.chunk_id for chunk in chunks])
    hits = [
        Hit(chunk, score=1 / ranks.get(chunk.chunk_id, UNFOUND), similarity=float(cosine))
        for chunk, cosine in zip(chunks, cosines, strict=True)
    ]
    hits.sort(key=lambda hit: (-hit.score, -(hit.similarity or 0.0)))
    return Case(qid=key["qid"], question=key["question"], hits=tuple(hits))


def _supporting(key: Row, ports: Ports) -> tuple[Chunk, ...]:
    return tuple(chunk for doc_id in key["supporting_ids"] for chunk in ports.contents(doc_id)[:1])


def _on_pages(key: Row, ports: Ports) -> tuple[Chunk, ...]:
    """Return the chunks on the accepted pages of a question, in reading order."""
    pages = key["accepted_pages"]
    return tuple(
        chunk
        for doc_id in dict.fromkeys(page["doc_id"] for page in pages)
        for chunk in ports.contents(doc_id)
        if any(
            page["doc_id"] == doc_id and chunk.start_page <= page["page"] <= chunk.end_page
            for page in pages
        )
    )
