"""What proposed queries find, and how near they are to the question."""

from collections.abc import Sequence

from research_agent.planning.refine.validators.retrieval import Finding, finding
from research_agent.ports import Ports
from research_agent.text.unit_vectors import cosine
from research_agent.types import Hit
from research_agent.types.refinement import Measures

SOURCES = 5
"""Hits of each query whose documents are compared."""


def measure(
    question: str, queries: Sequence[str], ports: Ports
) -> tuple[Finding, tuple[Measures, ...]]:
    """Return what the question finds, and how near each query is to it and what that finds."""
    own, *vectors = ports.embedder.embed([question, *queries])
    found = [_hits(vector, ports) for vector in (own, *vectors)]
    documents = {hit.chunk.doc_id for hits in found for hit in hits}
    findings = [finding(hits, top_k=SOURCES, by_chunk=len(documents) == 1) for hits in found]
    measured = tuple(
        Measures(similarity=cosine(own, vector), found=what)
        for vector, what in zip(vectors, findings[1:], strict=True)
    )
    return findings[0], measured


def _hits(vector: Sequence[float], ports: Ports) -> tuple[Hit, ...]:
    """Return the most similar chunks."""
    scored = ports.vectors.search(vector, k=SOURCES)
    values = {item.chunk_id: item.value for item in scored}
    chunks = ports.chunks.chunks([item.chunk_id for item in scored])
    return tuple(Hit(chunk, similarity=values[chunk.chunk_id]) for chunk in chunks)
