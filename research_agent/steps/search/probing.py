"""The steps of the graph that search: the round's probe, and one call of the search tool."""

from collections.abc import Sequence
from typing import Protocol

from research_agent.core.budget import Allowance
from research_agent.core.calls import SearchResult
from research_agent.core.entropy import yes_or_no
from research_agent.core.evidence import Evidence, fenced, place, render_evidence
from research_agent.core.filtering import FilterStats, filter_by_relevance, filter_by_score
from research_agent.core.reordering import Reordered
from research_agent.core.types import Hit, Message, Outcome, Probe, TraceEvent
from research_agent.core.verification import Check
from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel, Ports
from research_agent.prompts import PromptTemplate
from research_agent.settings import FilterSettings, RetrievalSettings
from research_agent.steps.search.ranking import hybrid_search


class Reorder(Protocol):
    """What gives the hits of a query a new order; its model calls go through `meter`."""

    def __call__(
        self, query: str, hits: Sequence[Hit], *, top_k: int, meter: Meter
    ) -> Outcome[Reordered]:
        """Return the hits, of which `top_k` will be shown; an event says what failed."""


def retrieve(
    question: str, check: Check, *, ports: Ports, settings: RetrievalSettings
) -> Outcome[Probe]:
    """Probe the documents with the question, or with what the last check wants to know.

    In the first round a model that fails is an error: raises ModelError. Later there is an
    answer to keep, so the probe says that it failed.
    """
    query = check.next_query or question
    try:
        hits = hybrid_search(query, ports=ports, settings=settings)
        return Outcome(Probe(query, hits), TraceEvent(notes=ports.warnings()))
    except ModelError as error:
        if not check.next_query:
            raise
        failed = f"retrieve: {error}; the best answer so far is kept"
        event = TraceEvent(notes=(*ports.warnings(), failed))
        return Outcome(Probe(query, failed=True), event)


def search_chunks(  # noqa: PLR0913 (one collaborator or setting each)
    query: str,
    probe: Probe,
    *,
    max_chunks: int,
    allowance: Allowance,
    ports: Ports,
    retrieval: RetrievalSettings,
    reorder: Reorder,
    filtering: FilterSettings,
    prompt: PromptTemplate,
) -> SearchResult:
    """Return the best `max_chunks` hits, after `reorder`, that pass the filter.

    A query that this round's probe already asked is answered from the probe, and so is one whose
    search fails. Raises ModelError where it fails and the probe has nothing.
    """
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    found, notes = _hits(query, probe, ports, retrieval)
    ordered = reorder(query, found, top_k=max_chunks, meter=meter)
    hits = ordered.value.hits
    notes = (*ports.warnings(), *notes, *ordered.event.notes)
    event = TraceEvent(meter.calls, notes, (query,))
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
