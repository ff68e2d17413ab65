"""The steps of the graph that search: the round's probe, and one call of the search tool."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol

from research_agent.core.budget import Allowance
from research_agent.core.calls import SearchResult
from research_agent.core.evidence import readable
from research_agent.core.filtering import ChunkDecision, Filtered, counted
from research_agent.core.fusion import reserve_slots
from research_agent.core.reordering import Reordered
from research_agent.core.scope import EVERYTHING, Scope
from research_agent.core.types import Hit, Outcome, Probe, TraceEvent
from research_agent.core.verification import Check
from research_agent.errors import ModelError
from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.settings import RetrievalSettings
from research_agent.steps.search.again import Discarded, another_look
from research_agent.steps.search.ranking import rank


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


KNOWN_SLOT, MOST_KNOWN = 3, 2
"""Behind so many hits stand so many chunks that are known from before."""


def retrieve(
    question: str,
    check: Check,
    *,
    ports: Ports,
    settings: RetrievalSettings,
    scope: Scope = EVERYTHING,
    known: Sequence[str] = (),
) -> Outcome[Probe]:
    """Probe the documents with the question, or with what the last check wants to know.

    Of the chunks with the ids `known`, those nearest to the query get a place among the hits.
    In the first round a model that fails is an error: raises ModelError. Later there is an
    answer to keep, so the probe says that it failed.
    """
    query = check.next_query or question
    try:
        found = rank(query, ports=ports, settings=settings, scope=scope)
        hits = _with_known(found.hits, _known(found.vector, known, ports, scope))
        notes = (*ports.warnings(), *found.notes)
        return Outcome(Probe(query, hits), TraceEvent(notes=notes))
    except ModelError as error:
        if not check.next_query:
            raise
        failed = f"retrieve: {error}; the best answer so far is kept"
        event = TraceEvent(notes=(*ports.warnings(), failed))
        return Outcome(Probe(query, failed=True), event)


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


def search_chunks(  # noqa: PLR0913 (one collaborator or setting each)
    query: str,
    probe: Probe,
    *,
    max_chunks: int,
    allowance: Allowance,
    ports: Ports,
    retrieval: RetrievalSettings,
    reorder: Reorder,
    filtering: Filter,
    rerank: bool = True,
    scope: Scope = EVERYTHING,
    probed: Scope = EVERYTHING,
    question: str = "",
    look_again: bool = True,
) -> SearchResult:
    """Return the best `max_chunks` hits, after `reorder`, that pass the filter.

    Among them are the chunks that the filter lets kept ones bring along. `question` is what the
    user asked. Where the filter's model discards every hit, and with `look_again`, the hits of the
    question are judged too, or for the question itself the next ones. Without `rerank`
    nothing is filtered: the first hits of the ranking are returned. A query that this round's
    probe already asked, within the same scope (`probed`), is answered from the probe, and so is
    one whose search fails. Raises ModelError where it fails and the probe has nothing.
    """
    started = ports.clock.seconds()
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    found, notes = probe.hits, tuple[str, ...]()
    if query != probe.query or scope != probed:
        found, notes = _hits(query, probe, ports, retrieval, scope)
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
            question=question,
        )

    kept = filtered(query, hits) if rerank else _unfiltered(hits[:max_chunks], ports)
    if look_again and kept.value.stats.all_discarded:
        kept = another_look(
            Discarded(query, hits, kept),
            question,
            rank=lambda other: _hits(other, probe, ports, retrieval, scope),
            filtering=filtered,
        )
    notes = (*ports.warnings(), *notes, *ordered.event.notes, *kept.event.notes)
    stats = replace(kept.value.stats, search_seconds=searching)
    return SearchResult(
        kept.value.hits,
        stats,
        TraceEvent(meter.calls, notes, (query,)),
        total_found=len(found),
    )


def _unfiltered(hits: Sequence[Hit], ports: Ports) -> Outcome[Filtered]:
    """Return hits as they are, with their record."""
    decisions = [ChunkDecision(hit.chunk.chunk_id, kept=True) for hit in hits]
    tokens = sum(ports.tokenizer.count(readable(hit.chunk)) for hit in hits)
    stats = replace(counted("off", decisions), tokens_before=tokens, tokens_after=tokens)
    return Outcome(Filtered(tuple(hits), stats))


def _hits(
    query: str, probe: Probe, ports: Ports, settings: RetrievalSettings, scope: Scope
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Return what `query` finds, or the probe's hits and a note where its search fails."""
    try:
        found = rank(query, ports=ports, settings=settings, scope=scope)
    except ModelError as error:
        within = tuple(hit for hit in probe.hits if scope.admits(hit.chunk))
        if not probe.hits:
            raise
        return within, (f"search: {error}; answered from the round's first search",)
    return found.hits, found.notes
