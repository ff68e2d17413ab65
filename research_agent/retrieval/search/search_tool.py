"""One call of the search tool: its arguments become a scope, and its hits are told about."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from research_agent.ports import Ports
from research_agent.settings import FilterSettings, RetrievalSettings
from research_agent.types import Chunk
from research_agent.types.calls import Reference, SearchResult, dangling
from research_agent.types.evidence import readable
from research_agent.types.expansion import with_referred
from research_agent.types.file_filter import filtered_documents
from research_agent.types.filtering import FilterStats, oversampled
from research_agent.types.scope import EVERYTHING, Scope

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

    With `include_references` at most `filter.max_expanded` chunks that the hits refer to are
    inserted after them (`core.expansion.with_referred`), and are counted as expanded; those that
    are excluded, or hits already, take no place of theirs. Raises ToolInputError for a
    `file_filter` that fits no document, and what `search` raises.
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
    if wanted.include_references:
        found = replace(found, stats=_dangling(found, told, scope.exclude))
    took = (ports.clock.seconds() - started) * 1000
    return replace(found, files_searched=files, search_time_ms=took, references=told)


def _wide(
    settings: RetrievalSettings, max_chunks: int, filtering: FilterSettings
) -> RetrievalSettings:
    """Return settings with which as many hits are found as the filter looks at, at most."""
    needed = min(MOST, oversampled(max_chunks, filtering.oversample))
    return settings if needed <= settings.top_k else replace(settings, top_k=needed)


def _with_references(found: SearchResult, follow: Follow, most: int, ports: Ports) -> SearchResult:
    """Return what was found with what it refers to among it, and that in the record."""
    started = ports.clock.seconds()
    ids = [hit.chunk.chunk_id for hit in found.hits]
    brought = {one: follow([one], depth=1, max_total=most + len(ids)) for one in ids if most}
    hits = with_referred(found.hits, brought, most=most)
    further = [hit for hit in hits if hit.chunk.chunk_id not in set(ids)]
    tokens = sum(ports.tokenizer.count(readable(hit.chunk)) for hit in further)
    before = found.stats
    stats = replace(
        before,
        expanded=before.expanded + len(further),
        tokens_after=before.tokens_after + tokens,
        expand_seconds=before.expand_seconds + ports.clock.seconds() - started,
    )
    return replace(found, hits=hits, stats=stats)


def _dangling(
    found: SearchResult, references: Mapping[str, Sequence[Reference]], exclude: Collection[str]
) -> FilterStats:
    """Return the record with the references that are still missing after all were followed."""
    judged = {decision.chunk_id for decision in found.stats.decisions if decision.kept}
    of_kept = {one: refers for one, refers in references.items() if one in judged}
    there = {*exclude, *(hit.chunk.chunk_id for hit in found.hits)}
    return replace(found.stats, dangling_after=dangling(of_kept, there))
