"""Choose evidence: the best hits, and what belongs to them, within the settings' limits."""

from collections.abc import Sequence

from research_agent.answering.select_evidence.evidence_around import (
    LISTED,
    WHOLE,
    belonging,
    introduced,
    is_lead_in,
    neighbours,
)
from research_agent.ports import Ports
from research_agent.settings import EvidenceSettings
from research_agent.types import Chunk, Hit
from research_agent.types.evidence import Evidence, EvidenceLimits, select_evidence
from research_agent.types.scope import EVERYTHING, Scope


def choose_evidence(
    hits: Sequence[Hit],
    earlier: Sequence[Evidence],
    *,
    ports: Ports,
    settings: EvidenceSettings,
    scope: Scope = EVERYTHING,
) -> tuple[Evidence, ...]:
    """Add the best new hits to the evidence, then the other parts of their tables and algorithms.

    A chunk that ends with a colon brings what it introduces. Neighbours come last, as far as
    `settings.neighbours` says. Nothing enters that is not in the scope.
    """

    def around(chunk: Chunk) -> Sequence[Chunk]:
        found = ports.chunks.around(chunk.chunk_id, window=max(WHOLE, settings.neighbours))
        near = [other for other in found if scope.admits(other)]
        return (*belonging(chunk, near), *neighbours(chunk, near, settings.neighbours))

    def listed(chunk: Chunk) -> Sequence[Chunk]:
        if not is_lead_in(chunk):
            return ()
        found = ports.chunks.around(chunk.chunk_id, window=LISTED)
        return introduced(chunk, [other for other in found if scope.admits(other)])

    limits = EvidenceLimits(
        settings.max_chunks, settings.max_tokens, settings.max_chars, settings.max_a_document
    )
    return select_evidence(
        hits,
        earlier,
        limits=limits,
        count=ports.tokenizer.count,
        around=around,
        introduced=listed,
    )
