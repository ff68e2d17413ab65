"""Questions with gold chunks and noise among them, always the same ones.

Noise is near (the best hits of the question's own search that are no gold) or far (gold of the
questions that follow in the file). Everything else is the product's: ranks, cosines, chunks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.drafts import Source, by_facts, by_words, keys
from benchmarks.gold_removed import gold_chunks
from benchmarks.questions import Row
from benchmarks.refinement_arms import changed
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from research_agent.types import Chunk, Hit

Kind = Literal["gold", "near", "far"]
SEARCH = changed(Settings(), retrieval={"top_k": 100}).retrieval
"""Ranks are known further down than an answer needs them."""
GOLD, NEAR, FAR = 2, 2, 2
"""Chunks of each kind, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with chunks that answer it and others."""

    source: Source
    qid: str
    question: str
    hits: tuple[Hit, ...]
    """In the order of the search; what it did not find comes last."""
    kinds: Mapping[str, Kind]
    """By the id of the chunk."""
    ranks: Mapping[str, int]
    """Places in the search, from 1; `UNFOUND` for what it did not find."""
    key: Row

    def answered_by(self, kept: Sequence[str]) -> bool:
        """Return whether the answer stands in the gold chunks among those `kept`.

        A yes or no stands nowhere: every gold chunk is needed for it.
        """
        gold = [hit.chunk for hit in self.hits if self.kinds[hit.chunk.chunk_id] == "gold"]
        there = [chunk for chunk in gold if chunk.chunk_id in kept]
        text = "\n".join(chunk.text for chunk in there)
        if self.source == "nist":
            return by_facts(text, self.key) == "right"
        if self.key["answer"].casefold() in ("yes", "no"):
            return len(there) == len(gold)
        return by_words(text, (self.key["answer"], *self.key["aliases"])) == "right"


UNFOUND = 10_000


def cases(source: Source, ports: Ports) -> Iterator[Case]:
    """Yield the answerable questions of a set whose gold chunks are in the index, with chunks."""
    asked = [
        key for key in keys(source) if key.get("answerable", True) and key.get("counted", True)
    ]
    golds = [_golds(source, key, ports) for key in asked]
    for at, key in enumerate(asked):
        if golds[at]:
            others = [golds[(at + step) % len(asked)] for step in range(1, len(asked))]
            yield _case(source, key, golds[at], others, ports)


def _case(
    source: Source,
    key: Row,
    golds: Sequence[Chunk],
    others: Sequence[Sequence[Chunk]],
    ports: Ports,
) -> Case:
    """Return a question with its best gold chunks, and noise of both kinds."""
    found = rank(key["question"], ports=ports, settings=SEARCH).hits
    ranks = {hit.chunk.chunk_id: at for at, hit in enumerate(found, 1)}
    own = {chunk.chunk_id for chunk in golds}
    best = sorted(golds, key=lambda chunk: ranks.get(chunk.chunk_id, UNFOUND))[:GOLD]
    documents = {chunk.doc_id for chunk in golds} if source != "nist" else set()
    near = [
        hit.chunk
        for hit in found
        if hit.chunk.chunk_id not in own and hit.chunk.doc_id not in documents
    ][:NEAR]
    taken = own | {chunk.chunk_id for chunk in near}
    far = [of[0] for of in others if of and of[0].chunk_id not in taken]
    chosen = {"gold": best, "near": near, "far": list(dict.fromkeys(far))[:FAR]}
    kinds: dict[str, Kind] = {
        chunk.chunk_id: kind  # type: ignore[misc]  # (the names of a literal dictionary)
        for kind, of in chosen.items()
        for chunk in of
    }
    chunks = [chunk for of in chosen.values() for chunk in of]
    vector = ports.embedder.embed([key["question"]])[0]
    cosines = ports.vectors.similarities(vector, [chunk.chunk_id for chunk in chunks])
    known = {chunk.chunk_id: ranks.get(chunk.chunk_id, UNFOUND) for chunk in chunks}
    hits = [
        Hit(chunk, score=1 / known[chunk.chunk_id], similarity=float(cosine))
        for chunk, cosine in zip(chunks, cosines, strict=True)
    ]
    return Case(
        source=source,
        qid=key["qid"],
        question=key["question"],
        hits=tuple(sorted(hits, key=lambda hit: (-hit.score, -(hit.similarity or 0.0)))),
        kinds=kinds,
        ranks=known,
        key=key,
    )


def _golds(source: Source, key: Row, ports: Ports) -> tuple[Chunk, ...]:
    """Return the chunks that answer a question, in reading order."""
    if source == "nist":
        ids = gold_chunks(key, ports)
        named = dict.fromkeys(page["doc_id"] for page in key["accepted_pages"])
        whole = (chunk for doc_id in named for chunk in ports.contents(doc_id))
        return tuple(chunk for chunk in whole if chunk.chunk_id in ids)
    return tuple(chunk for doc_id in key["supporting_ids"] for chunk in ports.contents(doc_id)[:1])
