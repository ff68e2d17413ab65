"""What the filter needs to know of references: what chunks refer to, and how to follow that."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from research_agent.core.referring import Reference
from research_agent.core.types import Chunk


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


def titles(references: Mapping[str, Sequence[Reference]]) -> dict[str, tuple[str, ...]]:
    """Return the names of what each chunk refers to: the last heading, else the whole place.

    >>> titles({"a": [Reference("b", "schema", "box, section FolderLock")]})
    {'a': ('FolderLock',)}
    """
    return {
        chunk_id: tuple(reference.place.rpartition(", section ")[2] for reference in found)
        for chunk_id, found in references.items()
    }
