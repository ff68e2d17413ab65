"""The steps that search. They share the hybrid search, so they share a file."""

from collections.abc import Sequence

from research_agent.core.budget import Allowance
from research_agent.core.calls import SearchResult
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import Evidence, fenced, place, render_evidence
from research_agent.core.filtering import FilterStats, filter_by_relevance, filter_by_score
from research_agent.core.fusion import reciprocal_rank_fusion
from research_agent.core.types import Hit, Message, Outcome, Probe, TraceEvent
from research_agent.core.verification import Check
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel, Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import FilterSettings, RetrievalSettings


def hybrid_search(query: str, *, ports: Ports, settings: RetrievalSettings) -> tuple[Hit, ...]:
    """Return every chunk that is among the best of either index, fused by rank.

    The list is not cut, so the dense ranking can be read from it again; a chunk that only the
    lexical index found gets its exact similarity.
    """
    vector = ports.embedder.embed([query])[0]
    dense = ports.vectors.search(vector, k=settings.top_k)
    words = ports.lexical.search(query, k=settings.top_k)
    similarity = {item.chunk_id: item.value for item in dense}
    lexical = {item.chunk_id: item.value for item in words}
    alone = [chunk_id for chunk_id in lexical if chunk_id not in similarity]
    similarity |= dict(zip(alone, ports.vectors.similarities(vector, alone), strict=True))
    rankings = [[item.chunk_id for item in dense], [item.chunk_id for item in words]]
    fused = reciprocal_rank_fusion(rankings, rrf_k=settings.rrf_k)
    chunks = {c.chunk_id: c for c in ports.chunks.chunks([item.chunk_id for item in fused])}
    return tuple(
        Hit(chunks[i.chunk_id], i.value, similarity.get(i.chunk_id), lexical.get(i.chunk_id))
        for i in fused
        if i.chunk_id in chunks
    )


def retrieve(
    question: str, check: Check, *, ports: Ports, settings: RetrievalSettings
) -> Outcome[Probe]:
    """Probe the documents with the question, or with what the last check wants to know.

    In the first round a model that fails is an error: raises ModelError. Later there is an
    answer to keep, so the probe says that it failed.
    """
    query = check.next_query or question
    try:
        return Outcome(Probe(query, hybrid_search(query, ports=ports, settings=settings)))
    except ModelError as error:
        if not check.next_query:
            raise
        event = TraceEvent(notes=(f"retrieve: {error}; the best answer so far is kept",))
        return Outcome(Probe(query, failed=True), event)


def search_chunks(  # noqa: PLR0913 (one collaborator or setting each)
    query: str,
    probe: Probe,
    *,
    max_chunks: int,
    allowance: Allowance,
    ports: Ports,
    retrieval: RetrievalSettings,
    filtering: FilterSettings,
    prompt: PromptTemplate,
) -> SearchResult:
    """Return the best `max_chunks` hits that pass the filter.

    A query that this round's probe already asked is answered from the probe, and so is one whose
    search fails. Raises ModelError where it fails and the probe has nothing.
    """
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    hits, notes = _hits(query, probe, ports, retrieval)
    event = TraceEvent(notes=notes, queries=(query,))
    if filtering.mode == "llm":
        return _filtered_by_model(
            query, hits[:max_chunks], event, meter, ports.filterer, filtering, prompt
        )
    kept, stats = hits, FilterStats("off", len(hits), len(hits))
    if filtering.mode == "score":
        kept, stats = filter_by_score(hits, min_similarity=filtering.min_similarity)
    return SearchResult(kept[:max_chunks], stats, event)


def _hits(
    query: str, probe: Probe, ports: Ports, settings: RetrievalSettings
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Return what `query` finds, or the probe's hits and a note where its search fails."""
    if query == probe.query:
        return probe.hits, ()
    try:
        return hybrid_search(query, ports=ports, settings=settings), ()
    except ModelError as error:
        if not probe.hits:
            raise
        return probe.hits, (f"search: {error}; answered from the round's first search",)


def _filtered_by_model(  # noqa: PLR0913, PLR0917 (what is asked, and how the replies are read)
    query: str,
    hits: Sequence[Hit],
    event: TraceEvent,
    meter: Meter,
    model: ChatModel,
    filtering: FilterSettings,
    prompt: PromptTemplate,
) -> SearchResult:
    """Ask the filter model yes or no for each hit, and read how sure it is.

    The first call that fails or is not paid is the last: the hits from there on are kept.
    """
    relevance: list[float | None] = []
    fallback = ""
    for hit in hits:
        try:
            relevance.append(_relevance(query, hit, meter, model, prompt))
        except (ModelError, BudgetError) as error:
            fallback = str(error)
            break
    unasked = [None] * (len(hits) - len(relevance))
    kept, stats = filter_by_relevance(
        hits, [*relevance, *unasked], min_relevance=filtering.min_relevance, fallback=fallback
    )
    why = f" ({fallback})" if fallback else ""
    unjudged = f"filter: no verdict on {stats.unjudged} hits, kept{why}"
    notes = (*event.notes, unjudged) if stats.unjudged else event.notes
    return SearchResult(kept, stats, TraceEvent(meter.calls, notes, event.queries))


def _relevance(
    query: str, hit: Hit, meter: Meter, model: ChatModel, prompt: PromptTemplate
) -> float | None:
    """Ask about one hit: the question first, so that a server reads it only once."""
    text = prompt.render(question=query, chunk=render_evidence([Evidence("k1", hit)]))
    return yes_or_no(meter.ask(model, "filter", [Message("user", text)], max_tokens=1))


def compact(hits: Sequence[Hit]) -> str:
    """Return one short line a hit, under an alias that is no citation key."""
    return "\n".join(
        f"k{i} ({place(hit.chunk)}): {fenced(' '.join(hit.chunk.text.split())[:160])}"
        for i, hit in enumerate(hits, start=1)
    )
