"""Which passages of an index questions are made from, by the kind of question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from research_agent.ports import Ports
from research_agent.text.boilerplate_sections import BOILERPLATE
from research_agent.types import Chunk
from research_agent.types.references import FOLLOWED

Kind = Literal["single", "table", "comparison", "hops", "left-out", "near-miss"]
SHARES: Mapping[Kind, float] = {
    "single": 0.3,
    "table": 0.2,
    "comparison": 0.15,
    "hops": 0.15,
    "left-out": 0.1,
    "near-miss": 0.1,
}
"""Of all questions; what cannot be made of a kind is made of single facts."""
UNANSWERABLE: frozenset[Kind] = frozenset({"left-out", "near-miss"})
PAIRED: frozenset[Kind] = frozenset({"comparison", "hops"})
LINKED = (FOLLOWED | {"mention"}) - {"part"}
"""References that lead from one passage of a "hops" question to the other."""
LEAST_CHARS = 120
"""A shorter passage says too little to ask about; a table may be shorter."""
NEAREST, SAME, APART = 30, 0.97, 3
"""Passages among which the nearest one is looked for, the cosine from which two say the same, and
how far two of one document are apart at least."""


@dataclass(frozen=True, slots=True)
class Task:
    """The passages that one question is to be made from."""

    kind: Kind
    chunks: tuple[Chunk, ...]
    beside: tuple[str, ...] = ()
    """Ids of the passage and its neighbours, for "left-out"."""


def shuffled(chunk_ids: Sequence[str], seed: int) -> list[str]:
    """Return the ids in an order that depends on the seed alone."""
    return sorted(chunk_ids, key=lambda name: sha256(f"{seed} {name}".encode()).hexdigest())


def wanted(questions: int) -> dict[Kind, int]:
    """Return how many questions of each kind are made; their sum is `questions`."""
    counts = {kind: int(questions * share) for kind, share in SHARES.items()}
    return {**counts, "single": questions - sum(counts.values()) + counts["single"]}


def tasks(kind: Kind, chunks: Sequence[Chunk], ports: Ports, used: set[str]) -> Iterator[Task]:
    """Yield what questions of one kind can be made from, in the order of `chunks`.

    No passage is `used` twice. The second one of a pair is one that the first refers to ("hops"),
    else the nearest one of another document, or of another place in the only one.
    """
    for chunk in chunks:
        if chunk.chunk_id in used or not _fits(kind, chunk):
            continue
        found: tuple[Chunk, ...] = (chunk,)
        if kind in PAIRED:
            other = next((o for o in _others(kind, chunk, ports) if o.chunk_id not in used), None)
            if other is None:
                continue
            found = (chunk, other)
        used.update(one.chunk_id for one in found)
        near = ports.chunks.around(chunk.chunk_id, window=1) if kind == "left-out" else ()
        yield Task(kind, found, tuple(one.chunk_id for one in (chunk, *near)))


def _fits(kind: Kind, chunk: Chunk) -> bool:
    if kind == "table":
        return chunk.kind == "table"
    return chunk.kind not in BOILERPLATE and len(chunk.text) >= LEAST_CHARS


def _others(kind: Kind, chunk: Chunk, ports: Ports) -> Iterator[Chunk]:
    if kind == "hops":
        edges = ports.chunks.edges([chunk.chunk_id])
        named = [
            edge.target for edge in edges if edge.source == chunk.chunk_id and edge.kind in LINKED
        ]
        yield from (one for one in ports.chunks.chunks(named) if _apart(chunk, one))
    near = ports.vectors.search(ports.embedder.embed([chunk.text])[0], k=NEAREST)
    ids = [one.chunk_id for one in near if one.value < SAME]
    found = [one for one in ports.chunks.chunks(ids) if _apart(chunk, one)]
    yield from sorted(found, key=lambda one: one.doc_id == chunk.doc_id)


def _apart(chunk: Chunk, other: Chunk) -> bool:
    near = other.doc_id == chunk.doc_id and abs(other.order - chunk.order) < APART
    return not near and _fits("single", other)
