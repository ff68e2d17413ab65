"""One question through the product's graph, as far as its search: what it found, and at what cost.

The graph is the one that answers; it is left before anything is written, so what is measured is
what an answer would be written from.
"""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Literal

from benchmarks.metrics import Span
from benchmarks.rankings import whole_documents
from graphs.research import build_research_graph
from graphs.state import ResearchInput
from research_agent.config import load_prompts
from research_agent.ports import Ports
from research_agent.retrieval.search.ranking import hybrid_search
from research_agent.settings import Settings
from research_agent.types import Hit, ModelCall, TraceEvent
from research_agent.types.calls import Found
from research_agent.types.refinement import Refinement

By = Literal["page", "document", "chunk"]
"""How a hit is told: by its pages; by its document, once, at its first hit; or by its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What one question has led to before an answer is written."""

    spans: tuple[Span, ...]
    """Where the hits are, best first."""
    refinement: Refinement
    queries: tuple[str, ...]
    """What was searched for, in the order of the searches."""
    calls: tuple[ModelCall, ...]
    milliseconds: float
    """With the calls that were made just now; recorded ones take no time."""


class Searching:
    """The product's graph over one index, with one set of settings."""

    def __init__(self, ports: Ports, settings: Settings, by: By) -> None:
        """Build the graph; hits are told `by` their pages, documents or chunks."""
        self._ports, self._settings, self._by = ports, settings, by
        self._graph = build_research_graph(ports, settings, load_prompts())
        self._first: dict[str, tuple[Span, ...]] = {}

    def __call__(self, question: str) -> Searched:
        """Ask `question` and stop after the first round's search."""
        refinement, found = Refinement(), Found()
        trace: Sequence[TraceEvent] = ()
        started = time.perf_counter()
        steps = self._graph.stream(ResearchInput(question=question), stream_mode="updates")
        with closing(steps):  # type: ignore[type-var]  # (a generator, declared as an iterator)
            for step in steps:
                refinement = (step.get("refine") or {}).get("refinement", refinement)
                if "search" in step:
                    found, trace = step["search"]["found"], step["search"]["trace"]
                    break
        spent = 1000 * (time.perf_counter() - started)
        return Searched(
            spans=self._places(found.hits),
            refinement=refinement,
            queries=tuple(query for event in trace for query in event.queries),
            calls=tuple(call for event in trace for call in event.calls),
            milliseconds=spent,
        )

    def alone(self, query: str) -> tuple[Span, ...]:
        """Return what a single query finds, without any refinement."""
        if query not in self._first:
            hits = hybrid_search(query, ports=self._ports, settings=self._settings.retrieval)
            self._first[query] = self._places(hits)
        return self._first[query]

    def _places(self, hits: Sequence[Hit]) -> tuple[Span, ...]:
        chunks = [hit.chunk for hit in hits]
        if self._by == "chunk":
            return tuple(Span(chunk.chunk_id) for chunk in chunks)
        spans = tuple(Span(chunk.doc_id, chunk.start_page, chunk.end_page) for chunk in chunks)
        return whole_documents(spans) if self._by == "document" else spans
