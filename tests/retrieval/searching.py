"""Ports over chunks in memory, and rankings as lists of ids."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk
from research_agent.types.budget import Allowance
from research_agent.types.references import Edge
from research_agent.types.scope import EVERYTHING, Scope
from tests import fakes

ENOUGH = Allowance(40, 20, 100_000, 900.0)


def ports(found: Sequence[Chunk], edges: Sequence[Edge] = ()) -> Ports:
    return replace(
        fakes.ports(fakes.ScriptedChat(fakes.YES)),
        vectors=fakes.MemoryVectors(found),
        lexical=fakes.MemoryWords(found),
        chunks=fakes.MemoryChunks(found, edges),
    )


def search(
    query: str,
    given: Ports,
    *,
    exact: bool = False,
    scope: Scope = EVERYTHING,
    **kept: int | str,
) -> Ranked:
    """Return a ranking whose scores fall strictly."""
    settings = replace(RetrievalSettings(), **kept)  # type: ignore[arg-type]  # (values, by name)
    found = rank(query, ports=given, settings=settings, exact=exact, scope=scope)
    scores = [hit.score for hit in found.hits]
    assert sorted(set(scores), reverse=True) == scores
    return found


def ids(ranked: Ranked) -> list[str]:
    return [hit.chunk.chunk_id for hit in ranked.hits]


def stages(ranked: Ranked) -> set[str]:
    return {name for name, _ in ranked.stages}
