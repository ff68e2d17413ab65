"""The steps of the graph that search: the round's probe, and one call of the search tool."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from research_agent.errors import ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.retrieval.search.again import Discarded, another_look
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import RetrievalSettings
from research_agent.types import Hit, Outcome, Probe, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.calls import SearchResult
from research_agent.types.conversation import MOST_KNOWN
from research_agent.types.evidence import Evidence, readable, unread
from research_agent.types.filtering import ChunkDecision, Filtered, counted
from research_agent.types.fusion import reserve_slots
from research_agent.types.reordering import Reordered
from research_agent.types.scope import EVERYTHING, Scope, check_scope
from research_agent.types.verification import Check


class Reorder(Protocol):
    """What gives the hits of a query a new order; its model calls go through `meter`."""

    def __call__(
        self, query: str, hits: Sequence[Hit], *, top_k: int, meter: Meter
    ) -> Outcome[Reordered]:
        """Return the hits, of which `top_k` will be shown; an event says what failed."""


class Filter(Protocol):
    """What decides which hits are kept; its model calls go through `meter`."""

    def __call__(
        self,
        query: str,
        hits: Sequence[Hit],
        *,
        max_chunks: int,
        meter: Meter,
        exclude: Collection[str] = (),
        question: str = "",
    ) -> Outcome[Filtered]:
        """Return at most `max_chunks` hits and what they bring along; an event has the notes."""


KNOWN_SLOT = 3
"""Chunks cited earlier (`MOST_KNOWN` at most) are inserted after this rank."""


def retrieve(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    check: Check,
    *,
    ports: Ports,
    settings: RetrievalSettings,
    scope: Scope = EVERYTHING,
    known: Sequence[str] = (),
    evidence: Sequence[Evidence] = (),
) -> Outcome[Probe]:
    """Probe the documents with the question, or with what the last check wants to know.

    Chunks that were read as `evidence` of earlier rounds are skipped. Of the chunks with the ids
    `known`, those nearest to the query get a place among the hits. In the first round a model
    that fails is an error: raises ModelError. Later there is an answer to keep, so the probe says
    that it failed. Raises ToolInputError for a scope in which nothing can be found.
    """
    if not check.next_query:
        check_scope(scope, ports.documents)
    query = check.next_query or question
    scope = unread(scope, evidence)
    try:
        hits, notes = _ranked(query, ports, settings, scope, known)
        return Outcome(Probe(query, hits), TraceEvent(notes=(*ports.warnings(), *notes)))
    except ModelError as error:
        if not check.next_query:
            raise
        failed = f"retrieve: {error}; the best answer so far is kept"
        event = TraceEvent(notes=(*ports.warnings(), failed))
        return Outcome(Probe(query, failed=True), event)


def _ranked(
    query: str, ports: Ports, settings: RetrievalSettings, scope: Scope, known: Sequence[str]
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Return what `query` finds, with what is known from before, and notes."""
    found = rank(query, ports=ports, settings=settings, scope=scope)
    return _with_known(found.hits, _known(found.vector, known, ports, scope)), found.notes


def _known(
    vector: Sequence[float], ids: Sequence[str], ports: Ports, scope: Scope
) -> tuple[Hit, ...]:
    """Return the chunks with these ids that are still there and in the scope, nearest first.

    Without a `vector` of the query it is not known how near they are.
    """
    chunks = [chunk for chunk in ports.chunks.chunks(ids) if scope.admits(chunk)] if ids else []
    if not chunks:
        return ()
    near: Sequence[float | None] = [None] * len(chunks)
    if vector:
        near = ports.vectors.similarities(vector, [chunk.chunk_id for chunk in chunks])
    hits = [Hit(chunk, similarity=s) for chunk, s in zip(chunks, near, strict=True)]
    return tuple(sorted(hits, key=lambda hit: (-(hit.similarity or 0.0), hit.chunk.chunk_id)))


def _with_known(hits: tuple[Hit, ...], known: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return `hits` with the first of `known` behind the very best ones; those stay in front."""
    front = {hit.chunk.chunk_id for hit in hits[:KNOWN_SLOT]}
    found = {hit.chunk.chunk_id: hit for hit in hits}
    moved = [found.get(h.chunk.chunk_id, h) for h in known if h.chunk.chunk_id not in front]
    ids = {hit.chunk.chunk_id for hit in moved[:MOST_KNOWN]}
    own = [hit for hit in hits if hit.chunk.chunk_id not in ids]
    return reserve_slots(own, [moved], slot=KNOWN_SLOT, each=MOST_KNOWN) if ids else hits


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a search knows beside its query."""

    question: str = ""
    """What the user asked."""
    known: tuple[str, ...] = ()
    """Ids of chunks of which those nearest to the query get a place among the hits."""
    instead: tuple[Hit, ...] = ()
    """Hits that stand in for a search that fails, as far as they are in its scope."""
    look_again: bool = True
    """Search once more where the filter's model discards every hit."""


ALONE = About()


def search_chunks(  # noqa: PLR0913 (one collaborator or setting each)
    query: str,
    *,
    max_chunks: int,
    allowance: Allowance,
    ports: Ports,
    retrieval: RetrievalSettings,
    reorder: Reorder,
    filtering: Filter,
    rerank: bool = True,
    scope: Scope = EVERYTHING,
    about: About = ALONE,
) -> SearchResult:
    """Return the best `max_chunks` hits, after `reorder`, that pass the filter.

    Among them are the chunks that the filter lets kept ones bring along. Without `rerank`
    nothing is filtered: the first hits of the ranking are returned. Where the filter's model
    discards every hit, the hits of the question are judged too, or for the question itself the next
    ones. Raises ModelError where the search fails and there are no hits to stand in.
    """
    started = ports.clock.seconds()
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    try:
        found, notes = _ranked(query, ports, retrieval, scope, about.known)
    except ModelError as error:
        if not about.instead:
            raise
        found = tuple(hit for hit in about.instead if scope.admits(hit.chunk))
        notes = (f"search: {error}; answered from the round's first search",)
    ordered = reorder(query, found, top_k=max_chunks, meter=meter)
    searching = ports.clock.seconds() - started
    hits = ordered.value.hits

    def filtered(asked: str, found: Sequence[Hit]) -> Outcome[Filtered]:
        return filtering(
            asked,
            found,
            max_chunks=max_chunks,
            meter=meter,
            exclude=scope.exclude,
            question=about.question,
        )

    kept = filtered(query, hits) if rerank else _unfiltered(hits[:max_chunks], ports)
    if about.look_again and kept.value.stats.all_discarded:
        kept = another_look(
            Discarded(query, hits, kept),
            about.question,
            rank=lambda other: _ranked(other, ports, retrieval, scope, ()),
            filtering=filtered,
        )
    notes = (*ports.warnings(), *notes, *ordered.event.notes, *kept.event.notes)
    stats = replace(kept.value.stats, search_seconds=searching)
    return SearchResult(
        kept.value.hits,
        stats,
        TraceEvent(meter.calls, notes, (query,), unreadable=kept.event.unreadable),
        total_found=len(found),
    )


def _unfiltered(hits: Sequence[Hit], ports: Ports) -> Outcome[Filtered]:
    """Return hits as they are, with their record."""
    decisions = [ChunkDecision(hit.chunk.chunk_id, kept=True) for hit in hits]
    tokens = sum(ports.tokenizer.count(readable(hit.chunk)) for hit in hits)
    stats = replace(counted("off", decisions), tokens_before=tokens, tokens_after=tokens)
    return Outcome(Filtered(tuple(hits), stats))
