"""What chunks refer to: told in words, or read."""

from collections.abc import Sequence
from dataclasses import dataclass

from research_agent.ports import Ports
from research_agent.types import Chunk
from research_agent.types.expansion import expand
from research_agent.types.referring import Reference, references_by_chunk
from research_agent.types.scope import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Referring:
    """The references of one index, as a search follows them."""

    ports: Ports
    exclude: frozenset[str] = frozenset()
    """Chunk ids that are not wanted again; they take nobody's place."""
    within: Scope = EVERYTHING
    """What is read has to be in it."""

    def references(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Reference, ...]]:
        """Return what each of the chunks refers to; those that refer to nothing are left out."""
        wanted = set(chunk_ids)
        edges = [edge for edge in self.ports.chunks.edges(chunk_ids) if edge.source in wanted]
        targets = list(dict.fromkeys(edge.target for edge in edges))
        return references_by_chunk(edges, self.ports.chunks.chunks(targets) if targets else ())

    def further(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        """Return at most `max_total` other chunks within `depth` references, nearest first."""
        found = expand(
            dict.fromkeys(chunk_ids, depth),
            self.ports.chunks.edges,
            max_total=len(set(chunk_ids)) + max_total,
            excluded=self.exclude,
        )
        read = self.ports.chunks.chunks([one.chunk_id for one in found.reached if one.depth])
        return [chunk for chunk in read if self.within.admits(chunk)]
