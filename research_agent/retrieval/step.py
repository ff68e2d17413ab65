"""The steps that search: the round's probe, and one call of the search tool."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from research_agent.context import StepContext
from research_agent.errors import ModelError
from research_agent.ports import Ports
from research_agent.retrieval.reorder.step import reorder
from research_agent.retrieval.search.ranking import rank
from research_agent.types import Chunk, Hit, Outcome, Probe, TraceEvent
from research_agent.types.calls import Reference, SearchResult, dangling
from research_agent.types.conversation import MOST_KNOWN
from research_agent.types.evidence import Evidence, readable, unread
from research_agent.types.filtering import (
    ChunkDecision,
    Filtered,
    FilterStats,
    counted,
    oversampled,
)
from research_agent.types.fusion import reserve_slots
from research_agent.types.references import with_referred
from research_agent.types.scope import EVERYTHING, Scope, check_scope, filtered_documents
from research_agent.types.verification import Check

KNOWN_INSERT_RANK = 3
"""Chunks cited earlier (`MOST_KNOWN` at most) are inserted after this rank."""
MOST = 500


Filter = Callable[[str, Sequence[Hit], int], Outcome[Filtered]]
"""Of the hits of a query it keeps at most as many, with what they bring along."""


class ReferenceLookup(Protocol):
    """What chunks refer to: named, or read."""

    def references(self, chunk_ids: Sequence[str]) -> Mapping[str, tuple[Reference, ...]]:
        """Return what each of the chunks refers to."""

    def further(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        """Return at most `max_total` further chunks within `depth` references, nearest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What is wanted of a search, and what it knows beside its query."""

    max_chunks: int = 25
    file_filter: str = ""
    """Part of a document's name or path, or a glob; empty: all documents."""
    include_references: bool = False
    rerank: bool = True
    """Let the filter judge; else the ranking alone decides."""
    within: Scope = EVERYTHING
    question: str = ""
    known: tuple[str, ...] = ()
    """Ids of chunks of which those nearest to the query get a rank among the hits."""
    instead: tuple[Hit, ...] = ()
    """Hits that replace those of a search that fails, as far as they are in its scope."""
    look_again: bool = True
    """Search once more where the filter's model discards every hit."""


ANYTHING = SearchRequest()


def retrieve(
    question: str,
    check: Check,
    context: StepContext,
    *,
    scope: Scope = EVERYTHING,
    known: Sequence[str] = (),
    evidence: Sequence[Evidence] = (),
) -> Outcome[Probe]:
    """Probe the documents with the question, or with what the last check wants to know.

    `evidence` of earlier rounds is skipped; the `known` chunks nearest to the query get a rank. A
    model that fails raises ModelError in the first round; later the probe says that it failed.
    Raises ToolInputError for a scope in which nothing can be found.
    """
    ports = context.ports
    if not check.next_query:
        check_scope(scope, ports.documents)
    query = check.next_query or question
    try:
        hits, notes = _ranked(query, context, unread(scope, evidence), known)
        return Outcome(Probe(query, hits), TraceEvent(notes=(*ports.warnings(), *notes)))
    except ModelError as error:
        if not check.next_query:
            raise
        failed = f"retrieve: {error}; the best answer so far is kept"
        event = TraceEvent(notes=(*ports.warnings(), failed))
        return Outcome(Probe(query, failed=True), event)


def search_documents(
    query: str,
    wanted: SearchRequest,
    context: StepContext,
    *,
    keep: Filter,
    follow: ReferenceLookup,
) -> SearchResult:
    """Return the hits that `wanted` asks for, their references, and the time taken.

    They are ranked, blended and reranked as the settings say, and pass the filter `keep`. Raises
    ToolInputError for a `file_filter` that fits no document, ModelError where the search fails and
    no hits replace its.
    """
    ports, started = context.ports, context.ports.clock.seconds()
    scope, files = _scope(wanted, ports)
    result = _kept(query, wanted, _deep(context, wanted.max_chunks), scope, keep)
    if wanted.include_references:
        result = _with_references(result, follow, context)
    references = follow.references([hit.chunk.chunk_id for hit in result.hits])
    if wanted.include_references:
        judged = {decision.chunk_id for decision in result.stats.decisions if decision.kept}
        of_kept = {i: found for i, found in references.items() if i in judged}
        there = {*scope.exclude, *(hit.chunk.chunk_id for hit in result.hits)}
        stats = replace(result.stats, dangling_after=dangling(of_kept, there))
        result = replace(result, stats=stats)
    took = (ports.clock.seconds() - started) * 1000
    return replace(result, files_searched=files, search_time_ms=took, references=references)


def _scope(wanted: SearchRequest, ports: Ports) -> tuple[Scope, int]:
    scope = wanted.within
    documents = [d for d in ports.documents() if scope.admits_document(d.doc_id, d.source, d.date)]
    if not wanted.file_filter.strip():
        return scope, len(documents)
    names = filtered_documents(documents, wanted.file_filter)
    return replace(scope, doc_ids=frozenset(names)), len(names)


def _deep(context: StepContext, max_chunks: int) -> StepContext:
    """Return the context with a search that finds at least the hits that the filter looks at."""
    settings = context.settings
    looked_at = oversampled(max_chunks, settings.filter.oversample)
    depth = max(settings.retrieval.top_k, min(MOST, looked_at))
    deep = replace(settings.retrieval, top_k=depth)
    return replace(context, settings=replace(settings, retrieval=deep))


