"""What belongs to the best hits in an API description: the schemas and operations they name."""

from collections import Counter
from collections.abc import Sequence

from research_agent.types import Chunk, ChunkKind
from research_agent.types.references import Edge

KINDS: frozenset[ChunkKind] = frozenset({"operation", "schema"})
"""What has relatives; a security scheme belongs to nearly everything."""
COMMON = 30
"""A chunk that more others refer to, such as the schema of all errors, says nothing of them."""


def with_parts(chunks: Sequence[Chunk], edges: Sequence[Edge]) -> tuple[str, ...]:
    """Return the ids of `chunks`, and of the other parts of what was cut."""
    own = dict.fromkeys(chunk.chunk_id for chunk in chunks)
    parts = (edge.target for edge in edges if edge.kind == "part" and edge.source in own)
    return tuple(own | dict.fromkeys(parts))


def relatives(chunk_ids: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """Return what some chunks refer to as a schema, and what refers to them so, each once."""
    starts = set(chunk_ids)
    named = [edge for edge in edges if edge.kind == "schema"]
    used = Counter(edge.target for edge in named)
    to = [edge.target for edge in named if edge.source in starts]
    back = [edge.source for edge in named if edge.target in starts and used[edge.target] <= COMMON]
    return [found for found in dict.fromkeys([*to, *back]) if found not in starts]


def place_every(
    own: Sequence[Chunk], others: Sequence[Chunk], *, after: int, every: int
) -> tuple[Chunk, ...]:
    """Insert one of `others` after rank `after` of `own`, and then in every `every`th rank.

    Only the first part of an operation or schema is inserted, and none where a part ranks higher.
    """
    placed, rest = list(own[:after]), list(own[after:])
    shown = {_item(chunk) for chunk in placed}
    first = {_item(chunk): chunk for chunk in reversed(others) if chunk.kind in KINDS}
    waiting = [c for c in others if first.get(_item(c)) is c and _item(c) not in shown]
    while waiting:
        if (len(placed) - after) % every == 0:
            chosen = waiting.pop(0)
            rest = [chunk for chunk in rest if chunk.chunk_id != chosen.chunk_id]
            placed.append(chosen)
        elif rest:
            placed.append(rest.pop(0))
            waiting = [chunk for chunk in waiting if _item(chunk) != _item(placed[-1])]
        else:
            break
    return (*placed, *rest)


def _item(chunk: Chunk) -> tuple[str, str, tuple[str, ...]]:
    is_part = chunk.kind in KINDS
    return (chunk.doc_id, chunk.kind if is_part else chunk.chunk_id, chunk.section)
