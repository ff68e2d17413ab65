"""Ports over chunks in memory, and rankings as lists of ids."""

import math
from collections.abc import Sequence
from dataclasses import replace

from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import Ranked, rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Chunk
from research_agent.types.budget import Allowance
from research_agent.types.references import Edge
from research_agent.types.retrieval import BlendDiagnostics
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


def search(query: str, given: Ports, *, scope: Scope = EVERYTHING, **kept: int | str) -> Ranked:
    """Return a ranking whose scores fall strictly."""
    settings = replace(RetrievalSettings(), **kept)  # type: ignore[arg-type]  # (values, by name)
    found = rank(query, ports=given, settings=settings, scope=scope)
    scores = [hit.score for hit in found.hits]
    assert sorted(set(scores), reverse=True) == scores
    return found


def ids(ranked: Ranked) -> list[str]:
    return [hit.chunk.chunk_id for hit in ranked.hits]


def stages(ranked: Ranked) -> set[str]:
    return {name for name, _ in ranked.stages}


class Scripted:
    """A reranker with known verdicts, or an error."""

    def __init__(self, *verdicts: float | None, error: Exception | None = None) -> None:
        self.verdicts, self.error = verdicts, error
        self.asked: list[tuple[str, tuple[str, ...], float]] = []

    def scores(
        self, query: str, texts: Sequence[str], *, seconds: float = math.inf
    ) -> Sequence[float | None]:
        self.asked.append((query, tuple(texts), seconds))
        if self.error:
            raise self.error
        return self.verdicts[: len(texts)]


class Log:
    """Keeps what blending did."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, BlendDiagnostics]] = []

    def put(self, query: str, diagnostics: BlendDiagnostics) -> None:
        self.kept.append((query, diagnostics))