def _kept(
    query: str, wanted: SearchRequest, context: StepContext, scope: Scope, keep: Filter
) -> SearchResult:
    """Return the best hits that pass the filter, or the first ones where nothing is judged.

    Where the model discards every hit, those of the question, or the next ones, are judged too.
    """
    ports, most = context.ports, wanted.max_chunks
    started = ports.clock.seconds()
    try:
        found, notes = _ranked(query, context, scope, wanted.known)
    except ModelError as error:
        if not wanted.instead:
            raise
        found = tuple(hit for hit in wanted.instead if scope.admits(hit.chunk))
        notes = (f"search: {error}; answered from the round's first search",)
    ordered = reorder(query, found, context, top_k=most)
    searching = ports.clock.seconds() - started
    hits = ordered.value.hits
    kept = keep(query, hits, most) if wanted.rerank else _unfiltered(hits[:most], ports)
    if wanted.look_again and kept.value.stats.all_discarded:
        asked, others, why = query, hits, tuple[str, ...]()
        if wanted.question and wanted.question != query:
            try:
                others, why = _ranked(wanted.question, context, scope, ())
                asked = wanted.question
            except ModelError as error:
                why = (f"search: {error}; the next hits are judged",)
        judged = {d.chunk_id for d in kept.value.stats.decisions if d.verdict == "discard"}
        new = [hit for hit in others if hit.chunk.chunk_id not in judged]
        kept = _looked_again(kept, keep(asked, new, most), why)
    notes = (*ports.warnings(), *notes, *ordered.event.notes, *kept.event.notes)
    return SearchResult(
        kept.value.hits,
        replace(kept.value.stats, search_seconds=searching),
        TraceEvent(context.meter.calls, notes, (query,), unreadable=kept.event.unreadable),
        total_found=len(found),
    )


def _looked_again(
    first: Outcome[Filtered], second: Outcome[Filtered], notes: tuple[str, ...]
) -> Outcome[Filtered]:
    """Join two looks, of which the first has discarded every hit; the record has both."""
    stats, after = first.value.stats, second.value.stats
    found = any(d.kept and d.verdict not in {"discard", "undecided"} for d in after.decisions)
    judged = {decision.chunk_id for decision in after.decisions}
    early = tuple(d for d in stats.decisions if d.chunk_id not in judged)
    before = replace(stats, decisions=early, original=len(early))
    both = [_without_hits(before), after] if found else [before, _without_hits(after)]
    hits = second.value.hits if found else first.value.hits
    unreadable = first.event.unreadable + second.event.unreadable
    event = TraceEvent(
        notes=(*first.event.notes, *notes, *second.event.notes), unreadable=unreadable
    )
    return Outcome(Filtered(hits, FilterStats.total(both)), event)


def _without_hits(stats: FilterStats) -> FilterStats:
    dropped = tuple(
        replace(d, kept=False, why="model" if d.why == "all_discarded" else d.why)
        for d in stats.decisions
    )
    return replace(
        stats,
        kept=0,
        expanded=0,
        tokens_after=0,
        dangling_before=0,
        dangling_after=0,
        decisions=dropped,
    )


def _unfiltered(hits: Sequence[Hit], ports: Ports) -> Outcome[Filtered]:
    decisions = [ChunkDecision(hit.chunk.chunk_id, kept=True) for hit in hits]
    tokens = sum(ports.tokenizer.count(readable(hit.chunk)) for hit in hits)
    stats = replace(counted("off", decisions), tokens_before=tokens, tokens_after=tokens)
    return Outcome(Filtered(tuple(hits), stats))


def _with_references(
    result: SearchResult, follow: ReferenceLookup, context: StepContext
) -> SearchResult:
    ports, most = context.ports, context.settings.filter.max_expanded
    started = ports.clock.seconds()
    ids = [hit.chunk.chunk_id for hit in result.hits]
    brought = {i: follow.further([i], depth=1, max_total=most + len(ids)) for i in ids if most}
    hits = with_referred(result.hits, brought, most=most)
    further = [hit for hit in hits if hit.chunk.chunk_id not in set(ids)]
    tokens = sum(ports.tokenizer.count(readable(hit.chunk)) for hit in further)
    before = result.stats
    stats = replace(
        before,
        expanded=before.expanded + len(further),
        tokens_after=before.tokens_after + tokens,
        expand_seconds=before.expand_seconds + ports.clock.seconds() - started,
    )
    return replace(result, hits=hits, stats=stats)


def _ranked(
    query: str, context: StepContext, scope: Scope, known: Sequence[str]
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    ports = context.ports
    found = rank(query, ports=ports, settings=context.settings.retrieval, scope=scope)
    chunks = [chunk for chunk in ports.chunks.chunks(known) if scope.admits(chunk)] if known else []
    near: Sequence[float | None] = [None] * len(chunks)
    if chunks and found.vector:
        ids = [chunk.chunk_id for chunk in chunks]
        near = ports.vectors.similarities(found.vector, ids)
    hits = [Hit(chunk, similarity=s) for chunk, s in zip(chunks, near, strict=True)]
    nearest = sorted(hits, key=lambda hit: (-(hit.similarity or 0.0), hit.chunk.chunk_id))
    return _with_known(found.hits, nearest), found.notes


def _with_known(hits: tuple[Hit, ...], known: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return `hits` with the first of `known` inserted, unless they rank higher already."""
    front = {hit.chunk.chunk_id for hit in hits[:KNOWN_INSERT_RANK]}
    found = {hit.chunk.chunk_id: hit for hit in hits}
    moved = [found.get(h.chunk.chunk_id, h) for h in known if h.chunk.chunk_id not in front]
    ids = {hit.chunk.chunk_id for hit in moved[:MOST_KNOWN]}
    own = [hit for hit in hits if hit.chunk.chunk_id not in ids]
    return reserve_slots(own, [moved], slot=KNOWN_INSERT_RANK, each=MOST_KNOWN) if ids else hits
