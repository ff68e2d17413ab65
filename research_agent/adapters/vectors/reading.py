"""Opening the vectors of an index for searching."""

from pathlib import Path

from research_agent.adapters.vectors.approximate import ApproximateVectors
from research_agent.adapters.vectors.chroma import (
    opened,
    pages,
    shown_generation,
    shown_vectors,
)
from research_agent.adapters.vectors.exact import ExactVectors
from research_agent.errors import IndexDamagedError


def open_vectors(
    folder: Path, generation: int, *, dimension: int, exact_below: int
) -> ExactVectors | ApproximateVectors:
    """Return the vectors of one generation: in memory up to `exact_below`, above it by graph.

    Raises IndexDamagedError where Chroma's files show another generation, also one that a writer
    begins meanwhile, or fewer vectors than were written.
    """
    if shown_generation(folder) != generation:
        raise IndexDamagedError("Chroma's files do not show the index as it is now.")
    expected = shown_vectors(folder)
    if expected > exact_below:
        return ApproximateVectors(folder, dimension=dimension)
    vectors = _in_memory(folder) if expected else ExactVectors([], [])
    if len(vectors) != expected or shown_generation(folder) != generation:
        raise IndexDamagedError("Chroma's files changed while they were read, or lost vectors.")
    return vectors


def _in_memory(folder: Path) -> ExactVectors:
    """Read every vector."""
    import numpy as np

    ids: list[str] = []
    parts = []
    with opened(folder) as collection:
        for page in pages(collection, "embeddings"):
            ids += page["ids"]
            parts.append(np.asarray(page["embeddings"], dtype=np.float32))
    return ExactVectors(ids, np.concatenate(parts) if parts else [])
