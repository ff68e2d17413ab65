"""From chunks along their references to others: breadth first, each chunk once, within caps."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from research_agent.types import Chunk, Hit
from research_agent.types.fusion import falling
from research_agent.types.references import PRIORITY, Edge, LinkKind

FOLLOWED: frozenset[LinkKind] = frozenset({"schema", "part", "see", "link"})
"""Kinds of references that lead to what a chunk needs; a mention leads to what it is about."""

EVERY = 3
"""At most one place in so many is reserved for what hits refer to."""

Neighbours = Callable[[Sequence[str]], Sequence[Edge]]
"""The references from and to some chunks, in reading order (`ports.ChunkStore.edges`)."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A chunk of the result, and how it got there."""

    chunk_id: str
    depth: int = 0
    """References between it and a requested chunk; 0 for those that were requested."""
    edge: Edge | None = None
    """The reference that led there; None for those that were requested."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What was requested and what its references lead to, the nearest first."""

    reached: tuple[Reached, ...] = ()
    truncated: bool = False
    """A cap left something out."""

    @property
    def depths(self) -> Mapping[int, int]:
        """How many chunks there are of each depth."""
        return dict(sorted(Counter(item.depth for item in self.reached).items()))

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The chunks in order."""
        return tuple(item.chunk_id for item in self.reached)


def expand(  # noqa: PLR0913 (each is a rule of its own)
    requested: Mapping[str, int],
    neighbours: Neighbours,
    *,
    max_total: int,
    follow: Collection[LinkKind] = FOLLOWED,
    incoming: Collection[LinkKind] = (),
    excluded: Collection[str] = (),
    scores: Mapping[str, float] | None = None,
) -> Expansion:
    """Return the `requested` chunks and what lies within so many references of each.

    `requested` has the depth of each chunk, 0 for one that is taken alone. References of the kinds
    `follow` are followed as they lead, those `incoming` against their direction: with "schema" from
    a schema to the operations that use it. `neighbours` is asked once a depth, for the chunks that
    are new there. Chunks at one depth come by the kind of the reference (`PRIORITY`), by `scores`,
    the highest first and those without one last, then in reading order. What is `excluded` is not
    taken, not counted and not followed. No more than `max_total` chunks are taken, what was
    requested first; a cycle ends where it comes back.

    >>> edges = [Edge("a", "b", "see"), Edge("a", "c", "schema"), Edge("c", "a", "link")]
    >>> found = expand({"a": 3}, lambda ids: [e for e in edges if e.source in ids], max_total=9)
    >>> found.chunk_ids, found.depths, found.truncated
    (('a', 'c', 'b'), {0: 1, 1: 2}, False)
    """
    left_out = set(excluded)
    wanted = [chunk_id for chunk_id in requested if chunk_id not in left_out]
    run = _Run(neighbours, follow, incoming, left_out, scores or {})
    taken = {chunk_id: Reached(chunk_id) for chunk_id in wanted[:max_total]}
    frontier = {chunk_id: requested[chunk_id] for chunk_id in taken}
    truncated, depth = len(wanted) > max_total, 0
    reach = dict(frontier)
    while frontier := {chunk_id: left for chunk_id, left in frontier.items() if left > 0}:
        depth += 1
        following: dict[str, int] = {}
        for edge, chunk_id, left in run.steps(frontier):
            if chunk_id not in taken:
                if len(taken) >= max_total:
                    truncated = True
                    continue
                taken[chunk_id] = Reached(chunk_id, depth, edge)
            if left > reach.get(chunk_id, -1):
                reach[chunk_id] = following[chunk_id] = left
        frontier = following
    return Expansion(tuple(taken.values()), truncated)


@dataclass(frozen=True, slots=True)
class _Run:
    """Which references are followed, and in which order."""

    neighbours: Neighbours
    follow: Collection[LinkKind]
    incoming: Collection[LinkKind]
    excluded: Collection[str]
    scores: Mapping[str, float]

    def steps(self, frontier: Mapping[str, int]) -> list[tuple[Edge, str, int]]:
        """Return the references from `frontier`, where each leads, and how far from there on."""
        found = [
            (edge, end, frontier[start] - 1)
            for edge in self.neighbours(tuple(frontier))
            for start, end in self._directions(edge)
            if start in frontier and end not in self.excluded
        ]
        return sorted(found, key=lambda step: (PRIORITY.index(step[0].kind), self._late(step[1])))

    def _directions(self, edge: Edge) -> Iterator[tuple[str, str]]:
        """Yield from where to where a reference may be followed."""
        if edge.kind in self.follow:
            yield edge.source, edge.target
        if edge.kind in self.incoming:
            yield edge.target, edge.source

    def _late(self, chunk_id: str) -> float:
        """Return what puts a chunk behind those with a higher score."""
        return -self.scores.get(chunk_id, float("-inf"))


def with_referred(
    hits: Sequence[Hit], brought: Mapping[str, Sequence[Chunk]], *, most: int
) -> tuple[Hit, ...]:
    """Return `hits` with at most `most` chunks of what they refer to among them.

    `brought` has these chunks by the id of the hit that refers to them, the nearest first; they
    are taken from all hits in turn. Each is inserted after its hit, so that of the first places,
    however many are read, at most one in `EVERY` is such a chunk; what is left over comes last.
    Scores fall along the result.

    >>> a, b, c, t, u = (Chunk(name, "d", name) for name in "abctu")
    >>> found = with_referred([Hit(a), Hit(b), Hit(c)], {"a": [t, u]}, most=9)
    >>> "".join(hit.chunk.text for hit in found)
    'abtcu'
    """
    waiting, placed, inserted = list[Chunk](), list[Hit](), 0
    chosen = _in_turn(hits, brought, most)
    for hit in hits:
        placed.append(hit)
        waiting += [chunk for chunk, source in chosen if source == hit.chunk.chunk_id]
        while waiting and (inserted + 1) * EVERY <= len(placed) + 1:
            placed.append(Hit(waiting.pop(0), placed[-1].score))
            inserted += 1
    last = placed[-1].score if placed else 0.0
    everything = [*placed, *(Hit(chunk, last) for chunk in waiting)]
    scores = falling([hit.score for hit in everything])
    return tuple(replace(h, score=score) for h, score in zip(everything, scores, strict=True))


def _in_turn(
    hits: Sequence[Hit], brought: Mapping[str, Sequence[Chunk]], most: int
) -> list[tuple[Chunk, str]]:
    """Return the first `most` different new chunks, the first of each hit first, with the hit."""
    known = {hit.chunk.chunk_id for hit in hits}
    sources = [hit.chunk.chunk_id for hit in hits if brought.get(hit.chunk.chunk_id)]
    chosen: dict[str, tuple[Chunk, str]] = {}
    for row in zip_longest(*(brought[source] for source in sources)):
        for chunk, source in zip(row, sources, strict=True):
            if chunk and chunk.chunk_id not in known:
                chosen.setdefault(chunk.chunk_id, (chunk, source))
    return list(chosen.values())[:most]
