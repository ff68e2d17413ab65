"""One call of the search tool: its arguments become a scope, and its hits are told about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from research_agent.core.calls import SearchResult
from research_agent.core.evidence import readable
from research_agent.core.file_filter import filtered_documents
from research_agent.core.filtering_candidates import search_limit
from research_agent.core.question_plan import QuestionKind
from research_agent.core.referring import Reference
from research_agent.core.scope import EVERYTHING, Scope
from research_agent.core.types import Chunk, Hit
from research_agent.ports import Ports
from research_agent.settings import FilterSettings, RetrievalSettings

BEHIND = 0.5
"""What hits refer to has so many times the score of the last one before it."""
WIDEST: QuestionKind = "comparison"
"""A kind of question for which the filter looks at the most hits."""
MOST = 500
"""Hits taken from an index at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a caller of the search tool wants."""

    max_chunks: int = 25
    file_filter: str = ""
    """Part of a document's name or path, or a glob; empty: all documents."""
    include_references: bool = False
    """Add what the hits refer to."""
    rerank: bool = True
    """Let the filter judge; else the ranking alone decides."""
    exclude: frozenset[str] = frozenset()
    """Chunk ids that are not wanted again."""
    within: Scope = EVERYTHING
    """What the whole question is limited to."""


class Search(Protocol):
    """A search within a scope, with all its collaborators."""

    def __call__(
        self,
        query: str,
        *,
        max_chunks: int,
        scope: Scope,
        retrieval: RetrievalSettings,
        rerank: bool,
    ) -> SearchResult:
        """Return what was found and kept."""


class Follow(Protocol):
    """Follows references."""

    def __call__(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        """Return at most `max_total` further chunks within `depth` steps, nearest first."""


def search_documents(  # noqa: PLR0913 (one collaborator each)
    query: str,
    wanted: Wanted,
    *,
    ports: Ports,
    retrieval: RetrievalSettings,
    search: Search,
    follow: Follow,
    references: Callable[[Sequence[str]], Mapping[str, tuple[Reference, ...]]],
    filtering: FilterSettings,
) -> SearchResult:
    """Return what `wanted` asks for, with what each hit refers to, and how long it took.

    With `include_references` at most `filter.max_expanded` chunks that the hits refer to stand
    behind them, and are counted as expanded; those that are excluded, or hits already, take no
    place of theirs. Raises
    ToolInputError for a `file_filter` that fits no document, and what `search` raises.
    """
    started = ports.clock.seconds()
    limit = wanted.within
    documents = [d for d in ports.documents() if limit.admits_document(d.doc_id, d.source, d.date)]
    scope = replace(limit, exclude=limit.exclude | wanted.exclude)
    files = len(documents)
    if wanted.file_filter.strip():
        names = filtered_documents(documents, wanted.file_filter)
        scope, files = replace(scope, doc_ids=frozenset(names)), len(names)
    found = search(
        query,
        max_chunks=wanted.max_chunks,
        scope=scope,
        retrieval=_wide(retrieval, wanted.max_chunks, filtering),
        rerank=wanted.rerank,
    )
    if wanted.include_references:
        found = _with_references(found, follow, filtering.max_expanded, ports)
    told = references([hit.chunk.chunk_id for hit in found.hits])
    took = (ports.clock.seconds() - started) * 1000
    return replace(found, files_searched=files, search_time_ms=took, references=told)


def _wide(
    settings: RetrievalSettings, max_chunks: int, filtering: FilterSettings
) -> RetrievalSettings:
    """Return settings with which as many hits are found as the filter looks at, at most."""
    adaptive = filtering.adaptive == "on"
    looked_at = search_limit(max_chunks, filtering.oversample, kind=WIDEST, adaptive=adaptive)
    needed = min(MOST, looked_at)
    return settings if needed <= settings.top_k else replace(settings, top_k=needed)


def _with_references(found: SearchResult, follow: Follow, most: int, ports: Ports) -> SearchResult:
    """Return what was found with what it refers to behind it, and that in the record."""
    started = ports.clock.seconds()
    further = _referred(found.hits, follow, most)
    tokens = sum(ports.tokenizer.count(readable(hit.chunk)) for hit in further)
    before = found.stats
    stats = replace(
        before,
        expanded=before.expanded + len(further),
        tokens_after=before.tokens_after + tokens,
        expand_seconds=before.expand_seconds + ports.clock.seconds() - started,
    )
    return replace(found, hits=(*found.hits, *further), stats=stats)


def _referred(hits: Sequence[Hit], follow: Follow, most: int) -> tuple[Hit, ...]:
    """Return the chunks that `hits` refer to, behind all of them."""
    known = {hit.chunk.chunk_id for hit in hits}
    score = min((hit.score for hit in hits), default=0.0)
    found = []
    for chunk in follow([hit.chunk.chunk_id for hit in hits], depth=1, max_total=most):
        if chunk.chunk_id not in known:
            score *= BEHIND
            found.append(Hit(chunk, score))
    return tuple(found[:most])
