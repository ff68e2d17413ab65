"""What the filter needs to know of references: what chunks refer to, and how to follow that."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from research_agent.types import Chunk
from research_agent.types.filtering import DEPTHS
from research_agent.types.referring import MOST_COUNTED, Reach, Reference, name_of


class References(Protocol):
    """What chunks refer to, in words."""

    def __call__(self, chunk_ids: Sequence[str]) -> Mapping[str, Sequence[Reference]]:
        """Return the references by chunk id; a chunk without any may be missing."""


class Expand(Protocol):
    """Follows references."""

    def __call__(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        """Return at most `max_total` further chunks within `depth` steps, nearest first."""


def no_references(chunk_ids: Sequence[str]) -> Mapping[str, Sequence[Reference]]:
    """Return nothing. Implements References.

    >>> no_references(["a"])
    {}
    """
    del chunk_ids
    return {}


def no_expansion(chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
    """Return nothing. Implements Expand.

    >>> no_expansion(["a"], depth=1, max_total=9)
    ()
    """
    del chunk_ids, depth, max_total
    return ()


def reaches(chunk_ids: Sequence[str], references: References, expand: Expand) -> dict[str, Reach]:
    """Return where the references of these chunks lead beyond the chunks themselves.

    Those that lead to nothing new are left out.
    """
    there, found = set(chunk_ids), dict[str, Reach]()
    most = len(there) + MOST_COUNTED
    for chunk_id in references(chunk_ids):
        near: Sequence[Chunk] = ()
        counts = dict[int, int]()
        for steps in DEPTHS.values():
            reached = expand([chunk_id], depth=steps, max_total=most)
            new = [chunk for chunk in reached if chunk.chunk_id not in there]
            near, counts[steps] = near if counts else new, min(len(new), MOST_COUNTED)
        if any(counts.values()):
            found[chunk_id] = Reach(tuple(dict.fromkeys(map(name_of, near))), counts)
    return found
